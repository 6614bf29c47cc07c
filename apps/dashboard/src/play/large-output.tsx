import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { readJson, readStart } from '../api/read-output';
import { ErrorNotice } from '../ui/error-notice';
import { bytesText } from '../ui/bytes';
import { firstPart } from '../values/first-part';
import { ValueView } from '../values/value-view';
import { withJsonOfBody, withoutTwin } from './without-twin';
import values from '../values/value-view.module.css';

/** More than this is not shown in a page at all. */
const MAX_SHOWN_BYTES = 4 * 1024 * 1024;
/** What is shown of it: more would take a slow processor too long at once. */
const START_BYTES = 128 * 1024;

interface LargeOutputProps {
  /** How it is shown; `path` is where the API has it. */
  readonly tree: { readonly label: string; readonly expression: string; readonly path: string };
  readonly name: string;
  readonly bytes: number;
}

/** An output that is not in the answer of its play: it is read when somebody asks for it, or its beginning. */
export function LargeOutput({ tree, name, bytes }: LargeOutputProps) {
  const { path } = tree;
  const isWhole = bytes <= MAX_SHOWN_BYTES;
  const load = useMutation({
    mutationFn: async () =>
      isWhole ? withoutTwin(await readJson(path)) : withJsonOfBody(firstPart(await readStart(path, START_BYTES))),
  });
  return (
    <div className={values.view}>
      <p className="soft">
        This output has {bytesText(bytes)}.
        {load.isSuccess && !isWhole && ' Its beginning is shown: lists and texts go on.'}
      </p>
      {load.isSuccess && <ValueView value={load.data} {...tree} />}
      <div className={values.line}>
        {!load.isSuccess && (
          <Button loading={load.isPending} onClick={() => load.mutate()}>
            {isWhole ? 'Show it' : 'Show its beginning'}
          </Button>
        )}
        <Button component="a" href={path} download={`${name}.json`} variant="default">
          Download
        </Button>
      </div>
      {load.isError && <ErrorNotice error={load.error} />}
    </div>
  );
}
