import type { PlayError, PlayState } from '@weft/contracts';
import { outOf, type LayerResult, type PayloadRef, type Play } from '@weft/engine';
import { TenantScope, type EndedPlay } from '@weft/store';
import * as s from '../../http/schema.js';
import { outputPath, WHOLE_OUTPUT_BYTES } from '../play.view.js';

/** What a run is answered with. */
export interface RunAnswer {
  readonly playId: string;
  readonly state: PlayState;
}

/** What a run that waited for its play's end is answered with. */
export interface EndedRunAnswer extends RunAnswer {
  readonly out: unknown;
  readonly error: PlayError | null;
}

export const runAnswerSchema = s.named('RunAnswer', s.object<RunAnswer>({ playId: s.text, state: s.text }));

export const endedRunAnswerSchema = s.named(
  'EndedRunAnswer',
  s.object<EndedRunAnswer>(
    {
      playId: s.text,
      state: s.text,
      out: {
        description:
          'With `wait`: what the last layer that ran gave; over 256 KB `{ "$ref": path, "bytes": n }`; null for who may not read the play.',
      },
      error: s.orNull(s.object<PlayError>({ code: s.text, message: s.text, ref: s.textOrNull })),
    },
    ['out', 'error'],
  ),
);

/** A NEW play is as good as running: docs/http-api.md §4. */
export function toRunAnswer({ _id, state }: Pick<Play, '_id' | 'state'>): RunAnswer {
  return { playId: _id, state: state === 'NEW' ? 'RUN' : state };
}

/** Reads a stored output as a whole; null when it is not kept any more. */
export type ReadOutput = (scope: TenantScope, ref: PayloadRef) => Promise<{ readonly out: unknown } | null>;

/** @param play final */
export async function endedRunAnswer(play: EndedPlay, readOutput: ReadOutput): Promise<EndedRunAnswer> {
  return {
    playId: play._id,
    state: play.state,
    out: play.last ? await outputOf(play, play.last, readOutput) : null,
    error: play.error ?? null,
  };
}

async function outputOf(play: EndedPlay, result: LayerResult, readOutput: ReadOutput): Promise<unknown> {
  const { ref, outRef } = result;
  if (!outRef) return outOf(result);
  const whole = outRef.bytes <= WHOLE_OUTPUT_BYTES;
  // that the output cannot be read now must not turn an accepted run into a failed call
  const stored = whole ? await readOutput(new TenantScope(play.company_id), outRef).catch(() => null) : null;
  return stored ? stored.out : { $ref: outputPath(play._id, ref), bytes: outRef.bytes };
}
