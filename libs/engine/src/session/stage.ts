/** Where a session is in its plan: which layers of the current stage have ended, are running, wait or may be called. */
import { isPause, type LayerWait } from '../layer-outcome.js';
import type { Session } from './session.js';

/** How many layers have a result. The stage at this position is the current stage. */
export function position(session: Session): number {
  return session.cursor + session.unstoredResults.length;
}

export function hasEnded(session: Session, at: number): boolean {
  return session.endedPositions.includes(at) || session.unstoredResults.some((result) => result.position === at);
}

/** Layers of the current stage that have no result and are not running, in order. Empty after the last stage. */
export function openPositions(session: Session): number[] {
  const here = position(session);
  const stage = session.plan[here]?.stage;
  if (stage === undefined) return [];
  // the layer is alone in its stage, as nearly all are
  if (stage === here && session.plan[here + 1]?.stage !== stage) return isRunning(session, here) ? [] : [here];
  const open: number[] = [];
  for (let at = stage; session.plan[at]?.stage === stage; at += 1)
    if (!isRunning(session, at) && !hasEnded(session, at)) open.push(at);
  return open;
}

/** Whether the layer can be called now: it does not wait, or what it waited for has come. */
export function isReady(session: Session, at: number, now: Date): boolean {
  const wait = session.waits[at];
  if (!wait || isAnswered(session, wait)) return true;
  const { kind, until } = wait;
  // whoever set it going may have had another clock
  return until !== null && (kind === 'children' || until <= now);
}

/**
 * Whether the next call of the layer is an effect. A `start` layer that has started its only play just asks how that ended; a loop
 * may start further ones.
 */
export function touchesWorld({ plan, waits }: Session, at: number): boolean {
  const kind = plan[at]?.kind;
  return kind === 'effect' || (kind === 'start' && waits[at]?.children?.playId === undefined);
}

/** Null: there is no time among them. */
export function earliest(times: readonly (Date | null)[]): Date | null {
  let first: Date | null = null;
  for (const time of times) if (time && (!first || time < first)) first = time;
  return first;
}

/** The first position after the stage of this position. */
export function endOfStage(session: Session, at: number): number {
  const stage = session.plan[at]?.stage;
  let end = at + 1;
  while (session.plan[end] && session.plan[end]?.stage === stage) end += 1;
  return end;
}

/** Whether the result of a finished effect is not stored yet: until it is, no later stage may start an effect. */
export function hasUnstoredEffect(session: Session): boolean {
  return session.unstoredResults.some((result) => session.plan[result.position]?.kind === 'effect');
}

export function without<T>(record: Readonly<Record<string, T>>, at: number): Readonly<Record<string, T>> {
  if (!Object.hasOwn(record, String(at))) return record;
  const { [String(at)]: _dropped, ...rest } = record;
  return rest;
}

function isRunning(session: Session, at: number): boolean {
  return session.runningCalls.some((call) => call.position === at);
}

function isAnswered(session: Session, wait: LayerWait): boolean {
  return !isPause(wait.kind) && Object.hasOwn(session.inbox, String(wait.position));
}
