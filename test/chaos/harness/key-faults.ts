import type { Play } from '@weft/engine';

/** Keys that several plays have, or that have another play than the answers named: docs/reliability.md I12. Empty: none. */
export function keyFaults(
  plays: readonly Pick<Play, '_id' | 'flowId' | 'idempotencyKey'>[],
  accepted: ReadonlyMap<string, string>,
): string[] {
  const faults: string[] = [];
  const byKey = new Map<string, string>();
  for (const { _id, flowId, idempotencyKey } of plays) {
    if (idempotencyKey === undefined) continue;
    const other = byKey.get(`${flowId} ${idempotencyKey}`);
    if (other !== undefined) faults.push(`${idempotencyKey}: has the plays ${other} and ${_id}`);
    byKey.set(`${flowId} ${idempotencyKey}`, _id);
    const named = accepted.get(idempotencyKey);
    if (named !== undefined && named !== _id)
      faults.push(`${idempotencyKey}: its answer named ${named}, stored is ${_id}`);
  }
  return faults;
}
