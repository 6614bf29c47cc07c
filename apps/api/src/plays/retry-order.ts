import type { Play } from '@weft/engine';

type FailedPlay = Pick<Play, '_id' | 'flowId' | 'chain' | 'parent'>;

/**
 * Children before their parents: the layer of a parent's retry waits for a retry of its child, and would make one if it found
 * no such retry. A child was first asked for after its parent was, however often each of them was retried since, and ids are times.
 *
 * @param parentFlows of plays that were retried first, by id, the flow of the play that started them: users' retries name no parent
 * @returns groups without a child and its parent in the same one
 */
export function childrenFirst<P extends FailedPlay>(
  plays: readonly P[],
  parentFlows: ReadonlyMap<string, string>,
): P[][] {
  const groups: P[][] = [];
  let mayBeParents = new Set<string>();
  for (const play of plays.toSorted((a, b) => (firstOf(a) < firstOf(b) ? 1 : -1))) {
    if (groups.length === 0 || mayBeParents.has(play.flowId)) {
      groups.push([]);
      mayBeParents = new Set();
    }
    groups.at(-1)?.push(play);
    const flowId = play.parent?.flowId ?? parentFlows.get(firstOf(play));
    if (flowId !== undefined) mayBeParents.add(flowId);
  }
  return groups;
}

/** @param firsts by id, the play that its chain of retries began with; plays that are not stored have none */
export function newestFirst(ids: readonly string[], firsts: ReadonlyMap<string, string>): string[] {
  const firstBy = (id: string): string => firsts.get(id) ?? id;
  return ids.toSorted((a, b) => (firstBy(a) < firstBy(b) ? 1 : firstBy(a) > firstBy(b) ? -1 : 0));
}

export function firstOf({ _id, chain }: Pick<Play, '_id' | 'chain'>): string {
  return chain?.first ?? _id;
}
