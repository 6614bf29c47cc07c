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

/**
 * Whether the open play waits, itself or through plays that it waits for, for what the parent's side keeps until it has ended. The
 * plays of a loop are not looked up: a circle through one of them lasts until a time limit or a person ends it.
 */
export async function waitsForKept(open: ParentPlay, parent: Play, children: Parents): Promise<boolean> {
  const keepers: ParentPlay[] = [];
  for await (const play of waitingPlays(parent, children))
    if (play.limited || play.lane !== undefined) keepers.push(play);
  return keepers.length > 0 && waitsForOneOf(keepers, open, new TenantScope(parent.company_id), children);
}

async function waitsForOneOf(
  keepers: readonly ParentPlay[],
  play: ParentPlay,
  scope: TenantScope,
  children: Parents,
): Promise<boolean> {
  if (keepers.some((keeper) => isQueuedAfter(keeper, play))) return true;
  for (const wait of Object.values(play.waits ?? {})) {
    const child = wait.play && (await children.parent(scope, wait.play.playId));
    if (child && (await waitsForOneOf(keepers, child, scope, children))) return true;
  }
  return false;
}

/** Whether the play queues for what the keeper has: one with its turn and its place waits for neither. */
function isQueuedAfter(keeper: ParentPlay, { lane, laneQueued, limited, queued, flowId }: ParentPlay): boolean {
  if (laneQueued && keeper.lane === lane) return true;
  // what queues for its turn queues for its place afterwards
  const needsPlace = limited === true && (laneQueued ?? queued) === true;
  return needsPlace && keeper.limited === true && keeper.flowId === flowId;
}

/** The play, and those that wait for it, directly or through others. */
async function* waitingPlays(first: Play, children: Parents): AsyncGenerator<ParentPlay> {
  const scope = new TenantScope(first.company_id);
  yield first;
  // since this worker has read a retry, another play may have begun to wait for it
  let last: ParentPlay | null = first.trigger === 'retry' ? await children.parent(scope, first._id) : first;
  while (last && (last.parentPending || last.loopPending) && last.parentPlayId) {
    last = await children.parent(scope, last.parentPlayId);
    if (last) yield last;
  }
}
