import { parseJson } from '@weft/client';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { jsonText } from '../values/json-text';
import { Time } from '../ui/time';
import { useKeepSample } from './keep-sample';
import { TextCode } from './text-code';
import type { KeptSample } from './samples-query';
import classes from './panels.module.css';

interface KeptSampleProps {
  readonly flowId: string;
  /** Of the layer. */
  readonly at: string;
  readonly sample: KeptSample | undefined;
}

/** The sample of a layer, to see, to edit and to remove. */
export function KeptSampleOf({ flowId, at, sample }: KeptSampleProps) {
  const { keep, remove } = useKeepSample(flowId, at);
  const [text, setText] = useState<string | null>(null);
  const read = text === null ? null : readValue(text);
  const save = (): void => {
    if (read && 'value' in read) keep.mutate(read.value, { onSuccess: () => setText(null) });
  };
  return (
    <div className={classes.result}>
      <div className={classes.line}>
        <span className="soft">
          {sample ? (
            <>
              Its sample was kept <Time at={sample.keptAt} />.
            </>
          ) : (
            'It has no sample yet.'
          )}
        </span>
        {text === null && (
          <Button size="compact-xs" variant="default" onClick={() => setText(jsonText(sample?.out ?? {}))}>
            {sample ? 'See or edit' : 'Write one'}
          </Button>
        )}
        {sample && (
          <Button size="compact-xs" variant="default" loading={remove.isPending} onClick={() => remove.mutate()}>
            Remove
          </Button>
        )}
      </div>
      {text !== null && (
        <div data-own-undo>
          <TextCode
            language="json"
            label={`Sample of ${at}`}
            value={text}
            onChange={setText}
            isInvalid={read !== null && 'fault' in read}
            hasUndo
          />
          {read && 'fault' in read && <p className={classes.fault}>{read.fault}</p>}
          <div className={classes.buttons}>
            <Button onClick={save} loading={keep.isPending} disabled={read !== null && 'fault' in read}>
              Save the sample
            </Button>
            <Button variant="default" onClick={() => setText(null)}>
              Cancel
            </Button>
          </div>
        </div>
      )}
    </div>
  );
}

/** Any JSON value that somebody typed, or what is wrong with it. */
function readValue(text: string): { readonly value: unknown } | { readonly fault: string } {
  try {
    return { value: parseJson(text) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : 'This is not JSON.' };
  }
}
