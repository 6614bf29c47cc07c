import { WeftError } from '@weft/kernel';
import { SystemScope, isStoreUnavailable } from '@weft/store';
import { type BulkRepository, type BulkTally, type BulkTurn } from '@weft/records';
import { BulkEnd, BulkPause, type BulkStrategy } from './bulk-strategy.js';

export interface BulkRunnerOptions {
  readonly store: Pick<BulkRepository, 'claim' | 'renew' | 'advance' | 'postpone' | 'end'>;
  readonly strategies: readonly BulkStrategy[];
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  /** Called after each batch, with the action and what became of its items. */
  readonly onBatch: (action: string, tally: BulkTally) => void;
  /** Called for a batch that failed as a whole. */
  readonly onFault: (error: unknown) => void;
  /** How often a pass that is under way looks for work that others have started; default 1 s. */
  readonly everyMs?: number;
  readonly leaseMs?: number;
}

const ALL = new SystemScope('batches of bulk operations of all companies, each under the scope of its own');
const LEASE_MS = 30_000;
const EVERY_MS = 1_000;
const FAULT_PAUSE_MS = 2_000;
/** A batch that fails as a whole that often is counted as failed, and the operation goes on. */
const MOST_FAULTS = 5;
/** Companies whose batches a process does at the same time. */
const MOST_AT_ONCE = 8;
/** An operation that takes longer is aborted. */
const LONGEST_MS = 24 * 3_600_000;

/**
 * Carries out bulk operations: of each company one batch at a time, of its operation that has waited longest, and in parallel with
 * those of other companies. Any number of processes do so; what one leaves unfinished, another does again.
 */
export class BulkRunner {
  /** Resolved when there may be work that the last look has not found. */
  private asked = Promise.withResolvers<void>();
  private readonly byKind: ReadonlyMap<string, BulkStrategy>;

  constructor(private readonly options: BulkRunnerOptions) {
    this.byKind = new Map(options.strategies.map((strategy) => [strategy.kind, strategy]));
  }

  /** A pass that is under way looks for work now. */
  look(): void {
    this.asked.resolve();
  }

  /** Does batches until none is to be done now. */
  async pass(signal?: AbortSignal): Promise<void> {
    signal?.addEventListener('abort', () => this.look(), { once: true });
    const batches = new Map<string, Promise<void>>();
    try {
      while (!signal?.aborted) {
        this.asked = Promise.withResolvers();
        const busy = [...batches.keys()];
        const turn = await this.claim(busy);
        const strategy = turn && this.byKind.get(turn.kind);
        if (turn && strategy) batches.set(turn.company_id, this.turn(turn, strategy, batches));
        else if (busy.length === 0) return;
        // else a batch has ended meanwhile, and its company may have another one
        else if (batches.size === busy.length) await this.waitForAny(batches);
      }
    } finally {
      await Promise.all(batches.values());
    }
  }

  /** @param busy companies of which this process does a batch */
  private claim(busy: readonly string[]): Promise<BulkTurn | null> {
    const { store, leaseMs = LEASE_MS } = this.options;
    return busy.length >= MOST_AT_ONCE
      ? Promise.resolve(null)
      : store.claim(ALL, [...this.byKind.keys()], leaseMs, busy);
  }

  private async turn(turn: BulkTurn, strategy: BulkStrategy, batches: Map<string, Promise<void>>): Promise<void> {
    try {
      await this.keeping(turn, () => this.doBatch(turn, strategy));
    } catch (error) {
      this.options.onFault(error);
    } finally {
      batches.delete(turn.company_id);
    }
  }

  /** Until one of them is done, or it is time to look for work of other companies. */
  private async waitForAny(batches: ReadonlyMap<string, Promise<void>>): Promise<void> {
    const { promise, resolve } = this.asked;
    const timer = setTimeout(resolve, this.options.everyMs ?? EVERY_MS);
    await Promise.race([...batches.values(), promise]).finally(() => clearTimeout(timer));
  }

  private async doBatch(turn: BulkTurn, strategy: BulkStrategy): Promise<void> {
    const { store, onBatch, serverNow } = this.options;
    const { ratePerSecond, action, after } = turn;
    if (serverNow() - turn.createdAt.getTime() > LONGEST_MS) return store.end(turn, 'aborted');
    try {
      const items = await strategy.next(turn, after, Math.min(strategy.batchOf(turn), ratePerSecond ?? Infinity));
      const last = items.at(-1);
      if (last === undefined) return await store.end(turn, 'done');
      const tally = await this.apply(turn, strategy, items);
      const pauseMs = ratePerSecond === null ? 0 : (items.length / ratePerSecond) * 1_000;
      await store.advance(turn, { after: last, tally, pauseMs: Math.round(pauseMs) });
      onBatch(action, tally);
    } catch (error) {
      await this.onBatchFailed(turn, error);
    }
  }

  private async apply(turn: BulkTurn, strategy: BulkStrategy, items: readonly string[]): Promise<BulkTally> {
    if (turn.faults < MOST_FAULTS) return strategy.apply(turn, items);
    // together they fail again and again: one by one, those that can be changed are
    const sum = { changed: 0, skipped: 0, failed: 0 };
    for (const item of items) {
      const one = await strategy.apply(turn, [item]).catch((error: unknown) => {
        if (!isOfItem(error)) throw error;
        this.options.onFault(error);
        return { changed: 0, skipped: 0, failed: 1 };
      });
      for (const name of ['changed', 'skipped', 'failed'] as const) sum[name] += one[name];
    }
    return sum;
  }

  private async onBatchFailed(turn: BulkTurn, error: unknown): Promise<void> {
    const { store, onFault } = this.options;
    if (error instanceof BulkEnd) return store.end(turn, 'aborted');
    if (error instanceof BulkPause) return store.postpone(turn, error.pauseMs, false);
    onFault(error);
    await store.postpone(turn, FAULT_PAUSE_MS, isOfItem(error));
  }

  /** Keeps the turn while `work` takes its time. Work on a turn that was lost goes on: it changes nothing twice. */
  private async keeping(turn: BulkTurn, work: () => Promise<void>): Promise<void> {
    const { store, onFault, leaseMs = LEASE_MS } = this.options;
    const renewal = setInterval(() => void store.renew(turn, leaseMs).catch(onFault), leaseMs / 3);
    try {
      await work();
    } finally {
      clearInterval(renewal);
    }
  }
}

/** Something else than that MongoDB is unreachable, or that the operation pauses or ends. */
function isOfItem(error: unknown): boolean {
  if (error instanceof BulkPause || error instanceof BulkEnd || isStoreUnavailable(error)) return false;
  return !(error instanceof WeftError && error.code === 'store_unavailable');
}
