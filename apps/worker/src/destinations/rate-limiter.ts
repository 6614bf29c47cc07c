import type { RateLimit } from '@weft/shapes';
import { RedisNames, Scripts, type Redis } from '@weft/redis';
import { LRUCache } from 'lru-cache';
import { OwnRate } from './own-rate.js';

const PERIOD_MS: Readonly<Record<RateLimit['per'], number>> = { second: 1_000, minute: 60_000, hour: 3_600_000 };

/** A larger limit is counted in parts of its period, so that what is kept of it stays small. */
const MAX_COUNT = 1_000;
/** A layer keeps its slot while it waits this long for its turn. */
export const MOMENT_MS = 1_000;
/** No turn is given for later, unless no call is free before: who would have to wait longer asks again then. */
const HORIZON_MS = 300_000;
/** While Redis fails, it is asked this often. */
const ASK_AGAIN_MS = 1_000;
const MAX_LIMITS = 10_000;

export interface NamedLimit {
  /** A destination, or the id of a link. */
  readonly id: string;
  readonly rate: RateLimit;
}

export interface RateLimiterOptions {
  readonly redis: Redis;
  readonly prefix: string;
  /** Workers that share the limits, for the time in which Redis cannot be asked; 0: not known. */
  readonly workers: () => number;
  readonly monotonicMs: () => number;
}

/**
 * Rate limits of calls that all workers share, counted by Redis on its own clock (ADR 92). While Redis is unreachable, each worker
 * takes its share of every limit. What Redis keeps may be lost: then a limit may be used up twice in one period.
 */
export class RateLimiter {
  private readonly scripts: Scripts;
  private readonly names: RedisNames;
  private readonly own = new LRUCache<string, OwnRate>({ max: MAX_LIMITS });
  private failedAtMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: RateLimiterOptions) {
    this.scripts = new Scripts(options.redis);
    this.names = new RedisNames(options.prefix);
  }

  /**
   * Takes one call of each limit, or none of any.
   *
   * @param turn `new`: the caller comes now; `kept`: its turn has come; `again`: it waits for room and asks again
   * @returns ms until the caller's turn; 0: taken
   */
  async take(companyId: string, limits: readonly NamedLimit[], turn: 'new' | 'kept' | 'again'): Promise<number> {
    const counted = limits.map(({ id, rate }) => ({ id, ...countOf(rate) }));
    const waitMs = (await this.askRedis(companyId, counted, turn)) ?? this.shareWaitMs(companyId, counted);
    if (waitMs <= 0)
      for (const { id, ...limit } of counted)
        this.ownOf(companyId, id).add(this.nowMs(), Math.max(limit.periodMs, this.shareOf(limit).periodMs));
    // those who got the last turn do not all come at once
    return waitMs < HORIZON_MS ? waitMs : waitMs * (0.5 + Math.random() / 2);
  }

  /** Null: Redis cannot be asked. */
  private async askRedis(companyId: string, limits: readonly Counted[], turn: string): Promise<number | null> {
    if (this.nowMs() - this.failedAtMs < ASK_AGAIN_MS) return null;
    const keys = limits.flatMap(({ id, count, periodMs }) =>
      this.names.callRate(companyId, id, `${count}/${periodMs}`),
    );
    const sizes = limits.flatMap(({ count, periodMs }) => [count, Math.round(periodMs * 1_000)]);
    const flags = [turn === 'kept' ? 1 : 0, turn === 'again' ? 1 : 0] as const;
    try {
      const args = [...flags, MOMENT_MS * 1_000, HORIZON_MS * 1_000, ...sizes] as const;
      return await this.scripts.one('takeCall', { keys, args });
    } catch {
      this.failedAtMs = this.nowMs(); // Redis is unreachable, as health checks and the queue report
      return null;
    }
  }

  private shareWaitMs(companyId: string, limits: readonly Counted[]): number {
    const waits = limits.map(({ id, ...limit }) => {
      const share = this.shareOf(limit);
      return this.ownOf(companyId, id).waitMs(this.nowMs(), share.count, share.periodMs);
    });
    // an estimate: Redis may have room as soon as it is back
    return Math.min(Math.max(...waits), HORIZON_MS);
  }

  /** This worker's part of a limit: less than one call in a period is one call in several. */
  private shareOf({ count, periodMs }: Omit<Counted, 'id'>): Omit<Counted, 'id'> {
    const workers = Math.max(1, this.options.workers());
    return {
      count: Math.max(1, Math.floor(count / workers)),
      periodMs: Math.max(periodMs, (periodMs * workers) / count),
    };
  }

  private ownOf(companyId: string, id: string): OwnRate {
    const key = `${companyId} ${id}`;
    const own = this.own.get(key) ?? new OwnRate();
    this.own.set(key, own);
    return own;
  }

  private nowMs(): number {
    return this.options.monotonicMs();
  }
}

interface Counted {
  readonly id: string;
  readonly count: number;
  readonly periodMs: number;
}

function countOf({ limit, per }: RateLimit): Omit<Counted, 'id'> {
  const count = Math.min(limit, MAX_COUNT);
  return { count, periodMs: (PERIOD_MS[per] * count) / limit };
}
