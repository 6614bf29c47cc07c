import { lastIdAt } from '@weft/kernel';
import {
  Scripts,
  answersOf,
  type QueueKeys,
  type Redis,
  type RefillStart,
  type ScriptArgs,
  type ScriptCall,
  type ScriptReply,
  type WindowScript,
} from '@weft/redis';
import type {
  AdmissionResult,
  Prioritized,
  Refill,
  RefillEnd,
  RefillResult,
  RoomRequest,
  TakenRoom,
  WindowView,
} from './window-parts.js';

export interface AdmissionWindowOptions {
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  /**
   * After this time without a sign of life a refill counts as dead. If it is alive, a second refill in parallel rings for
   * the same jobs again.
   */
  readonly refillLockMs?: number;
}

type CompanyCall<N extends WindowScript> = ScriptCall<N> & { readonly companyId: string };

const PLAIN: Prioritized = { above: 0, below: 0 };
const REFILL_LOCK_MS = 5_000;
const MAX_OUT_OF_ORDER = 200;
/** Ids in one script call. */
const PIECE = 1_000;

/**
 * Bounds how many plays of a company are rung for at a time, so that no play waits for another company's backlog, and Redis
 * stays small however long the backlog is.
 */
export class AdmissionWindow {
  private readonly scripts: Scripts;
  /** A refill renews its lock well before this time is over. */
  readonly refillLockMs: number;

  constructor(
    private readonly redis: Redis,
    private readonly keys: QueueKeys,
    private readonly options: AdmissionWindowOptions,
  ) {
    this.scripts = new Scripts(redis);
    this.refillLockMs = options.refillLockMs ?? REFILL_LOCK_MS;
  }

  /**
   * One round trip for many companies. A company for which Redis failed is missing from the result.
   *
   * @param groups ids in the order in which they are to be rung for: by priority, then in accept order
   * @param prioritized the companies of which some plays have a priority
   */
  async admit(
    window: number,
    groups: ReadonlyMap<string, readonly string[]>,
    prioritized?: ReadonlyMap<string, Prioritized>,
  ): Promise<Map<string, AdmissionResult>> {
    const newest = this.newestId();
    const calls = [...groups].map(([companyId, ids]): CompanyCall<'admitPlays'> => {
      const { above, below } = prioritized?.get(companyId) ?? PLAIN;
      return this.call(companyId, [window, above, ids.length - above - below, newest, ...ids]);
    });
    const admissions = new Map<string, AdmissionResult>();
    for (const [companyId, [admitted, waiting, ...known]] of await this.each('admitPlays', calls)) {
      admissions.set(companyId, { admitted, waiting, known: new Set(known) });
    }
    const behind = [...admissions].flatMap(([companyId, { waiting }]) => (waiting > 0 ? [companyId] : []));
    if (behind.length > 0) await this.redis.sadd(this.keys.windowsWaiting, ...behind);
    return admissions;
  }

  /**
   * Takes room for plays that continue, by company. Those that get none are due, and a later refill continues them. A
   * company for which Redis failed is missing from the result.
   *
   * @throws when Redis failed for all companies
   */
  async takeRoom(window: number, groups: ReadonlyMap<string, RoomRequest>): Promise<Map<string, TakenRoom>> {
    const calls = [...groups].map(([companyId, { ids, more = 0, token = '' }]): CompanyCall<'takeRoom'> => {
      return this.call(companyId, [window, token, more, ...ids]);
    });
    const taken = new Map<string, TakenRoom>();
    const waiting: string[] = [];
    for (const [companyId, [left, count, ...ids]] of await this.each('takeRoom', calls)) {
      if (left > 0) waiting.push(companyId);
      taken.set(companyId, { ids: new Set(ids), fresh: ids.slice(0, count) });
    }
    if (waiting.length > 0) await this.redis.sadd(this.keys.windowsWaiting, ...waiting);
    return taken;
  }

  /** These are rung for outside the window, and take up room in it until they have ended. */
  async occupy(companyId: string, ids: readonly string[]): Promise<void> {
    for (const piece of inPieces(ids)) await this.redis.sadd(this.keys.windowRung(companyId), ...piece);
  }

  /** Removes ended plays from the window. Returns, for each company, how many are rung for and how many wait. */
  async finish(
    groups: ReadonlyMap<string, readonly string[]>,
  ): Promise<Map<string, { rung: number; waiting: number }>> {
    const calls = [...groups].flatMap(([companyId, ids]) =>
      inPieces(ids).map((args) => this.call<'finishPlays'>(companyId, args)),
    );
    const replies = await this.each('finishPlays', calls);
    return new Map([...replies].map(([companyId, [rung, waiting]]) => [companyId, { rung, waiting }]));
  }

  /** Null: no play waits, or another process is refilling this company. */
  async beginRefill(companyId: string, token: string): Promise<Refill | null> {
    const args = [token, this.refillLockMs, MAX_OUT_OF_ORDER] as const;
    const reply = await this.scripts.one('beginRefill', this.call(companyId, args));
    if (reply.length === 0) return null;
    if (reply.length === 1) {
      await this.redis.srem(this.keys.windowsWaiting, companyId);
      return null;
    }
    const [rung, waiting, refused, cursor, reissueUpTo, lanes, due, ...outOfOrder] = reply as RefillStart;
    return { token, rung, waiting, refused, cursor, reissueUpTo, hasPriorities: lanes === 1, due, outOfOrder };
  }

  /** The refill continues: renews its lock. */
  async keepRefill(companyId: string, { token }: Refill): Promise<void> {
    await this.scripts.one('keepRefill', this.call(companyId, [token, this.refillLockMs]));
  }

  /** @returns null: the lock was lost */
  async endRefill(companyId: string, refill: Refill, rung: RefillResult): Promise<RefillEnd | null> {
    const args = [refill.token, refill.refused, rung.exhausted ? 1 : 0, rung.cursor, ...rung.ids] as const;
    const [waiting, wasLocked, ...known] = await this.scripts.one('endRefill', this.call(companyId, args));
    if (wasLocked === 0) return null;
    if (waiting === 0) await this.redis.srem(this.keys.windowsWaiting, companyId);
    return { waiting, known: new Set(known) };
  }

  /**
   * Starts the window again at an older play.
   *
   * @param cursor id after which plays wait that Redis does not know; '' when these plays are known to have priorities
   * @param reissueUpTo plays up to this id get a new epoch before they are rung: they may have been handed out
   */
  async rewind(companyId: string, cursor: string, reissueUpTo: string): Promise<void> {
    await this.scripts.one('rewindWindow', this.call(companyId, [cursor, reissueUpTo, this.newestId()]));
    await this.redis.sadd(this.keys.windowsWaiting, companyId);
  }

  /** A play with a priority waits that no admission has counted: makes the next refill look for such plays. */
  async expectPrioritized(companyId: string): Promise<void> {
    const state = this.keys.windowState(companyId);
    await this.redis.multi().hset(state, 'lanes', '1').hincrby(state, 'refused', 1).exec();
  }

  async stateOf(companyId: string): Promise<{ cursor: string; waiting: number }> {
    const [cursor, waiting] = await this.redis.hmget(this.keys.windowState(companyId), 'cursor', 'waiting');
    return { cursor: cursor ?? '', waiting: Number(waiting ?? 0) };
  }

  /** What the cache says of these plays, by company. One round trip. */
  async look(groups: ReadonlyMap<string, readonly string[]>): Promise<Map<string, WindowView>> {
    const pipeline = this.redis.pipeline();
    for (const [companyId, ids] of groups) {
      pipeline.hmget(this.keys.windowState(companyId), 'cursor', 'waiting', 'from', 'refused');
      pipeline.smismember(this.keys.windowRung(companyId), ...ids);
    }
    const replies = await answersOf(pipeline);
    return new Map(
      [...groups].map(([companyId, ids], i): [string, WindowView] => {
        const [cursor, waiting, from, refused] = replies[2 * i] as (string | null)[];
        const isRung = replies[2 * i + 1] as number[];
        const view = {
          cursor: cursor ?? '',
          waiting: Number(waiting ?? 0),
          from: from ?? '',
          exists: [cursor, waiting, from, refused].some((field) => typeof field === 'string'),
          rung: new Set(ids.filter((_id, n) => isRung[n] === 1)),
        };
        return [companyId, view];
      }),
    );
  }

  /**
   * For each of these companies, how many plays are rung for and how many wait, including those that are due. One round
   * trip.
   */
  async fill(companyIds: readonly string[]): Promise<Map<string, { rung: number; waiting: number }>> {
    const pipeline = this.redis.pipeline();
    for (const companyId of companyIds) {
      pipeline.scard(this.keys.windowRung(companyId));
      pipeline.hmget(this.keys.windowState(companyId), 'waiting', 'due');
    }
    const replies = await answersOf(pipeline);
    return new Map(
      companyIds.map((companyId, i) => {
        const [waiting, due] = replies[2 * i + 1] as (string | null)[];
        return [companyId, { rung: Number(replies[2 * i]), waiting: Number(waiting ?? 0) + Number(due ?? 0) }];
      }),
    );
  }

  /** How many plays wait outside the windows of all companies. */
  async waitingOfAll(): Promise<number> {
    const companies = await this.companiesWaiting();
    const states = await Promise.all(companies.map((companyId) => this.stateOf(companyId)));
    return states.reduce((sum, { waiting }) => sum + waiting, 0);
  }

  /** The plays that take up room in the window now. */
  rung(companyId: string): Promise<string[]> {
    return this.redis.smembers(this.keys.windowRung(companyId));
  }

  companiesWaiting(): Promise<string[]> {
    return this.redis.smembers(this.keys.windowsWaiting);
  }

  /** The replies by company, without those of companies for which Redis failed. Of several for one company the last one counts. */
  private async each<N extends WindowScript>(
    script: N,
    calls: readonly CompanyCall<N>[],
  ): Promise<Map<string, ScriptReply<N>>> {
    const replies = await this.scripts.each(script, calls);
    const byCompany = new Map<string, ScriptReply<N>>();
    calls.forEach(({ companyId }, i) => {
      const reply = replies[i];
      if (reply !== undefined && !(reply instanceof Error)) byCompany.set(companyId, reply);
    });
    return byCompany;
  }

  private call<N extends WindowScript>(companyId: string, args: ScriptArgs<N>): CompanyCall<N> {
    return { companyId, keys: this.keys.window(companyId), args };
  }

  private newestId(): string {
    return lastIdAt(this.options.serverNow());
  }
}

function inPieces(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / PIECE) }, (_, i) => ids.slice(i * PIECE, (i + 1) * PIECE));
}
