/** Where a session is in its plan: which layers of the present stage have ended, run, wait, or may be called. */
import type { LayerWait } from '../layer-outcome.js';
import type { Session } from './session.js';

/** How many layers have a result; the stage at this position is the present one. */
export function position(session: Session): number {
  return session.cursor + session.results.length;
}

export function hasEnded(session: Session, at: number): boolean {
  return session.ended.includes(at) || session.results.some((result) => result.position === at);
}

/** Layers of the present stage that have no result and do not run, in their order; none behind the last stage. */
export function openPositions(session: Session): number[] {
  const here = position(session);
  const stage = session.plan[here]?.stage;
  if (stage === undefined) return [];
  // alone in its stage, as nearly all are
  if (stage === here && session.plan[here + 1]?.stage !== stage) return isRunning(session, here) ? [] : [here];
  const open: number[] = [];
  for (let at = stage; session.plan[at]?.stage === stage; at += 1)
    if (!isRunning(session, at) && !hasEnded(session, at)) open.push(at);
  return open;
}

/** It can be called now: it waits for nothing, or no longer. */
export function isReady(session: Session, at: number, now: Date): boolean {
  const wait = session.waits[at];
  if (!wait) return true;
  return isAnswered(session, wait) || (wait.until !== null && wait.until <= now);
}

/** Its next call does something to the world; what it started before has only to be asked how it ended. */
export function touchesWorld({ plan, waits, inbox }: Session, at: number): boolean {
  const kind = plan[at]?.kind;
  return kind === 'effect' || (kind === 'start' && !waits[at] && !Object.hasOwn(inbox, String(at)));
}

/** When the first of these waits is over by itself; null = none will be. */
export function earliest(waits: readonly LayerWait[]): Date | null {
  let first: Date | null = null;
  for (const { until } of waits) if (until && (!first || until < first)) first = until;
  return first;
}

/** The first position behind the stage that this position is in. */
export function endOfStage(session: Session, at: number): number {
  const stage = session.plan[at]?.stage;
  let end = at + 1;
  while (session.plan[end] && session.plan[end]?.stage === stage) end += 1;
  return end;
}

/** A finished effect's result is not stored: no later stage may touch the world before it is. */
export function hasUnstoredEffect(session: Session): boolean {
  return session.results.some((result) => session.plan[result.position]?.kind === 'effect');
}

export function without<T>(record: Readonly<Record<string, T>>, at: number): Readonly<Record<string, T>> {
  if (!Object.hasOwn(record, String(at))) return record;
  const { [String(at)]: _dropped, ...rest } = record;
  return rest;
}

function isRunning(session: Session, at: number): boolean {
  return session.calls.some((call) => call.position === at);
}

function isAnswered(session: Session, wait: LayerWait): boolean {
  return wait.kind !== 'retry' && Object.hasOwn(session.inbox, String(wait.position));
}
