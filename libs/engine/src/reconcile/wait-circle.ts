/**
 * Finds plays that wait for each other and can never go on: docs/lanes.md "Plays that start plays". A play goes on if one of those
 * that it waits for does; the plays for which no such chain ends at a play that goes on by itself are in a circle, or wait for one.
 */
import { isFinal } from '@weft/contracts';
import type { LayerWait } from '../layer-outcome.js';
import type { OpenPlay } from './reconcile.js';

/** What holds a queued play up: who has the turn of its lane, or its flow's places. */
export type QueueKey = { readonly lane: string } | { readonly flowId: string };

/** A flow's gate with the flow's limit; null: no limit. */
export interface GateState {
  readonly holders: readonly string[];
  readonly limit: number | null;
}

/** The plays of one company at one point in time. */
export interface WaitReads {
  /** Those that are stored; ended ones, too. */
  readonly plays: (ids: readonly string[]) => Promise<readonly OpenPlay[]>;
  /** Which play has the turn. */
  readonly turnHolder: (lane: string) => Promise<OpenPlay | null>;
  readonly gate: (flowId: string) => Promise<GateState>;
  /** Plays of a loop whose ends it has not stored, the last items first. */
  readonly childrenOfLoop: (playId: string, position: number, limit: number) => Promise<readonly OpenPlay[]>;
}

/** A play that waits for its turn or for room, and that is in a circle: the play that waits for it never goes on. */
export interface StuckChild {
  readonly play: OpenPlay;
  readonly queue: QueueKey;
}

/** A circle of more plays is not looked for: these count as plays that go on. */
const MAX_PLAYS = 1_000;

interface Seen {
  readonly play: OpenPlay;
  /** Where it waits for its turn or for room. */
  readonly queue: QueueKey | null;
  /** Ids of plays of which one must go on first; null: it goes on by itself. */
  readonly blockers: readonly string[] | null;
}

/**
 * Looks for a circle from one queue on.
 *
 * @returns the youngest queued play that a play of the circle waits for; null: no play waits in vain
 */
export async function findStuckChild(from: QueueKey, reads: WaitReads): Promise<StuckChild | null> {
  const search = new Search(reads);
  await search.from(from);
  const stuck = search.stuck();
  const awaited = new Set([...stuck.values()].flatMap(({ queue, blockers }) => (queue ? [] : (blockers ?? []))));
  const children = [...stuck.values()].filter(({ play }) => awaited.has(play._id));
  children.sort((a, b) => (a.play._id < b.play._id ? 1 : -1));
  // one that only waits for a circle goes on when the circle has been broken
  for (const { play, queue } of children) if (queue && isInCircle(play._id, stuck)) return { play, queue };
  return null;
}

function isInCircle(playId: string, stuck: ReadonlyMap<string, Seen>): boolean {
  const reached = new Set<string>();
  // a set gives what is added while it is iterated, too
  for (const blocker of stuck.get(playId)?.blockers ?? []) reached.add(blocker);
  for (const id of reached) for (const blocker of stuck.get(id)?.blockers ?? []) reached.add(blocker);
  return reached.has(playId);
}

class Search {
  private readonly seen = new Map<string, Seen>();

  constructor(private readonly reads: WaitReads) {}

  async from(queue: QueueKey): Promise<void> {
    let ids: readonly string[] = (await this.holdersOf(queue)) ?? [];
    while (ids.length > 0 && this.seen.size < MAX_PLAYS) {
      const next = new Set<string>();
      for (const play of await this.reads.plays(ids)) {
        const queue = queueOf(play);
        const blockers = await this.blockersOf(play, queue);
        this.seen.set(play._id, { play, queue, blockers });
        for (const blocker of blockers ?? []) next.add(blocker);
      }
      ids = [...next].filter((id) => !this.seen.has(id));
    }
  }

  /** Takes away what can go on, until nothing changes. A play that was not seen goes on. */
  stuck(): ReadonlyMap<string, Seen> {
    const left = new Map(this.seen);
    for (let before = -1; before !== left.size;) {
      before = left.size;
      for (const [id, { blockers }] of left) {
        if (!blockers?.every((blocker) => left.has(blocker))) left.delete(id);
      }
    }
    return left;
  }

  private async blockersOf(play: OpenPlay, queue: QueueKey | null): Promise<readonly string[] | null> {
    // it ends by itself if it does not begin in time
    if (play.notAfter || isFinal(play.state)) return null;
    if (!queue) return play.state === 'WAIT' ? this.awaitedBy(play) : null;
    const holders = await this.holdersOf(queue);
    // it has been let in, and is about to go on
    return holders?.includes(play._id) ? null : holders;
  }

  private async holdersOf(queue: QueueKey): Promise<readonly string[] | null> {
    if ('lane' in queue) {
      const holder = await this.reads.turnHolder(queue.lane);
      return holder && [holder._id];
    }
    const { holders, limit } = await this.reads.gate(queue.flowId);
    return limit === null || holders.length < limit ? null : holders;
  }

  /** Plays that all layers of a play wait for; null: one of them waits for something else, or is about to go on. */
  private async awaitedBy({ _id, waits = {} }: OpenPlay): Promise<readonly string[] | null> {
    const awaited: string[] = [];
    for (const wait of Object.values(waits)) {
      const ids = wait.until === null ? await this.awaitedIn(_id, wait) : null;
      if (!ids) return null;
      awaited.push(...ids);
    }
    return awaited.length === 0 ? null : awaited;
  }

  private async awaitedIn(playId: string, { kind, play, children, position }: LayerWait) {
    if (kind === 'play' && play) return [play.playId];
    if (kind !== 'children' || !children) return null;
    const items = await this.reads.childrenOfLoop(playId, position, children.open);
    const ended = items.filter(({ state }) => isFinal(state)).length;
    // it is about to be called again
    if (ended >= children.wakeAfter) return null;
    return items.filter(({ state }) => !isFinal(state)).map(({ _id }) => _id);
  }
}

function queueOf({ state, lane, laneQueued, queued, flowId }: OpenPlay): QueueKey | null {
  if (state !== 'DEFERRED') return null;
  if (laneQueued && lane !== undefined) return { lane };
  return queued ? { flowId } : null;
}
