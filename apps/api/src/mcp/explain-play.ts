/** What happened in a play, for a model that is to mend it. Pure. */
import type { PlayLayerView, PlayView } from '@weft/contracts';
import { argsPlace, outputPath } from '../plays/play.view.js';
import type { WaitingView } from '../plays/waiting/waiting.view.js';

/** Larger args of a play and outputs of layers are shown as a reference. */
export const MAX_SHOWN_CHARS = 4 * 1024;

export function shortPlay(play: PlayView): PlayView {
  const json = JSON.stringify(play.args ?? null);
  return json.length > MAX_SHOWN_CHARS ? { ...play, args: argsPlace(play.id, Buffer.byteLength(json)) } : play;
}

export function shortLayer(playId: string, layer: PlayLayerView): PlayLayerView {
  const isLarge = JSON.stringify(layer.out ?? null).length > MAX_SHOWN_CHARS;
  return isLarge ? { ...layer, out: { $ref: outputPath(playId, layer.ref), bytes: layer.outBytes } } : layer;
}

export function explain(play: PlayView, layers: readonly PlayLayerView[], waiting: WaitingView): object {
  const { id: playId, state, error } = play;
  const failed = layers.find(({ ref }) => ref === error?.ref);
  const reached = layers.filter((layer) => layer.state !== 'NEW').map(({ ref, state: at }) => ({ ref, state: at }));
  return {
    playId,
    state,
    sentence: sentenceOf(play, failed, waiting),
    error,
    failed: failed ? shortLayer(playId, failed) : null,
    waiting: waiting.reason === null ? null : waiting,
    layers: reached,
    suggestion: error ? suggestionFor(error.code) : waitingSuggestion(waiting),
  };
}

function sentenceOf({ state, error }: PlayView, failed: PlayLayerView | undefined, { message }: WaitingView): string {
  if (!error) return message === null || message === '' ? `The play is ${state}.` : message;
  const where = failed ? ` in the layer "${failed.ref}" (${failed.appId}) after ${failed.attempts} attempts` : '';
  return `The play is ${state}${where}: ${error.message} (${error.code}).`;
}

const FLOW_IS_WRONG: ReadonlySet<string> = new Set([
  ...['expression_unresolved', 'expression_failed', 'invalid_args', 'unknown_app', 'code_failed', 'extraction_failed'],
]);

function suggestionFor(code: string): string {
  if (FLOW_IS_WRONG.has(code)) {
    return 'The same version fails again: change the layer with update_flow, try it with dry_run, then run the flow anew.';
  }
  if (code === 'cancelled' || code === 'rejected')
    return 'A person ended it. Run the flow again only if they want that.';
  if (code === 'integration_not_found' || code === 'integration_unusable')
    return 'A person has to connect the integration.';
  return 'If the cause is gone, retry_play runs the same version on: layers that are done are not called again.';
}

function waitingSuggestion({ reason, circle }: WaitingView): string | null {
  if (circle) return 'A person cancels one of the plays of the chain, unless a time limit ends one before.';
  if (reason === 'approval') return 'A person decides it, or an agent that has the tool decide_approval.';
  return reason === null ? null : 'It goes on by itself: call wait_for_play.';
}
