import type { PlayState } from '@weft/contracts';
import type { Play } from '@weft/engine';
import { WORK_CONTEXT, type Tracing } from '@weft/observability';
import type { HandOut } from '@weft/queue';

/** Runs the work of one hand-out in the context of the request that the play was accepted for: see `playScope`. */
export type PlayScope = (
  play: Play,
  handOut: HandOut,
  work: () => Promise<string>,
  /** The state of the play as this worker knows it. */
  stateNow: () => PlayState | undefined,
) => Promise<string>;

/**
 * Everything that is logged and traced during a hand-out belongs to the request that asked for the play, whichever worker
 * has it and however often it was rung for. A play that is not traced starts no trace here, nor do the plays that it starts.
 */
export function playScope(tracing: Tracing): PlayScope {
  return (play, { job, redelivered }, work, stateNow) => {
    const span = tracing.begin('run play', {
      kind: 'consumer',
      parent: play.trace === undefined ? null : { traceparent: play.trace, tracestate: play.traceState },
      attributes: { 'weft.play.id': job.playId, 'weft.flow.id': play.flowId, 'weft.play.epoch': job.epoch },
    });
    const running = WORK_CONTEXT.run({ request_id: play.requestId, span }, work);
    if (!span) return running;
    if (redelivered) span.set({ 'weft.play.redelivered': true });
    return running.then(
      (end) => {
        const state = stateNow() ?? play.state;
        span.set({ 'weft.play.left': end, 'weft.play.state': state });
        span.end(state === 'FAIL' ? 'play_failed' : undefined);
        return end;
      },
      (error: unknown) => {
        span.end('internal');
        throw error;
      },
    );
  };
}
