import type { Redis } from 'ioredis';
import type { QueueKeys } from './keys.js';
import { ADMIT, BEGIN_REFILL, END_REFILL, FINISH, REWIND } from './window-scripts.js';

export interface Admission {
  /** How many of the ids, from the first, are to be rung for. */
  readonly admitted: number;
  readonly waiting: number;
}

/** Of a list of ids in the order in which they are rung: how many at its beginning and at its end have a priority. */
export interface Prioritized {
  readonly above: number;
  readonly below: number;
}

export interface Refill {
  readonly token: string;
  readonly rung: number;
  readonly waiting: number;
  readonly refused: number;
  /** Id of the last play rung in accept order; '' when none is known. */
  readonly cursor: string;
  /** Plays up to this id may have been handed out before: they are raised before they are rung. */
  readonly raiseUpTo: string;
  /** Plays with a priority may wait, wherever the cursor is. */
  readonly lanes: boolean;
  /** Waiting plays that lie before the cursor. */
  readonly slipped: readonly string[];
}

/** What a refill takes up. */
export interface Rung {
  /** From before the cursor. */
  readonly slipped: readonly string[];
  /** From behind the cursor, in order. */
  readonly next: readonly string[];
  /** With a priority, wherever they lie. */
  readonly prioritized: readonly string[];
  /** Nobody else waits. */
  readonly exhausted: boolean;
}

const PLAIN: Prioritized = { above: 0, below: 0 };

const SCRIPTS = {
  weftAdmit: ADMIT,
  weftFinish: FINISH,
  weftBeginRefill: BEGIN_REFILL,
  weftEndRefill: END_REFILL,
  weftRewind: REWIND,
} as const;

/** A refill that takes longer is taken for dead; a second one beside it would only ring known jobs again. */
const REFILL_LOCK_MS = 5_000;
const MAX_SLIPPED = 200;

type ScriptRedis = Redis & Record<keyof typeof SCRIPTS, (...args: (string | number)[]) => Promise<unknown>>;
type ScriptPipeline = ReturnType<Redis['pipeline']> &
  Record<keyof typeof SCRIPTS, (...args: (string | number)[]) => unknown>;

/**
 * How many plays of a company are rung at once, so that nobody waits behind another company's backlog and Redis stays
 * small however long that is.
 */
export class RunWindow {
  private readonly redis: ScriptRedis;

  constructor(
    redis: Redis,
    private readonly keys: QueueKeys,
  ) {
    for (const [name, lua] of Object.entries(SCRIPTS)) redis.defineCommand(name, { numberOfKeys: 4, lua });
    this.redis = redis as ScriptRedis;
  }

  /**
   * One round trip for many companies.
   *
   * @param groups ids in the order in which they are to be rung: by priority, then as they were accepted
   * @param prioritized of which companies some have a priority
   */
  async admit(
    window: number,
    groups: ReadonlyMap<string, readonly string[]>,
    prioritized?: ReadonlyMap<string, Prioritized>,
  ): Promise<Map<string, Admission>> {
    const replies = await this.each(groups, 'weftAdmit', (ids, companyId) => {
      const { above, below } = prioritized?.get(companyId) ?? PLAIN;
      return [window, above, ids.length - above - below, ...ids];
    });
    const admissions = new Map<string, Admission>();
    const behind: string[] = [];
    for (const [companyId, [admitted, waiting]] of replies) {
      admissions.set(companyId, { admitted, waiting });
      if (waiting > 0) behind.push(companyId);
    }
    if (behind.length > 0) await this.redis.sadd(this.keys.windowsWaiting, ...behind);
    return admissions;
  }

  /** These are rung beside the window, and take up room in it until they have ended. */
  async occupy(companyId: string, ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.redis.sadd(this.keys.windowRung(companyId), ...ids);
  }

  /** Takes ended plays out; gives, per company, how many are rung and how many wait. */
  async finish(
    groups: ReadonlyMap<string, readonly string[]>,
  ): Promise<Map<string, { rung: number; waiting: number }>> {
    const replies = await this.each(groups, 'weftFinish', (ids) => ids);
    return new Map([...replies].map(([companyId, [rung, waiting]]) => [companyId, { rung, waiting }]));
  }

  /** Null: nobody waits, or another process refills this company at the moment. */
  async beginRefill(companyId: string, token: string): Promise<Refill | null> {
    const reply = (await this.redis.weftBeginRefill(
      ...this.companyKeys(companyId),
      token,
      REFILL_LOCK_MS,
      MAX_SLIPPED,
    )) as unknown[];
    if (reply.length === 0) return null;
    if (reply[0] === -1) {
      await this.redis.srem(this.keys.windowsWaiting, companyId);
      return null;
    }
    const [rung, waiting, refused, cursor, raiseUpTo, lanes, ...slipped] = reply as [
      ...[rung: number, waiting: number, refused: number, cursor: string, raiseUpTo: string, lanes: number],
      ...string[],
    ];
    return { token, rung, waiting, refused, cursor, raiseUpTo, lanes: lanes === 1, slipped };
  }

  /** @returns plays waiting, or null when the lock was lost */
  async endRefill(companyId: string, refill: Refill, rung: Rung): Promise<number | null> {
    const reply = (await this.redis.weftEndRefill(
      ...this.companyKeys(companyId),
      refill.token,
      refill.refused,
      rung.exhausted ? 1 : 0,
      rung.slipped.length,
      rung.next.length,
      ...rung.slipped,
      ...rung.next,
      ...rung.prioritized,
    )) as [number, number];
    if (reply[1] === 0) return null;
    if (reply[0] === 0) await this.redis.srem(this.keys.windowsWaiting, companyId);
    return reply[0];
  }

  /** Begins anew behind `cursor`: everything up to `raiseUpTo` is raised before it is rung. */
  async rewind(companyId: string, cursor: string, waiting: number, raiseUpTo: string): Promise<void> {
    await this.redis.weftRewind(...this.companyKeys(companyId), cursor, waiting, raiseUpTo);
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

  /** Runs a script that gives two numbers for each company, all in one round trip. */
  private async each(
    groups: ReadonlyMap<string, readonly string[]>,
    script: 'weftAdmit' | 'weftFinish',
    args: (ids: readonly string[], companyId: string) => readonly (string | number)[],
  ): Promise<Map<string, [number, number]>> {
    if (groups.size === 1) {
      const replies = new Map<string, [number, number]>();
      for (const [companyId, ids] of groups) {
        replies.set(
          companyId,
          (await this.redis[script](...this.companyKeys(companyId), ...args(ids, companyId))) as [number, number],
        );
      }
      return replies;
    }
    const pipeline = this.redis.pipeline() as ScriptPipeline;
    for (const [companyId, ids] of groups) pipeline[script](...this.companyKeys(companyId), ...args(ids, companyId));
    const answers = (await pipeline.exec()) ?? [];
    return new Map(
      [...groups.keys()].map((companyId, i) => {
        const [error, reply] = answers[i] ?? [new Error('Redis gave no answer')];
        if (error) throw error;
        return [companyId, reply as [number, number]];
      }),
    );
  }

  private companyKeys(companyId: string): [string, string, string, string] {
    const { keys } = this;
    return [
      keys.windowRung(companyId),
      keys.windowState(companyId),
      keys.windowRefill(companyId),
      keys.windowSlipped(companyId),
    ];
  }
}
