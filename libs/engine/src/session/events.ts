/** What a worker's write tells: the events of what it stores, in the order in which they are told. */
import type { PlayEvent } from '../play-log.js';
import type { LayerWait } from '../layer-outcome.js';
import type { LayerResult } from '../play.js';
import type { LayerPlan } from '../layer-plan.js';
import type { FailedCall, Session } from './session.js';
import { position } from './stage.js';

/** Events, and the starts among them. */
export interface Told {
  readonly events: PlayEvent[];
  readonly begins: [number, Date][];
}

export function nothingTold(session: Session): Told {
  return { events: runEvent(session), begins: [] };
}

/** What is finished, what failed and will be tried again, and what began to wait. */
export function tellNews(session: Session): Told {
  const told = nothingTold(session);
  for (const result of session.results) {
    for (const failed of session.failed) if (failed.position === result.position) tellFailure(session, told, failed);
    tellResult(session, told, result);
  }
  for (const failed of session.failed)
    if (!session.results.some((result) => result.position === failed.position)) tellFailure(session, told, failed);
  for (const wait of Object.values(session.waits)) tellStart(session, told, wait.position, wait.since);
  return told;
}

/** A start is told once, whatever is written in between. */
export function tellStart(session: Session, { events, begins }: Told, layer: number, at: Date): void {
  if (session.begun.has(layer) || begins.some(([begun]) => begun === layer)) return;
  const plan: LayerPlan | undefined = session.plan[layer];
  begins.push([layer, at]);
  events.push({ type: 'start', layer, ref: plan?.ref ?? '', name: plan?.name ?? '', at });
}

/** The play runs, from the moment at which it was taken. */
export function runEvent(session: Session): PlayEvent[] {
  return session.state === 'NEW' ? [{ type: 'state', from: 'NEW', state: 'RUN', at: session.takenAt }] : [];
}

/** There is something that a write would tell. */
export function hasNews(session: Session): boolean {
  if (session.results.length > 0 || session.failed.length > 0) return true;
  return Object.values(session.waits).some((wait) => !isStored(session, wait));
}

/** The same, of the present stage alone: results of earlier ones may ride on. */
export function hasNewsOfStage(session: Session): boolean {
  const stage = session.plan[position(session)]?.stage;
  const results = session.results.filter((result) => session.plan[result.position]?.stage === stage);
  return hasNews({ ...session, results });
}

/** Until it is, nobody can answer it, also where its start was told before. */
function isStored({ storedWaits }: Session, { position, kind, since }: LayerWait): boolean {
  const stored = storedWaits[position];
  return stored?.kind === kind && stored.since.getTime() === since.getTime();
}

function tellResult(session: Session, told: Told, result: LayerResult): void {
  const { position: layer, ref, state, completedAt: at } = result;
  if (state !== 'SKIP' && state !== 'FILTERED') tellStart(session, told, layer, result.startedAt);
  if (result.error)
    told.events.push({ type: 'error', layer, ref, message: result.error.message, retries: result.attempts - 1, at });
  const kv = session.kvUses[layer];
  told.events.push({ type: 'complete', layer, state, ...(kv && { kv }), at });
}

function tellFailure(session: Session, told: Told, failed: FailedCall): void {
  const { position: layer, message, attempt, since, at, kv } = failed;
  tellStart(session, told, layer, since);
  const ref = session.plan[layer]?.ref ?? '';
  told.events.push({ type: 'error', layer, ref, message, retries: attempt - 1, ...(kv && { kv }), at });
}
