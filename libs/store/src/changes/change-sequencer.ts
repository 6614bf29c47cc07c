import { FreshFlight } from '@weft/concurrency';
import { LRUCache } from 'lru-cache';
import { Mongo } from '../driver/mongo.js';
import type { TenantScope } from '../scope.js';
import type { ChangeBatchDocument, PlayChangeRange } from './change-batch.schema.js';
import { ChangeFeedsRepository } from './change-feeds.repository.js';
import { ChangeLog, positionsIn } from './change-log.js';
import { ChangedPlays, type ChangedPlay } from './changed-plays.js';

/** Batches of the first walk, over what was stored before the log existed, have numbers below it; all others from it on. */
export const FIRST_LIVE = 1_000_000_000;

/** For as long callers wait for a pass, which goes on without them: a first walk lasts minutes. What is in the log meanwhile is read. */
export const PASS_WITHIN_MS = 2_000;

const PAGE = 500;
/** A write that is acknowledged may become readable this long after the time that it has stored. */
const MARGIN_MS = 5_000;
/**
 * Now and then a scan looks back further: a new primary may have a clock that is behind, processes follow such a step within
 * 16 s, and a write may be on its way for long.
 */
const DEEP = { everyMs: 30_000, youngMs: 60_000, lateMs: 600_000 };
/** Of the walk that goes on for ever over all kept plays, the pages between two deep scans. */
const WALK_PAGES = 20;
const REMEMBER_EVERY_MS = 5_000;
/** What a process knows of a log is read again after this time without a pass. */
const FORGET_AFTER_MS = 30_000;
const MAX_COMPANIES = 500;
const MAX_POSITIONS = 50_000;
const ATTEMPTS = 20;

/** What this process knows of one company's log. */
interface Known {
  /** Number of the last batch. */
  last: number;
  complete: boolean;
  scannedTo: number;
  walkedTo: string;
  readonly positions: LRUCache<string, number>;
  deepAt: number;
  rememberedAt: number;
  usedAt: number;
}

/**
 * Gives the changes of a company's plays their order: ADR 66. It finds plays with entries that are not in the log yet, and appends
 * which entries of which play are new. Any number of processes may do so for the same company: the number of a batch is its
 * fence. What a scan does not find (clocks went back, a write was late), a deeper scan or the walk finds later: an entry
 * may come late into the log, never twice, and never before an earlier one of its play.
 */
export class ChangeSequencer {
  private readonly feeds: ChangeFeedsRepository;
  private readonly log: ChangeLog;
  private readonly changed: ChangedPlays;
  private readonly companies = new LRUCache<string, Known>({ max: MAX_COMPANIES });
  private readonly passes = new FreshFlight<string>();
  private stopping = false;

  constructor(private readonly mongo: Mongo) {
    this.feeds = new ChangeFeedsRepository(mongo);
    this.log = new ChangeLog(mongo);
    this.changed = new ChangedPlays(mongo);
  }

  /**
   * Appends what the log of the company lacks. The company must have a feed. One pass over a company is made at a
   * time, and what was stored when the caller asked is in the log when its pass has ended.
   *
   * @throws the error of MongoDB: the next pass goes on
   */
  pass(scope: TenantScope): Promise<void> {
    return this.passes.run(scope.companyId, () => this.passOnce(scope));
  }

  /** Passes in progress end after their page. */
  stop(): void {
    this.stopping = true;
  }

  private async passOnce(scope: TenantScope): Promise<void> {
    const known = await this.known(scope);
    try {
      if (!known.complete) await this.firstWalk(scope, known);
      if (known.complete) await this.scan(scope, known);
      known.usedAt = performance.now();
    } catch (error) {
      this.companies.delete(scope.companyId);
      throw error;
    }
  }

  private async known(scope: TenantScope): Promise<Known> {
    const found = this.companies.get(scope.companyId);
    if (found && performance.now() - found.usedAt < FORGET_AFTER_MS) return found;
    const feed = await this.feeds.find(scope);
    if (!feed) throw new Error(`company ${scope.companyId} has no change feed`);
    const last = (await this.log.bounds(scope))?.last ?? 0;
    const known: Known = {
      last,
      complete: feed.complete || last >= FIRST_LIVE,
      scannedTo: feed.scannedTo.getTime(),
      walkedTo: feed.walkedTo,
      positions: new LRUCache({ max: MAX_POSITIONS }),
      deepAt: Number.NEGATIVE_INFINITY,
      rememberedAt: performance.now(),
      usedAt: performance.now(),
    };
    this.companies.set(scope.companyId, known);
    return known;
  }

  /** Over everything that was stored before the log existed. An empty batch ends it, which no other process can miss. */
  private async firstWalk(scope: TenantScope, known: Known): Promise<void> {
    while (!this.stopping && !known.complete) {
      const page = await this.changed.after(scope, known.walkedTo, PAGE);
      await this.append(scope, known, page);
      known.walkedTo = page.at(-1)?._id ?? known.walkedTo;
      if (page.length === PAGE) await this.rememberNowAndThen(scope, known);
      else if (await this.endFirstWalk(scope, known)) break;
    }
    if (!known.complete) return;
    known.walkedTo = '';
    await this.feeds.remember(scope, { complete: true, walkedTo: '' });
  }

  private async endFirstWalk(scope: TenantScope, known: Known): Promise<boolean> {
    await this.readOthers(scope, known);
    if (known.complete) return true;
    const n = known.last + 1;
    if (await this.log.append(scope, { n, at: this.now(), plays: [] })) {
      known.last = n;
      known.complete = true;
    } else await this.readOthers(scope, known);
    return known.complete;
  }

  private async scan(scope: TenantScope, known: Known): Promise<void> {
    const at = this.mongo.serverNow();
    const from = Math.min(known.scannedTo, at);
    const isDeep = performance.now() - known.deepAt >= DEEP.everyMs;
    const range = isDeep
      ? { youngMs: from - DEEP.youngMs, lateMs: from - DEEP.lateMs }
      : { youngMs: from - MARGIN_MS, lateMs: from - MARGIN_MS };
    for await (const page of this.changed.since(scope, range, PAGE)) {
      if (this.stopping) return;
      await this.append(scope, known, page);
    }
    known.scannedTo = at;
    if (isDeep) {
      known.deepAt = performance.now();
      await this.walkOn(scope, known);
    }
    await this.rememberNowAndThen(scope, known);
  }

  /** Round and round over all kept plays, whatever any clock said. */
  private async walkOn(scope: TenantScope, known: Known): Promise<void> {
    for (let i = 0; i < WALK_PAGES && !this.stopping; i += 1) {
      const page = await this.changed.after(scope, known.walkedTo, PAGE);
      await this.append(scope, known, page);
      known.walkedTo = page.length === PAGE ? (page.at(-1)?._id ?? '') : '';
      if (known.walkedTo === '') return;
    }
  }

  private async append(scope: TenantScope, known: Known, plays: readonly ChangedPlay[]): Promise<void> {
    if ((await this.newsOf(scope, known, plays)).length === 0) return;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      // first: a number that was used may be free again, when its batch was trimmed
      await this.readOthers(scope, known);
      const news = await this.newsOf(scope, known, plays);
      if (news.length === 0) return;
      const n = known.complete ? Math.max(known.last + 1, FIRST_LIVE) : known.last + 1;
      if (await this.log.append(scope, { n, at: this.now(), plays: news })) {
        this.take(known, { n, plays: news });
        return;
      }
    }
    throw new Error(`the change log of company ${scope.companyId} is written by others all the time`);
  }

  private async newsOf(scope: TenantScope, known: Known, plays: readonly ChangedPlay[]): Promise<PlayChangeRange[]> {
    const unknown = plays.filter(({ _id }) => !known.positions.has(_id)).map(({ _id }) => _id);
    const stored = await this.log.positions(scope, unknown);
    for (const playId of unknown) known.positions.set(playId, stored.get(playId) ?? 0);
    const news = new Map<string, PlayChangeRange>();
    for (const { _id: playId, flowId, seq } of plays) {
      const from = known.positions.get(playId) ?? 0;
      if (seq > Math.max(from, news.get(playId)?.to ?? 0)) news.set(playId, { playId, flowId, from, to: seq });
    }
    return [...news.values()];
  }

  /** What other processes have appended. */
  private async readOthers(scope: TenantScope, known: Known): Promise<void> {
    for (;;) {
      const batches = await this.log.read(scope, known.last + 1, 50);
      for (const batch of batches) this.take(known, batch);
      if (batches.length < 50) return;
    }
  }

  private take(known: Known, { n, plays }: Pick<ChangeBatchDocument, 'n' | 'plays'>): void {
    known.last = n;
    if (plays.length === 0 || n >= FIRST_LIVE) known.complete = true;
    for (const [playId, to] of positionsIn(plays)) known.positions.set(playId, to);
  }

  private async rememberNowAndThen(scope: TenantScope, known: Known): Promise<void> {
    if (performance.now() - known.rememberedAt < REMEMBER_EVERY_MS) return;
    known.rememberedAt = performance.now();
    const { walkedTo, complete } = known;
    await this.feeds.remember(scope, {
      walkedTo,
      ...(complete && { complete, scannedTo: new Date(known.scannedTo) }),
    });
  }

  private now(): Date {
    return new Date(this.mongo.serverNow());
  }
}
