import { FINAL_STATES } from '@weft/contracts';
import type { Play } from '@weft/engine';
import type { ClientSession, mongo } from 'mongoose';
import { FLOWS, type FlowDocument } from '../flows/flow.schema.js';
import { AT_STOPPED_LANE, PLAYS } from '@weft/store';
import { MAYBE_AWAITED_FIELDS, type MaybeAwaited } from './awaited-plays.js';
import type { SweepContext } from './sweep.js';

/** What of a play is read to delete it. */
export type DuePlay = MaybeAwaited & Pick<Play, 'flowId' | 'createdAt' | 'completedAt'>;
export const DUE_PLAY = { ...MAYBE_AWAITED_FIELDS, flowId: 1, createdAt: 1, completedAt: 1 } as const;

/** Ended before that time, and so nothing but retention writes it any more. */
export function endedBefore(cutoff: Date): mongo.Filter<Play> {
  return { state: { $in: [...FINAL_STATES] }, completedAt: { $lt: cutoff }, $nor: [AT_STOPPED_LANE] };
}

/**
 * Deletes those of these plays that still are as they were found, in one transaction with their count. Their payloads are let
 * go, and their flows remember when they last ran: `flows.all` counts from there.
 *
 * @returns how many went
 */
export async function deletePlays(
  { mongo, company, states, payloads }: SweepContext,
  plays: readonly DuePlay[],
  still: mongo.Filter<Play>,
): Promise<number> {
  const ids = plays.map(({ _id }) => _id);
  if (ids.length === 0) return 0;
  return mongo.transaction(async (session) => {
    const { deletedCount } = await mongo
      .collection<Play>(PLAYS)
      .deleteMany({ ...still, _id: { $in: ids }, company_id: company.companyId }, { session });
    if (deletedCount === 0) return 0;
    // one that is no longer as it was found stays, and so do its payloads
    const left = deletedCount === ids.length ? [] : await leftOf(mongo.collection<Play>(PLAYS), ids, session);
    const gone = left.length === 0 ? ids : ids.filter((id) => !left.includes(id));
    await payloads.letGo(company, gone, session);
    await rememberRuns(mongo.collection<FlowDocument>(FLOWS), company.companyId, plays, session);
    await states.count(session, company, 'plays', deletedCount);
    return deletedCount;
  });
}

async function leftOf(
  plays: mongo.Collection<Play>,
  ids: readonly string[],
  session: ClientSession,
): Promise<readonly string[]> {
  const left = await plays.find({ _id: { $in: [...ids] } }, { session, projection: { _id: 1 } }).toArray();
  return left.map(({ _id }) => _id);
}

async function rememberRuns(
  flows: mongo.Collection<FlowDocument>,
  company_id: string,
  plays: readonly DuePlay[],
  session: ClientSession,
): Promise<void> {
  const lastRuns = new Map<string, Date>();
  for (const { flowId, createdAt } of plays) {
    const known = lastRuns.get(flowId);
    if (!known || known < createdAt) lastRuns.set(flowId, createdAt);
  }
  await flows.bulkWrite(
    [...lastRuns].map(([_id, lastRunAt]) => ({
      updateOne: { filter: { _id, company_id }, update: { $max: { lastRunAt } } },
    })),
    { session, ordered: false },
  );
}
