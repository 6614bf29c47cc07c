import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { readJson } from '../api/client';
import { ErrorNotice } from '../ui/error-notice';
import { bytesText } from '../ui/bytes';
import { isReference } from '../values/reference';
import { FileLinks } from './file-links';
import { ValueTree } from '../values/value-tree';
import type { PlayLayer } from './queries';
import { withoutTwin } from './without-twin';

/** More than this is not shown in a page at all. */
const MAX_SHOWN_BYTES = 4 * 1024 * 1024;

/** What a layer gave. A large output is read when somebody asks for it. */
export function Output({ playId, layer }: { readonly playId: string; readonly layer: PlayLayer }) {
  const path = `/api/v1/plays/${playId}/layers/${layer.ref}/out`;
  const load = useMutation({ mutationFn: () => readJson<unknown>(path) });
  if (layer.completedAt === null && layer.out === null) return <p className="soft">It has given nothing yet.</p>;
  const tree = { label: `Output of ${layer.ref}`, expression: `.${layer.ref}`, path };
  if (!isReference(layer.out)) {
    const shown = withoutTwin(layer.out);
    return (
      <>
        <ValueTree value={shown} {...tree} />
        {shown !== layer.out && (
          <p className="soft">
            <code>body</code> is the text of <code>json</code>, and not shown.
          </p>
        )}
        <FileLinks value={layer.out} />
      </>
    );
  }
  if (load.isSuccess) return <ValueTree value={load.data} {...tree} />;
  const size = bytesText(layer.outBytes);
  return (
    <>
      <p className="soft">This output has {size}.</p>
      <br />
      {layer.outBytes <= MAX_SHOWN_BYTES && (
        <Button loading={load.isPending} onClick={() => load.mutate()}>
          Show it
        </Button>
      )}{' '}
      <Button component="a" href={path} download={`${layer.ref}.json`} variant="default">
        Download
      </Button>
      {load.isError && <ErrorNotice error={load.error} />}
    </>
  );
}
