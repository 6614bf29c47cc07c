/**
 * A play of a limited flow stays admitted until it ends, and one of a lane keeps the turn: a play that waits for a child that
 * queues after it would never end.
 */
import type { RunnableFlow } from '@weft/runs';
import type { Play } from '@weft/engine';
import { LayerFailure } from '@weft/layers';
import { TenantScope, type ChildPlaysRepository, type ParentPlay } from '@weft/persistence';

type Parents = Pick<ChildPlaysRepository, 'parent'>;

/** @throws LayerFailure `waits_for_itself` when the play, or one that waits for it, keeps what the child would wait for */
export async function assertNoneWaitsFor(
  flow: RunnableFlow,
  lane: string | null,
  parent: Play,
  children: Parents,
): Promise<void> {
  const isLimited = flow.settings.concurrency !== null;
  if (!isLimited && lane === null) return;
  for await (const play of waitingPlays(parent, children)) {
    const own = play._id === parent._id ? 'this play' : `the play ${play._id}, which waits for this one,`;
    if (lane !== null && play.lane === lane) {
      const why = `${own} has the turn of the lane "${lane}" until it has ended`;
      throw new LayerFailure('waits_for_itself', `${why}: run it with "wait": false, or in another lane.`);
    }
    if (!isLimited || play.flowId !== flow.id || !play.limited) continue;
    const why = `${own} holds a place of that flow, whose concurrency is limited, until it has ended`;
    throw new LayerFailure('waits_for_itself', `${why}: run it with "wait": false, or without a limit.`);
  }
}

/** The play, and those that wait for it, directly or through others. */
async function* waitingPlays(first: Play, children: Parents): AsyncGenerator<ParentPlay> {
  const scope = new TenantScope(first.company_id);
  yield first;
  let last: ParentPlay | null = first;
  while (last && (last.parentPending || last.loopPending) && last.parentPlayId) {
    last = await children.parent(scope, last.parentPlayId);
    if (last) yield last;
  }
}
