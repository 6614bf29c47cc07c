import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { readJson, readStart } from '../api/client';
import { ErrorNotice } from '../ui/error-notice';
import { bytesText } from '../ui/bytes';
import { firstPart } from '../values/first-part';
import { pictureOf, picturesIn } from '../values/pictures';
import { isReference } from '../values/reference';
import { ValueView } from '../values/value-view';
import { FileLinks, filesIn } from './file-links';
import type { PlayLayer } from './queries';
import { withoutTwin } from './without-twin';
import values from '../values/value-view.module.css';

const FilePicture = lazy(async () => ({ default: (await import('../values/file-picture')).FilePicture }));

/** More than this is not shown in a page at all. */
const MAX_SHOWN_BYTES = 4 * 1024 * 1024;
/** What is shown of it. */
const START_BYTES = 512 * 1024;
const MOST_PICTURES = 5;

/** What a layer gave. A large output is read when somebody asks for it. */
export function Output({ playId, layer }: { readonly playId: string; readonly layer: PlayLayer }) {
  const path = `/api/v1/plays/${playId}/layers/${layer.ref}/out`;
  const isWhole = layer.outBytes <= MAX_SHOWN_BYTES;
  const load = useMutation({
    mutationFn: async () => (isWhole ? readJson<unknown>(path) : firstPart(await readStart(path, START_BYTES))),
  });
  if (layer.completedAt === null && layer.out === null) return <p className="soft">It has given nothing yet.</p>;
  const tree = { label: `Output of ${layer.ref}`, expression: `.${layer.ref}`, path };
  if (!isReference(layer.out)) {
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
  const size = bytesText(layer.outBytes);
  return (
    <div className={values.view}>
      <p className="soft">
        This output has {size}.{load.isSuccess && !isWhole && ' Its beginning is shown: lists and texts go on.'}
      </p>
      {load.isSuccess && <ValueView value={load.data} {...tree} />}
      <div className={values.line}>
        {!load.isSuccess && (
          <Button loading={load.isPending} onClick={() => load.mutate()}>
            {isWhole ? 'Show it' : 'Show its beginning'}
          </Button>
        )}
        <Button component="a" href={path} download={`${layer.ref}.json`} variant="default">
          Download
        </Button>
      </div>
      {load.isError && <ErrorNotice error={load.error} />}
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
