import { waitFor } from '@weft/testing';
import { callFaults } from './call-faults.js';
import type { WatchedFleet } from './cluster.js';

import { playFaults } from './play-faults.js';
import { historyFaults, playHistory, writesOf } from './play-history.js';

/** What is looked at. */
export type Watched = Pick<WatchedFleet, 'plays' | 'since' | 'queueEmpty' | 'ledger'>;

export interface Aftermath {
  /** Every play that was answered 2xx. */
  readonly accepted: readonly string[];
  /** Requests without an answer: each may or may not have created a play. */
  readonly unanswered?: number;
  /** Plays among these that must have FAILed; all others must be DONE. */
  readonly failed?: readonly string[];
  /** How often a worker was killed or frozen past its lease. */
  readonly crashes?: number;
  /** By how much stored times may differ from this machine's: more if clocks were changed. */
  readonly clockErrorMs?: number;
  /** Until the last play must have ended, from now. */
  readonly withinMs?: number;
}

const ONLY_ID = { projection: { _id: 1 } };

/**
 * Waits until every accepted play has ended and the queue is empty, then checks everything that the cluster did: documents, their
 * history, and the calls to the outside. Empty: nothing was lost, duplicated, or out of order.
 */
export async function faultsAfter(
  cluster: Watched,
  { accepted, failed = [], unanswered = 0, crashes = 0, clockErrorMs, withinMs = 90_000 }: Aftermath,
): Promise<string[]> {
  const until = Date.now() + withinMs;
  const allEnded = async () => (await cluster.plays.findOne({ completedAt: { $exists: false } }, ONLY_ID)) === null;
  const stuck: string[] = [];
  const note = (error: unknown) => stuck.push((error as Error).message);
  await waitFor(allEnded, { what: 'all plays to end', withinMs }).catch(note);
  await cluster.queueEmpty(Math.max(1_000, until - Date.now())).catch(note);

  const plays = await cluster.plays.find().toArray();
  const known = new Set(plays.map(({ _id }) => _id));
  const wanted = (id: string) => (failed.includes(id) ? 'FAIL' : 'DONE');
  const wrong = plays
    .filter(({ _id, state }) => state !== wanted(_id))
    .map(({ _id, state, error }) => `${_id}: is ${state} (${error?.code} at ${error?.ref}), not ${wanted(_id)}`);
  const lost = accepted.filter((id) => !known.has(id)).map((id) => `${id}: was accepted and is not there`);
  const history = await playHistory(cluster.plays, cluster.since);
  const surplus = known.size - new Set(accepted).size;
  return [
    ...stuck,
    ...lost,
    ...wrong,
    ...(surplus > unanswered ? [`${surplus} plays that nobody was answered, ${unanswered} unanswered requests`] : []),
    ...plays.flatMap((play) => playFaults(play, clockErrorMs)),
    ...historyFaults(history),
    // what happened to a play says why it was called
    ...callFaults(plays, cluster.ledger.calls, crashes, clockErrorMs).map(
      (fault) => `${fault}${writesOf(history, /^[^.:]+/.exec(fault)?.[0] ?? '')}`,
    ),
  ];
}
