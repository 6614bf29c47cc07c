/**
 * Views of stored plays: docs/http-api.md §5. Pure functions; other files check rights and read large outputs.
 */
import { isFinal, type LayerState, type PlayError, type PlayLayerView, type PlayView } from '@weft/contracts';
import {
  isPause,
  isTimed,
  playLayerId,
  playRow,
  shownError,
  outOf,
  type DoneItems,
  type FlowVersion,
  type LayerDefinition,
  type LayerResult,
  type LayerWait,
  type Play,
} from '@weft/engine';
import type { PlayHead } from '@weft/store';
import { apiPath } from '../http/api-paths.js';

type LayerError = NonNullable<PlayLayerView['error']>;

/** Up to here an output is shown whole in `/plays/:id/layers`. */
export const WHOLE_OUTPUT_BYTES = 256 * 1024;

/**
 * @param play without `args` in lists
 * @param retriedBy default: none
 */
export function toPlayView(
  play: PlayHead & Partial<Pick<Play, 'args'>>,
  retriedBy: PlayView['retriedBy'] = null,
): PlayView {
  const row = { ...playRow(play), retriedBy };
  if (play.args === undefined) return row;
  const { args, lane = null, failureHandledBy, failurePending, handlesFailureOf } = play;
  // its id is fixed before it is stored
  const handledBy = failurePending === undefined ? failureHandledBy : undefined;
  return { ...row, args, lane, failureHandledBy: handledBy ?? null, handlesFailureOf: handlesFailureOf ?? null };
}

/** Where the whole output of a layer is read. */
export function outputPath(playId: string, ref: string): string {
  return apiPath(`plays/${playId}/layers/${ref}/out`);
}

/** Shown instead of args that are too large for an answer: the play, read by itself, has them whole. */
export function argsPlace(playId: string, bytes: number): { readonly $ref: string; readonly bytes: number } {
  return { $ref: apiPath(`plays/${playId}`), bytes };
}

/**
 * Every layer of the version, in order: the recorded ones as they ended, the one in work as the log tells, the others NEW.
 *
 * @param stored outputs that were small enough to be read from the payload store, by layer position
 */
export function toPlayLayerViews(
  play: Play,
  version: FlowVersion,
  stored: ReadonlyMap<number, unknown> = new Map(),
): PlayLayerView[] {
  const results = new Map(play.layers.map((result) => [result.position, result]));
  return version.layers.map((layer, position) => {
    const result = results.get(position);
    return result ? endedLayer(play, layer, result, stored) : openLayer(play, layer, position);
  });
}

function endedLayer(
  play: Play,
  layer: LayerDefinition,
  result: LayerResult,
  stored: ReadonlyMap<number, unknown>,
): PlayLayerView {
  const began = result.state !== 'SKIP' && result.state !== 'FILTERED';
  return {
    id: playLayerId(play._id, result.position),
    ref: result.ref,
    state: result.state,
    startedAt: began ? earlier(result.startedAt, result.completedAt).toISOString() : null,
    completedAt: result.completedAt.toISOString(),
    out: shownWhole(play._id, result, stored),
    name: result.name,
    appId: layer.appId,
    index: layer.index,
    attempts: result.attempts,
    ...(result.interruptions !== undefined && { interruptions: result.interruptions }),
    error: shownError(result),
    progress: null,
    outBytes: result.outBytes,
  };
}

function shownWhole(playId: string, result: LayerResult, stored: ReadonlyMap<number, unknown>): unknown {
  if (stored.has(result.position)) return stored.get(result.position);
  if (result.outRef || result.outBytes > WHOLE_OUTPUT_BYTES) {
    return { $ref: outputPath(playId, result.ref), bytes: result.outBytes };
  }
  return outOf(result);
}

/** A layer without a result: in work or waiting, interrupted by the play's end, or not reached. */
function openLayer(play: Play, layer: LayerDefinition, position: number): PlayLayerView {
  const entries = play.log.filter((entry) => 'layer' in entry && entry.layer === position);
  const wait = play.waits?.[position];
  const began = entries.findLast((entry) => entry.type === 'start')?.at ?? wait?.since;
  const failures = entries.filter((entry) => entry.type === 'error').length;
  const ended = began !== undefined && isFinal(play.state);
  return {
    id: playLayerId(play._id, position),
    ref: layer.ref,
    state: began ? stateInWork(play, wait) : 'NEW',
    startedAt: began ? earlier(began, play.completedAt).toISOString() : null,
    completedAt: ended ? (play.completedAt?.toISOString() ?? null) : null,
    out: null,
    name: layer.name,
    appId: layer.appId,
    index: layer.index,
    // a layer that pauses before its next attempt is between two calls
    attempts: began ? failures + (wait && isPause(wait.kind) && wait.kind !== 'children' ? 0 : 1) : 0,
    error: ended && play.error ? errorOfInterrupted(play.error, layer.ref) : null,
    progress: ended ? null : progressOf(play.doneItems?.[position]),
    outBytes: 0,
  };
}

/** Of a loop that runs: in percent, as of the last time that it was stored. */
function progressOf(items: DoneItems | undefined): number | null {
  return items?.of ? Math.floor((items.count * 100) / items.of) : null;
}

/** A layer is not to blame for what another one of its stage did. */
function errorOfInterrupted({ code, message, ref }: PlayError, own: string): LayerError {
  if (ref === null || ref === own) return { code, message };
  return { code: 'cancelled', message: `The play ended over the layer "${ref}".` };
}

/** A layer waits until its answer or its time is there, also while its play is on hold; and fails where the play was ended over it. */
function stateInWork(play: Play, wait: LayerWait | undefined): LayerState {
  if (isFinal(play.state)) return 'FAIL';
  if (!wait) return 'RUN';
  const answered = play.inbox !== undefined && Object.hasOwn(play.inbox, String(wait.position));
  if (answered) return 'RUN';
  return isTimed(wait.kind) ? 'DEFERRED' : 'WAIT';
}

/** Clocks of two machines may differ: nothing is shown to have ended before it began. */
function earlier(at: Date, limit: Date | undefined): Date {
  return limit && limit < at ? limit : at;
}
