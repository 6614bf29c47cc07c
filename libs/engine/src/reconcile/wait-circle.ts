/**
 * Finds plays that wait for each other and can never go on: docs/lanes.md "Plays that start plays", ADR 109.
 */
import { isFinal } from '@weft/contracts';
import type { LayerWait } from '../layer-outcome.js';
import type { OpenPlay } from './reconcile.js';
import { innermostCircle, stuckIn } from './wait-graph.js';

/** What holds a queued play up: which play has the turn of its lane, or which ones have its flow's places. */
export type QueueKey = { readonly lane: string } | { readonly flowId: string };

/** What a search reads of a play: of what its layers wait for, only that which leads to other plays. */
export type SearchedPlay = Omit<OpenPlay, 'waits'> & { readonly waits?: Readonly<Record<string, SearchedWait>> };
export type SearchedWait = Pick<LayerWait, 'position' | 'kind' | 'until' | 'play' | 'children'>;

/** A flow's gate, and how many plays it admits at once. */
export interface GateState {
  readonly holders: readonly string[];
  readonly limit: number;
}

/** The plays of one company at one point in time. */
export interface WaitReads {
  /** Those that are stored; ended ones, too. */
  readonly plays: (ids: readonly string[]) => Promise<readonly SearchedPlay[]>;
  /** Which play has the turn. */
  readonly turnHolder: (lane: string) => Promise<Pick<OpenPlay, '_id'> | null>;
  readonly gate: (flowId: string) => Promise<GateState>;
  /** Plays of a loop whose ends it has not stored, the last items first. */
  readonly childrenOfLoop: (
    playId: string,
    position: number,
    limit: number,
  ) => Promise<readonly Pick<OpenPlay, '_id' | 'state'>[]>;
  /** The search has come by this queue, too, and somebody in front of it goes on: at this time nothing is to be found from there. */
  readonly goesOn?: (queue: QueueKey) => void;
}

/** A play that waits for its turn or for room, and that is in a circle: the play that waits for it never goes on. */
export interface StuckChild {
  readonly play: Omit<OpenPlay, 'waits'>;
  readonly queue: QueueKey;
}

/** A circle of more plays is not looked for: these count as plays that go on. */
const MAX_PLAYS = 1_000;
/** Plays of one read: most searches end with the first play that goes on. */
const PAGE = 100;

interface Waiting {
  readonly play: SearchedPlay;
  /** Where it waits for its turn or for room. */
  readonly queue: QueueKey | null;
}

/**
 * Looks for a circle from one queue on.
 *
 * @returns what is to be ended so that the circle is broken: the youngest queued play that a layer waits for; in a circle where only
 * loops wait, all queued plays of the youngest play that has such a loop. Empty: no play waits in vain
 */
export async function findStuckChildren(from: QueueKey, reads: WaitReads): Promise<readonly StuckChild[]> {
  const search = new Search(reads);
  const circle = await search.circle(from);
  search.tellWhatGoesOn();
  const parents = circle.filter(({ queue }) => !queue);
  const queued = circle.flatMap(({ play, queue }) => (queue ? [{ play, queue }] : []));
  const singles = new Set(parents.flatMap(({ play }) => playsAwaitedBy(play)));
  const single = queued.find(({ play }) => singles.has(play._id));
  if (single) return [single];
  // a loop goes on when half of its plays have ended, or all: one of them does not suffice
  for (const parent of parents) {
    const items = queued.filter(({ play }) => search.isBlocker(play, parent.play));
    if (items.length > 0) return items;
  }
  return [];
}

class Search {
  private readonly seen = new Map<string, Waiting>();
  private readonly blockers = new Map<string, readonly string[] | null | undefined>();
  private readonly holders = new Map<string, Promise<readonly string[] | null>>();
  private readonly queues: { readonly queue: QueueKey; readonly holders: readonly string[] | null }[] = [];

  constructor(private readonly reads: WaitReads) {}

  isBlocker(play: SearchedPlay, of: SearchedPlay): boolean {
    return this.blockers.get(of._id)?.includes(play._id) ?? false;
  }

  tellWhatGoesOn(): void {
    const stuck = stuckIn(this.blockers);
    for (const { queue, holders } of this.queues)
      if (!holders?.every((id) => stuck.has(id))) this.reads.goesOn?.(queue);
  }

  /** The youngest first. */
  async circle(from: QueueKey): Promise<readonly Waiting[]> {
    const first = await this.holdersOf(from);
    if (!first) return [];
    let unread = new Set(first);
    while (unread.size > 0) {
      if (this.seen.size + unread.size > MAX_PLAYS) return [];
      for (const id of unread) this.blockers.set(id, undefined);
      for (let page = [...unread]; page.length > 0; page = page.slice(PAGE)) {
        await this.read(page.slice(0, PAGE));
        const stuck = stuckIn(this.blockers);
        // nobody waits in this queue for ever
        if (!first.every((id) => stuck.has(id))) return [];
      }
      unread = await this.follow(stuckIn(this.blockers));
    }
    return innermostCircle(this.blockers, stuckIn(this.blockers))
      .flatMap((id) => this.seen.get(id) ?? [])
      .sort((a, b) => (a.play._id < b.play._id ? 1 : -1));
  }

  private async read(ids: readonly string[]): Promise<void> {
    for (const play of await this.reads.plays(ids)) this.add(play);
    // a play that is not stored any more holds nothing up
    for (const id of ids) if (!this.seen.has(id)) this.blockers.set(id, null);
  }

  private add(play: SearchedPlay): void {
    const queue = queueOf(play);
    this.seen.set(play._id, { play, queue });
    // what has an end of its own is left to that
    const mayBeStuck = !play.notAfter && (queue !== null || play.state === 'WAIT');
    this.blockers.set(play._id, mayBeStuck ? undefined : null);
  }

  /** @returns ids of blockers that were not read yet */
  private async follow(stuck: ReadonlySet<string>): Promise<Set<string>> {
    const unread = new Set<string>();
    for (const id of stuck) {
      const waiting = this.seen.get(id);
      if (!waiting || this.blockers.get(id) !== undefined) continue;
      const blockers = await this.blockersOf(waiting);
      this.blockers.set(id, blockers);
      for (const blocker of blockers ?? []) if (!this.seen.has(blocker)) unread.add(blocker);
      if (this.seen.size + unread.size > MAX_PLAYS) break;
    }
    return unread;
  }

  private async blockersOf({ play, queue }: Waiting): Promise<readonly string[] | null> {
    if (!queue) return this.awaitedBy(play);
    const holders = await this.holdersOf(queue);
    // it has been let in, and is about to go on
    return holders?.includes(play._id) ? null : holders;
  }

  /** Read once: many plays may wait in one queue. */
  private holdersOf(queue: QueueKey): Promise<readonly string[] | null> {
    const key = 'lane' in queue ? `lane ${queue.lane}` : `flow ${queue.flowId}`;
    const known = this.holders.get(key) ?? this.readHolders(queue);
    this.holders.set(key, known);
    return known;
  }

  private async readHolders(queue: QueueKey): Promise<readonly string[] | null> {
    const holders = 'lane' in queue ? await this.turnHolder(queue.lane) : await this.placeHolders(queue.flowId);
    this.queues.push({ queue, holders });
    return holders;
  }

  private async turnHolder(lane: string): Promise<readonly string[] | null> {
    const holder = await this.reads.turnHolder(lane);
    return holder && [holder._id];
  }

  private async placeHolders(flowId: string): Promise<readonly string[] | null> {
    const { holders, limit } = await this.reads.gate(flowId);
    return holders.length < limit ? null : holders;
  }

  /** Plays that all layers of a play wait for; null: one of them waits for something else, or is about to go on. */
  private async awaitedBy({ _id, waits = {} }: SearchedPlay): Promise<readonly string[] | null> {
    const awaited: string[] = [];
    for (const wait of Object.values(waits)) {
      const ids = wait.until === null ? await this.awaitedIn(_id, wait) : null;
      if (!ids) return null;
      awaited.push(...ids);
    }
    return awaited.length === 0 ? null : awaited;
  }

  private async awaitedIn(playId: string, { kind, play, children, position }: SearchedWait) {
    if (kind === 'play' && play) return [play.playId];
    if (kind !== 'children' || !children) return null;
    const items = await this.reads.childrenOfLoop(playId, position, children.open);
    const ended = items.filter(({ state }) => isFinal(state)).length;
    // it is about to be called again; too few plays are left after a crash, and then one end suffices
    if (ended >= (items.length < children.wakeAfter ? 1 : children.wakeAfter)) return null;
    return items.filter(({ state }) => !isFinal(state)).map(({ _id }) => _id);
  }
}

function playsAwaitedBy({ waits = {} }: SearchedPlay): readonly string[] {
  return Object.values(waits).flatMap(({ kind, play }) => (kind === 'play' && play ? [play.playId] : []));
}

function queueOf({ state, lane, laneQueued, queued, flowId }: SearchedPlay): QueueKey | null {
  if (state !== 'DEFERRED') return null;
  if (laneQueued && lane !== undefined) return { lane };
  return queued ? { flowId } : null;
}
