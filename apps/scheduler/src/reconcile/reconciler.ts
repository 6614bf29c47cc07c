/**
 * Heals what crashes, lost rings and a wiped Redis leave behind: protocol §6 and §12. Walks MongoDB, not Redis; any number
 * of replicas may do it side by side, since every write is conditional on exactly what was read.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  dueWrite,
  raiseWrite,
  reapWrite,
  timeLimitWrite,
  type OpenPlay,
  type PlayWrite,
  type ProtocolTimes,
} from '@weft/engine';
import { isFinal, type FinalState, type PlayJob } from '@weft/contracts';
import { keyOf, type OpenPlaysRepository } from '@weft/persistence';
import type { Doorbell, QueueInspector } from '@weft/queue';
import type { Logger } from 'pino';
import { BeatWalk } from './beat-walk.js';
import { StoreWatch } from './store-watch.js';
import type { WindowKeeper } from './window-keeper.js';

export interface ReconcilerDeps {
  readonly plays: OpenPlaysRepository;
  readonly queue: QueueInspector;
  readonly doorbell: Doorbell;
  readonly windows: WindowKeeper;
  readonly times: ProtocolTimes;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  readonly announce: (companyId: string, playId: string, seq: number) => void;
  /** Tells the worker that executes it. */
  readonly signal: (playId: string) => void;
  readonly count: (action: string, plays: number) => void;
  /** A write of the reconciler ended it. */
  readonly onEnded: (play: OpenPlay, state: FinalState) => void;
  readonly log: Logger;
  /** This process stops: a pass ends after the page that it is at, and other replicas go on. Default: never. */
  readonly stopping?: AbortSignal;
}

/** Of the plays that one step heals. */
const TOLD_BY_NAME = 20;
const PAGE = 500;
const NOBODY: ReadonlySet<string> = new Set();
/** Everything behind the marks is looked at again that often: partial losses of Redis leave no other trace. */
const FULL_PASS_MS = 10 * 60_000;

export class Reconciler {
  private readonly unowned: BeatWalk;
  private readonly owned: BeatWalk;
  private readonly store: StoreWatch;
  private generation: string | null = null;
  private fullPassAtMs = performance.now();
  /** Owned plays that were on hold when their lease expired: looked at until they are released or end. */
  private readonly heldOwned = new Set<string>();

  constructor(private readonly deps: ReconcilerDeps) {
    this.unowned = new BeatWalk(deps.plays);
    this.owned = new BeatWalk(deps.plays);
    this.store = new StoreWatch(deps.times.renewMs);
  }

  /** Redis was reconnected: what it lost cannot be seen from its generation. */
  forgetSeen(): void {
    this.unowned.forget();
  }

  /** One pass. Rejects when a store does not answer; the next pass begins where this one was. */
  async pass(): Promise<void> {
    try {
      await this.fireDue();
      await this.endOutOfTime();
      this.store.answered(performance.now());
      await this.reapExpired();
    } catch (error) {
      this.store.failed();
      throw error;
    }
    await this.lookAtGeneration();
    await this.raiseFailed();
    await this.raiseUnowned();
    await this.raiseLost(await this.deps.windows.tend(this.silentSince()));
  }

  private async fireDue(): Promise<void> {
    for (;;) {
      const now = new Date(this.deps.serverNow());
      const due = await this.deps.plays.due(now, PAGE);
      await this.change(
        'due',
        due.map((play) => ({ play, write: dueWrite(play, now) })),
      );
      if (this.isLast(due)) return;
    }
  }

  private async endOutOfTime(): Promise<void> {
    for (;;) {
      const now = new Date(this.deps.serverNow());
      const late = await this.deps.plays.outOfTime(now, PAGE);
      const ended = await this.change(
        'time_limit',
        late.map((play) => ({ play, write: timeLimitWrite(play, now) })),
      );
      for (const playId of ended) this.deps.signal(playId);
      if (this.isLast(late)) return;
    }
  }

  private async reapExpired(): Promise<void> {
    const { times, serverNow, plays } = this.deps;
    if (this.store.steadyForMs(performance.now()) < times.leaseMs + times.renewMs) return;
    const until = new Date(serverNow() - times.leaseMs);
    const held = await plays.byIds([...this.heldOwned]);
    this.heldOwned.clear();
    await this.reap(held.filter((play) => play.beatAt !== undefined && play.beatAt <= until));
    for (;;) {
      const page = await this.owned.page(until);
      await this.reap(page);
      this.owned.seen(page);
      if (this.isLast(page)) return;
    }
  }

  private async reap(page: readonly OpenPlay[]): Promise<void> {
    const now = new Date(this.deps.serverNow());
    const owned = page.filter((play) => play.owner !== undefined);
    for (const play of owned) if (play.state === 'ON_HOLD') this.heldOwned.add(play._id);
    const expired = owned.filter((play) => play.state === 'RUN');
    await this.change(
      'reap',
      expired.map((play) => ({ play, write: reapWrite(play, now) })),
    );
  }

  private async lookAtGeneration(): Promise<void> {
    const generation = await this.deps.queue.generation();
    const slowPass = performance.now() - this.fullPassAtMs > FULL_PASS_MS;
    if (generation === this.generation && !slowPass) return;
    if (this.generation !== null && !slowPass) {
      this.deps.log.warn({ component: 'reconciler' }, 'Redis is another one or lost data: looking at all open plays');
    }
    this.generation = generation;
    this.fullPassAtMs = performance.now();
    this.unowned.forget();
    this.owned.forget();
  }

  private async raiseFailed(): Promise<void> {
    const failed = await this.deps.queue.failed(PAGE);
    if (failed.length === 0) return;
    const epochs = new Map(failed.map((job) => [job.data.playId, job.data.epoch]));
    const open = await this.deps.plays.byIds([...epochs.keys()]);
    const same = open.filter((play) => play.epoch === epochs.get(play._id) && isUnowned(play));
    await this.change(
      'give_up',
      same.map((play) => ({ play, write: raiseWrite(play) })),
    );
    await Promise.all(failed.map((job) => job.remove()));
  }

  private async raiseUnowned(): Promise<void> {
    const until = this.silentSince();
    for (;;) {
      const page = await this.unowned.page(until);
      this.store.answered(performance.now());
      await this.raiseLost(await this.deps.windows.whoseTurnItIs(page.filter(isUnowned)));
      this.unowned.seen(page);
      if (this.isLast(page)) return;
    }
  }

  private async raiseLost(plays: readonly OpenPlay[]): Promise<void> {
    const lost = await this.deps.queue.missing(plays.map(withJob));
    if (lost.length > 0) await this.lookAgain(lost.map(({ play }) => play));
  }

  /** Who nobody owns and who gave no sign of life since then is looked for in Redis. */
  private silentSince(): Date {
    return new Date(this.deps.serverNow() - this.deps.times.unownedMs);
  }

  /** The second look, `GAP` later: a ring on its way has arrived by then, and an unclaimed worker's proof is stale. */
  private async lookAgain(firstLook: readonly OpenPlay[]): Promise<void> {
    await sleep(this.deps.times.gapMs, undefined, { signal: this.deps.stopping }).catch(() => undefined);
    if (this.isStopping) return;
    const before = new Map(firstLook.map((play) => [play._id, play]));
    const now = await this.deps.plays.byIds([...before.keys()]);
    this.store.answered(performance.now());
    const unchanged = now.filter((play) => {
      const was = before.get(play._id);
      return isUnowned(play) && play.epoch === was?.epoch && play.seq === was.seq;
    });
    const lost = (await this.deps.queue.missing(unchanged.map(withJob))).map(({ play }) => play);
    const alone = await this.deps.windows.beginAnew(lost);
    await this.change(
      'raise',
      alone.map((play) => ({ play, write: raiseWrite(play) })),
    );
  }

  private isLast(page: readonly OpenPlay[]): boolean {
    return page.length < PAGE || this.isStopping;
  }

  private get isStopping(): boolean {
    return this.deps.stopping?.aborted ?? false;
  }

  /** Gives the ids of those that were written. */
  private async change(
    action: string,
    changes: readonly { play: OpenPlay; write: PlayWrite }[],
  ): Promise<ReadonlySet<string>> {
    if (changes.length === 0) return NOBODY;
    const askedAtMs = performance.now();
    const jobs = await this.deps.plays.writeAll(changes);
    const written = new Set(jobs.map((job) => job.playId));
    const ring: PlayJob[] = [];
    for (const { play, write } of changes) {
      if (!written.has(play._id)) continue;
      if (write.log.length > 0) this.deps.announce(play.company_id, play._id, write.set.seq ?? play.seq);
      if (write.set.state && isFinal(write.set.state)) this.deps.onEnded(play, write.set.state);
      else if (!write.set.queued) ring.push({ ...keyOf(play), epoch: write.set.epoch ?? play.epoch });
    }
    this.deps.count(action, written.size);
    this.tell(
      action,
      changes.map(({ play }) => play).filter(({ _id }) => written.has(_id)),
    );
    await this.deps.doorbell.ring(ring, askedAtMs);
    return written;
  }

  /** Some by name: thousands may come at once. */
  private tell(action: string, healed: readonly OpenPlay[]): void {
    if (healed.length === 0) return;
    const of = { component: 'reconciler', action };
    this.deps.log.info({ ...of, plays: healed.length }, 'healed');
    for (const { _id, company_id, flowId, requestId } of healed.slice(0, TOLD_BY_NAME)) {
      const request = requestId === undefined ? {} : { request_id: requestId };
      this.deps.log.info({ ...of, company_id, flow_id: flowId, play_id: _id, ...request }, 'healed a play');
    }
  }
}

function isUnowned(play: OpenPlay): boolean {
  return play.owner === undefined && (play.state === 'NEW' || play.state === 'RUN');
}

function withJob(play: OpenPlay) {
  return { playId: play._id, epoch: play.epoch, play };
}
