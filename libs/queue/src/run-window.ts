import { lastIdAt } from '@weft/kernel';
import type { Redis } from 'ioredis';
import { CompanyScripts, type ScriptCall } from './company-scripts.js';
import type { QueueKeys } from './keys.js';
import { answersOf } from './redis-answers.js';
import type { Admission, Prioritized, Refill, Rung, TakeUp, TakenUp, WindowView } from './window-parts.js';

export interface RunWindowOptions {
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  /** A refill that has not said for so long that it goes on is taken for dead; a second one beside it rings known jobs again. */
  readonly refillLockMs?: number;
}

const PLAIN: Prioritized = { above: 0, below: 0 };
const REFILL_LOCK_MS = 5_000;
const MAX_SLIPPED = 200;
/** Ids in one script call. */
const PIECE = 1_000;

/**
 * How many plays of a company are rung at once, so that nobody waits behind another company's backlog and Redis stays
 * small however long that is.
 */
export class RunWindow {
  private readonly scripts: CompanyScripts;
  /** A refill says that it goes on well before this is over. */
  readonly refillLockMs: number;

  constructor(
    private readonly redis: Redis,
    private readonly keys: QueueKeys,
    private readonly options: RunWindowOptions,
  ) {
    this.scripts = new CompanyScripts(redis, keys);
    this.refillLockMs = options.refillLockMs ?? REFILL_LOCK_MS;
  }

  /**
   * One round trip for many companies. A company that Redis failed for has no admission.
   *
   * @param groups ids in the order in which they are to be rung: by priority, then as they were accepted
   * @param prioritized of which companies some have a priority
   */
  async admit(
    window: number,
    groups: ReadonlyMap<string, readonly string[]>,
    prioritized?: ReadonlyMap<string, Prioritized>,
  ): Promise<Map<string, Admission>> {
    const newest = this.newestId();
    const calls = [...groups].map(([companyId, ids]): ScriptCall => {
      const { above, below } = prioritized?.get(companyId) ?? PLAIN;
      return { companyId, args: [window, above, ids.length - above - below, newest, ...ids] };
    });
    const admissions = new Map<string, Admission>();
    for (const [companyId, [admitted, waiting]] of await this.pairs('weftAdmit', calls))
      admissions.set(companyId, { admitted, waiting });
    const behind = [...admissions].flatMap(([companyId, { waiting }]) => (waiting > 0 ? [companyId] : []));
    if (behind.length > 0) await this.redis.sadd(this.keys.windowsWaiting, ...behind);
    return admissions;
  }

  /**
   * Places for plays that go on, by company; who has none is due, and a refill comes for it. A company that Redis failed for
   * is missing.
   *
   * @throws when Redis failed for all
   */
  async takeUp(window: number, groups: ReadonlyMap<string, TakeUp>): Promise<Map<string, TakenUp>> {
    const calls = [...groups].map(([companyId, { ids, more = 0, token = '' }]): ScriptCall => {
      return { companyId, args: [window, token, more, ...ids] };
    });
    const replies = await this.scripts.each('weftTakeUp', calls);
    const taken = new Map<string, TakenUp>();
    const waiting: string[] = [];
    calls.forEach(({ companyId }, i) => {
      const reply = replies[i];
      if (!Array.isArray(reply)) return;
      const [left, count, ...ids] = reply as [number, number, ...string[]];
      if (left > 0) waiting.push(companyId);
      taken.set(companyId, { ids: new Set(ids), fresh: ids.slice(0, count) });
    });
    if (waiting.length > 0) await this.redis.sadd(this.keys.windowsWaiting, ...waiting);
    return taken;
  }

  /** These are rung beside the window, and take up room in it until they have ended. */
  async occupy(companyId: string, ids: readonly string[]): Promise<void> {
    for (const piece of inPieces(ids)) await this.redis.sadd(this.keys.windowRung(companyId), ...piece);
  }

  /** Takes ended plays out; gives, per company, how many are rung and how many wait. */
  async finish(
    groups: ReadonlyMap<string, readonly string[]>,
  ): Promise<Map<string, { rung: number; waiting: number }>> {
    const calls = [...groups].flatMap(([companyId, ids]) => inPieces(ids).map((args) => ({ companyId, args })));
    const replies = await this.pairs('weftFinish', calls);
    return new Map([...replies].map(([companyId, [rung, waiting]]) => [companyId, { rung, waiting }]));
  }

  /** Null: nobody waits, or another process refills this company at the moment. */
  async beginRefill(companyId: string, token: string): Promise<Refill | null> {
    const args = [token, this.refillLockMs, MAX_SLIPPED];
    const reply = (await this.scripts.one('weftBeginRefill', companyId, args)) as unknown[];
    if (reply.length === 0) return null;
    if (reply[0] === -1) {
      await this.redis.srem(this.keys.windowsWaiting, companyId);
      return null;
    }
    const [rung, waiting, refused, cursor, raiseUpTo, lanes, due, ...slipped] = reply as [
      ...[
        rung: number,
        waiting: number,
        refused: number,
        cursor: string,
        raiseUpTo: string,
        lanes: number,
        due: number,
      ],
      ...string[],
    ];
    return { token, rung, waiting, refused, cursor, raiseUpTo, lanes: lanes === 1, due, slipped };
  }

  /** The refill goes on: its lock is kept. */
  async keepRefill(companyId: string, { token }: Refill): Promise<void> {
    await this.scripts.one('weftKeepRefill', companyId, [token, this.refillLockMs]);
  }

  /** @returns plays waiting, those that are due among them, or null when the lock was lost */
  async endRefill(companyId: string, refill: Refill, rung: Rung): Promise<number | null> {
    const args = [refill.token, refill.refused, rung.exhausted ? 1 : 0, rung.cursor, ...rung.ids];
    const reply = (await this.scripts.one('weftEndRefill', companyId, args)) as [number, number];
    if (reply[1] === 0) return null;
    if (reply[0] === 0) await this.redis.srem(this.keys.windowsWaiting, companyId);
    return reply[0];
  }

  /**
   * Begins anew.
   *
   * @param cursor behind which plays wait, which Redis does not know of; '' when they are known to have priorities
   * @param raiseUpTo plays up to this id are raised before they are rung: they may have been handed out
   */
  async rewind(companyId: string, cursor: string, raiseUpTo: string): Promise<void> {
    await this.scripts.one('weftRewind', companyId, [cursor, raiseUpTo, this.newestId()]);
    await this.redis.sadd(this.keys.windowsWaiting, companyId);
  }

  /** A play with a priority waits that no admission has counted: the next refill looks for such plays. */
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

  /** Of these companies, how many plays are rung and how many wait, those that are due among them. One round trip. */
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

  /** How many plays wait behind the windows of all companies. */
  async waitingOfAll(): Promise<number> {
    const companies = await this.companiesWaiting();
    const states = await Promise.all(companies.map((companyId) => this.stateOf(companyId)));
    return states.reduce((sum, { waiting }) => sum + waiting, 0);
  }

  /** The plays that count against the window now. */
  rung(companyId: string): Promise<string[]> {
    return this.redis.smembers(this.keys.windowRung(companyId));
  }

  companiesWaiting(): Promise<string[]> {
    return this.redis.smembers(this.keys.windowsWaiting);
  }

  /** Runs a script that gives two numbers for each company; of several calls for one company the last one counts. */
  private async pairs(
    script: 'weftAdmit' | 'weftFinish',
    calls: readonly ScriptCall[],
  ): Promise<Map<string, [number, number]>> {
    const replies = await this.scripts.each(script, calls);
    const pairs = new Map<string, [number, number]>();
    calls.forEach(({ companyId }, i) => {
      const reply = replies[i];
      if (Array.isArray(reply)) pairs.set(companyId, reply as [number, number]);
    });
    return pairs;
  }

  private newestId(): string {
    return lastIdAt(this.options.serverNow());
  }
}

function inPieces(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / PIECE) }, (_, i) => ids.slice(i * PIECE, (i + 1) * PIECE));
}
