import { CoalescingRunner } from '@weft/concurrency';
import { isFinal, type PlayJob } from '@weft/contracts';
import {
  freeSlots,
  joinWrite,
  isLaneQueue,
  laneQueue,
  leaveWrite,
  queueOfTurn,
  queuesOf,
  slotsIn,
  turnOf,
  turnsWrite,
  type OpenPlay,
  type PlayWrite,
} from '@weft/engine';
import {
  turnTaken,
  type FailedWrite,
  type OpenPlayChange,
  type OpenPlaysRepository,
  type QueueKey,
  type TurnRepository,
} from '@weft/store';
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Doorbell } from '../handout/doorbell.js';
import type { WindowSizeOf } from '../window/admission-window.js';
import type { WindowRoom } from '../window/window-room.js';

export interface TurnKeeperDeps {
  readonly turns: Pick<TurnRepository, 'countTurns' | 'slots' | 'next' | 'laneHolder' | 'waitingRetryOf' | 'passOn'>;
  readonly plays: Pick<OpenPlaysRepository, 'writeEach'>;
  readonly doorbell: Pick<Doorbell, 'ring'>;
  readonly windowRoom: Pick<WindowRoom, 'take' | 'giveBack'>;
  /** How many plays of the flow of a queue may run at once; null: any number. */
  readonly flowLimit: (key: QueueKey) => Promise<number | null>;
  /** No more plays of a queue have turns than a company may have rung for, whatever the limit. */
  readonly windowSize: WindowSizeOf;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  /** Publishes what a write added to a play's journal. */
  readonly announce: (play: OpenPlay, write: PlayWrite) => void;
}

/** Handles plays whose turns could not be written. Throws: not now. */
type HandleRefused = (failed: readonly FailedWrite[]) => void | Promise<void>;

/** Leaves such plays to the scheduler, which looks at every queue. */
function leaveToScheduler(failed: readonly FailedWrite[]): void {
  for (const { error } of failed) throw error;
}

/** The most plays of one pass. */
const PAGE = 100;
/** After this many lost attempts, a queue is left to the processes that keep changing it. */
const ATTEMPTS = 20;
/** Who lost an attempt pauses for up to 2 to the power of this, in ms, so that many that lost do not all try again at once. */
const LONGEST_PAUSE = 6;

/** `again`: what was read is not so any more · `more`: there may be more plays, and more free turns. */
type Outcome = 'done' | 'more' | 'again';

/** A play with the turns that it is to get. */
interface Offer {
  readonly play: OpenPlay;
  readonly turns: readonly string[];
}

/**
 * Gives turns to the plays that wait in a queue, in its order. Any number of keepers may do so in parallel: one write gives a play all
 * turns that it needs, and is refused where another play has one of them (ADR 98). A keeper that dies after the write leaves a play for
 * which the reconciler rings.
 */
export class TurnKeeper {
  private readonly passes = new CoalescingRunner<string, readonly number[]>((earlier, later) => [...earlier, ...later]);
  private handleRefused: HandleRefused = leaveToScheduler;

  constructor(private readonly deps: TurnKeeperDeps) {}

  /** Sets what handles plays whose turns could not be written. Default: they are left to the scheduler. */
  onRefused(handle: HandleRefused): void {
    this.handleRefused = handle;
  }

  /**
   * Lets the queue go on if it can. Called after a play has joined it, and after one that had a turn of it has ended. Does nothing while
   * all turns are given, or the lane has stopped.
   *
   * @param freed numbers of turns that are free since, as far as the caller knows
   */
  async goOn(key: QueueKey, freed: readonly number[] = []): Promise<void> {
    await this.passes.run(`${key.companyId} ${key.queue}`, freed, async (slots) => {
      let known = slots;
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const outcome = await (isLaneQueue(key.queue) ? this.passLane(key) : this.passFlow(key, known));
        if (outcome === 'done') return;
        known = [];
        if (outcome === 'again') await sleep(randomInt(2 ** Math.min(attempt + 1, LONGEST_PAUSE)));
      }
    });
  }

  /** The same after a play has ended, for the queues of its turns, and for those in which it waited. */
  async ended({
    company_id,
    turns = [],
    queues = [],
  }: Pick<OpenPlay, 'company_id' | 'turns' | 'queues'>): Promise<void> {
    const all = new Set([...turns.map(queueOfTurn), ...queues]);
    await Promise.all([...all].map((queue) => this.goOn({ companyId: company_id, queue }, slotsIn(turns, queue))));
  }

  /** The next play of a lane gets its turn, or joins the queue of its flow. A stopped lane waits for a retry of the play at which it is. */
  private async passLane(key: QueueKey): Promise<Outcome> {
    const { turns } = this.deps;
    const holder = await turns.laneHolder(key);
    if (holder && !isFinal(holder.state)) return 'done';
    const next = holder ? await turns.waitingRetryOf(key, holder) : (await turns.next(key, 1))[0];
    if (!next) return 'done';
    const last = queuesOf(next).at(-1);
    if (last === undefined || last === key.queue) return this.give([{ play: next, turns: [turnOf(key.queue, 0)] }]);
    if (!next.queues?.includes(last) && !(await this.write([{ play: next, write: joinWrite(next) }]))) return 'again';
    await this.goOn({ companyId: key.companyId, queue: last });
    return 'done';
  }

  private async passFlow(key: QueueKey, freed: readonly number[]): Promise<Outcome> {
    const { turns, flowLimit, windowSize } = this.deps;
    const most = windowSize(key.companyId);
    const [ofFlow, given] = await Promise.all([flowLimit(key), turns.countTurns(key, most)]);
    const limit = Math.min(ofFlow ?? Number.POSITIVE_INFINITY, most);
    const room = Math.min(limit - given, PAGE);
    if (room <= 0) return 'done';
    const first = await turns.next(key, room);
    if (first.length === 0) return 'done';
    const known = freed.filter((slot) => slot < limit);
    const free = known.length > 0 ? known : freeSlots(limit, await turns.slots(key));
    // as many as it knows turns for: other keepers give the others to the rest, and would mostly be refused for the same plays
    const next = some(first, free.length);
    const offers = next.flatMap((play, i): Offer[] => {
      const slot = free[i];
      const others = queuesOf(play).filter((queue) => queue !== key.queue);
      return slot === undefined
        ? []
        : [{ play, turns: [...others.map((queue) => turnOf(queue, 0)), turnOf(key.queue, slot)] }];
    });
    const outcome = await this.give(offers);
    return outcome === 'done' && next.length === PAGE ? 'more' : outcome;
  }

  /** Writes each offer by itself, and rings for those that got their turns. */
  private async give(offers: readonly Offer[]): Promise<Outcome> {
    const first = offers[0];
    if (!first) return 'again';
    const { plays, windowRoom, doorbell, serverNow, announce } = this.deps;
    const companyId = first.play.company_id;
    const askedAtMs = performance.now();
    const at = new Date(serverNow());
    // a play that finds no room in the company's window is due, and continues when there is room
    const taken = await windowRoom.take(
      companyId,
      offers.map(({ play }) => play._id),
    );
    const changes = offers.map(({ play, turns }) => ({
      play,
      write: turnsWrite(play, turns, at, taken.ids.has(play._id)),
    }));
    const jobs: PlayJob[] = [];
    const failed: FailedWrite[] = [];
    try {
      const outcome = await plays.writeEach(changes);
      jobs.push(...outcome.written);
      failed.push(...outcome.failed);
      for (const refused of failed.filter(isOfLane)) jobs.push(...(await this.afterLaneRefused(refused)));
    } finally {
      windowRoom.giveBack(companyId, taken, new Set(jobs.map(({ playId }) => playId)));
    }
    const written = new Set(jobs.map(({ playId }) => playId));
    for (const { play, write } of changes) if (written.has(play._id)) announce(play, write);
    await doorbell.ring(
      jobs.filter(({ playId }) => taken.ids.has(playId)),
      askedAtMs,
    );
    const faults = failed.filter(({ error }) => turnTaken(error) === null);
    if (faults.length > 0) await this.handleRefused(faults);
    return jobs.length === offers.length ? 'done' : 'again';
  }

  /** Another play has the turn of the lane: the failed play that this one retries, or one that came before it meanwhile. */
  private async afterLaneRefused({ play, write }: FailedWrite): Promise<readonly PlayJob[]> {
    const { turns } = this.deps;
    const holder = await turns.laneHolder(keyOfLane(play));
    const retry = holder && isFinal(holder.state) ? await turns.waitingRetryOf(keyOfLane(play), holder) : null;
    if (holder && retry?._id === play._id) {
      const job = await turns.passOn(holder, play, write).catch((error: unknown) => {
        if (turnTaken(error) === null) throw error;
        return null;
      });
      return job ? [job] : [];
    }
    if ((play.queues?.length ?? 0) > 1) await this.write([{ play, write: leaveWrite(play) }]);
    return [];
  }

  /** False: one of the plays has changed since it was read. */
  private async write(changes: readonly OpenPlayChange[]): Promise<boolean> {
    const { written, failed } = await this.deps.plays.writeEach(changes);
    if (failed.length > 0) await this.handleRefused(failed);
    return written.length === changes.length;
  }
}

function keyOfLane({ company_id: companyId, lane = '' }: OpenPlay): QueueKey {
  return { companyId, queue: laneQueue(lane) };
}

/** Some of them, in their order. */
function some<T>(all: readonly T[], count: number): readonly T[] {
  if (count >= all.length) return all;
  const chosen = new Set<number>();
  while (chosen.size < count) chosen.add(randomInt(all.length));
  return all.filter((_one, i) => chosen.has(i));
}

function isOfLane({ error }: FailedWrite): boolean {
  return isLaneQueue(queueOfTurn(turnTaken(error) ?? ''));
}
