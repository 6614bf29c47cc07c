/**
 * A play has its turns until it has ended: one that waits for a child that queues for one of them would never end.
 */
import type { RunnableFlow } from '@weft/runs';
import { laneOfQueue, queuesOf, type Play } from '@weft/engine';
import { LayerFailure } from '@weft/layers';
import { TenantScope, type ChildPlaysRepository, type ParentPlay } from '@weft/store';

type Parents = Pick<ChildPlaysRepository, 'parent'>;

/** @throws LayerFailure `waits_for_itself` when the play, or one that waits for it, keeps what the child would wait for */
export async function assertNoneWaitsFor(
  flow: RunnableFlow,
  { lane, limitKey }: Readonly<Record<'lane' | 'limitKey', string | null>>,
  parent: Play,
  children: Parents,
): Promise<void> {
  const needed = queuesOf({ flowId: flow.id, lane: lane ?? undefined, limitKey: limitKey ?? undefined });
  if (needed.length === 0) return;
  for await (const play of waitingPlays(parent, children)) {
    const own = play._id === parent._id ? 'this play' : `the play ${play._id}, which waits for this one,`;
    const kept = queuesOf(play).find((queue) => needed.includes(queue));
    if (kept === undefined) continue;
    const inLane = laneOfQueue(kept);
    const [what, otherwise] =
      inLane === null
        ? ['a turn of that flow, whose concurrency is limited,', 'without a limit']
        : [`the turn of the lane "${inLane}"`, 'in another lane'];
    const message = `${own} has ${what} until it has ended: run it with "wait": false, or ${otherwise}.`;
    throw new LayerFailure('waits_for_itself', message);
  }
}

/** The play, and those that wait for it, directly or through others. */
async function* waitingPlays(first: Play, children: Parents): AsyncGenerator<ParentPlay> {
  const scope = new TenantScope(first.company_id);
  yield first;
  let last: ParentPlay | null = first;
  while (last?.parentPending && last.parentPlayId) {
    last = await children.parent(scope, last.parentPlayId);
    if (last) yield last;
  }
}
