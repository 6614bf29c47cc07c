import { lazy, Suspense } from 'react';
import { pictureOf, picturesIn } from '../values/pictures';
import { isReference } from '../values/reference';
import { ValueView } from '../values/value-view';
import { FileLinks, filesIn } from './file-links';
import type { PlayLayer } from './queries';
import { withoutTwin } from './without-twin';
import values from '../values/value-view.module.css';

const FilePicture = lazy(async () => ({ default: (await import('../values/file-picture')).FilePicture }));
const LargeOutput = lazy(async () => ({ default: (await import('./large-output')).LargeOutput }));

const MOST_PICTURES = 5;

/** What a layer gave. A large output is read when somebody asks for it. */
export function Output({ playId, layer }: { readonly playId: string; readonly layer: PlayLayer }) {
  const path = `/api/v1/plays/${playId}/layers/${layer.ref}/out`;
  if (layer.completedAt === null && layer.out === null) return <p className="soft">It has given nothing yet.</p>;
  const tree = { label: `Output of ${layer.ref}`, expression: `.${layer.ref}`, path };
  if (isReference(layer.out)) {
    return (
      <Suspense>
        <LargeOutput tree={tree} name={layer.ref} bytes={layer.outBytes} />
      </Suspense>
    );
  }
  const shown = withoutTwin(layer.out);
  return (
    <div className={values.view}>
      <ValueView value={shown} {...tree} />
      {shown !== layer.out && (
        <p className="soft">
          <code>body</code> is the text of <code>json</code>, and not shown.
        </p>
      )}
      <Pictures out={layer.out} name={layer.ref} />
      <div className={values.line}>
        <FileLinks value={layer.out} />
      </div>
    </div>
  );
}

function Pictures({ out, name }: { readonly out: unknown; readonly name: string }) {
  const own = pictureOf(out);
  return (
    <Suspense>
      {own !== null && (
        <figure className={values.picture}>
          <img src={own} alt={`Picture of ${name}`} />
        </figure>
      )}
      {picturesIn(filesIn(out))
        .slice(0, MOST_PICTURES)
        .map((file) => (
          <FilePicture key={file.$ref} file={file} />
        ))}
    </Suspense>
  );
}
