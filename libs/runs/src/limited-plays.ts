import type { Play } from '@weft/engine';
import type { RunnableFlow } from './flow-cache.js';

/** Whether the flow has a concurrency limit. */
export function isLimited(flow: RunnableFlow | null): boolean {
  return flow !== null && flow.settings.concurrency !== null;
}

/** A play that would start at once waits for its admission instead; a delayed play joins the queue when it is due. */
export function limited(play: Play): Play {
  if (play.state !== 'NEW') return play.state === 'DEFERRED' ? { ...play, limited: true } : play;
  const { heartbeatAt: _heartbeatAt, ...rest } = play;
  return { ...rest, state: 'DEFERRED', limited: true, queued: true };
}
