/** The log events of a worker's write, in the order in which watchers see them. */
import type { PlayEvent } from '../play-log.js';
import { isSameWait, type LayerWait } from '../layer-outcome.js';
import type { LayerResult } from '../play.js';
import type { LayerPlan } from '../layer-plan.js';
import type { FailedCall, Session } from './session.js';
import { position } from './stage.js';

/** Events of a write, and the starts of layers among them. */
export interface WriteEvents {
  readonly events: PlayEvent[];
  readonly starts: [number, Date][];
}

export function startingEvents(session: Session): WriteEvents {
  return { events: runEvents(session), starts: [] };
}

/** Events for layers that have finished, that failed and will be tried again, and that wait. */
export function eventsOfChanges(session: Session): WriteEvents {
  const told = startingEvents(session);
  for (const result of session.unstoredResults) {
    for (const failed of session.failedCalls)
      if (failed.position === result.position) addFailure(session, told, failed);
    addResult(session, told, result);
  }
  for (const failed of session.failedCalls)
    if (!session.unstoredResults.some((result) => result.position === failed.position))
      addFailure(session, told, failed);
  for (const wait of Object.values(session.waits)) addStart(session, told, wait.position, wait.since);
  return told;
}

/** Adds the start of a layer unless it is logged already. */
export function addStart(session: Session, { events, starts }: WriteEvents, layer: number, at: Date): void {
  if (session.loggedStarts.has(layer) || starts.some(([begun]) => begun === layer)) return;
  const plan: LayerPlan | undefined = session.plan[layer];
  starts.push([layer, at]);
  events.push({ type: 'start', layer, ref: plan?.ref ?? '', name: plan?.name ?? '', at });
}

/** The move to RUN, at the time at which the worker took the play. */
export function runEvents(session: Session): PlayEvent[] {
  return session.state === 'NEW' ? [{ type: 'state', from: 'NEW', state: 'RUN', at: session.takenAt }] : [];
}

/** Whether the session has changes that are not stored. */
export function hasUnstoredChanges(session: Session): boolean {
  if (session.unstoredResults.length > 0 || session.failedCalls.length > 0) return true;
  return Object.values(session.waits).some((wait) => !isStored(session, wait));
}

/** The same for the current stage alone: results of earlier stages may be stored with a later write. */
export function hasUnstoredChangesInStage(session: Session): boolean {
  const stage = session.plan[position(session)]?.stage;
  const unstoredResults = session.unstoredResults.filter((result) => session.plan[result.position]?.stage === stage);
  return hasUnstoredChanges({ ...session, unstoredResults });
}

/** Whether the wait is stored. Until it is, nobody can answer it, even if the layer's start is logged. */
function isStored({ storedWaits }: Session, wait: LayerWait): boolean {
  const stored = storedWaits[wait.position];
  return stored !== undefined && isSameWait(stored, wait);
}

function addResult(session: Session, told: WriteEvents, result: LayerResult): void {
  const { position: layer, ref, state, completedAt: at } = result;
  if (state !== 'SKIP' && state !== 'FILTERED') addStart(session, told, layer, result.startedAt);
  if (result.error)
    told.events.push({ type: 'error', layer, ref, message: result.error.message, retries: result.attempts - 1, at });
  const kv = session.kvUses[layer];
  told.events.push({ type: 'complete', layer, state, ...(kv && { kv }), at });
}

function addFailure(session: Session, told: WriteEvents, failed: FailedCall): void {
  const { position: layer, message, attempt, since, at, kv } = failed;
  addStart(session, told, layer, since);
  const ref = session.plan[layer]?.ref ?? '';
  told.events.push({ type: 'error', layer, ref, message, retries: attempt - 1, ...(kv && { kv }), at });
}
