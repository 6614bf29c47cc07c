import type { BatchOutcome } from '@weft/concurrency';
import type { Play } from '@weft/engine';
import type { mongo } from 'mongoose';

/** What an idempotency key binds a play to. */
export type KeyOfPlay = Pick<Play, 'company_id' | 'flowId' | 'key'>;

/** What can be large, and no caller asks for. */
export const WITHOUT = {
  ...{ waits: 0, inbox: 0, doneItems: 0, 'log.message': 0 },
  ...{ 'layers.out': 0, 'layers.error': 0, 'layers.doneItems': 0 },
} as const;

/**
 * The plays that hold these keys now, without what can be large, for many callers in one round trip; null for a free key. Index `binding_key`: the
 * filter repeats that the key is a text, or the planner would not use its partial index.
 */
export async function findKeyHolders(
  plays: mongo.Collection<Play>,
  wanted: readonly KeyOfPlay[],
  signal: AbortSignal,
): Promise<BatchOutcome<Play | null>[]> {
  const byFlow = new Map<string, { company_id: string; flowId: string; keys: Set<string> }>();
  for (const { company_id, flowId, key = '' } of wanted) {
    const flow = nameOf({ company_id, flowId });
    const group = byFlow.get(flow);
    if (group) group.keys.add(key);
    else byFlow.set(flow, { company_id, flowId, keys: new Set([key]) });
  }
  const found = await plays
    .find(
      { $or: [...byFlow.values()].map(holdersOfFlow) },
      { projection: WITHOUT, batchSize: wanted.length + 1, signal },
    )
    .toArray();
  const holders = new Map(found.map((play) => [nameOf(play), play]));
  return wanted.map((one) => ({ ok: holders.get(nameOf(one)) ?? null }));
}

function holdersOfFlow({ company_id, flowId, keys }: { company_id: string; flowId: string; keys: Set<string> }) {
  return { company_id, flowId, key: { $in: [...keys], $type: 'string' } } as mongo.Filter<Play>;
}

function nameOf({ company_id, flowId, key }: KeyOfPlay): string {
  return JSON.stringify([company_id, flowId, key]);
}
