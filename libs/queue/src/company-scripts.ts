import type { Redis } from 'ioredis';
import type { QueueKeys } from './keys.js';
import { ADMIT, BEGIN_REFILL, END_REFILL, FINISH, KEEP_REFILL, REWIND, TAKE_UP } from './window-scripts.js';

const SCRIPTS = {
  weftAdmit: ADMIT,
  weftFinish: FINISH,
  weftTakeUp: TAKE_UP,
  weftBeginRefill: BEGIN_REFILL,
  weftKeepRefill: KEEP_REFILL,
  weftEndRefill: END_REFILL,
  weftRewind: REWIND,
} as const;
export type ScriptName = keyof typeof SCRIPTS;

export type ScriptArgs = readonly (string | number)[];
type Run<T> = Record<ScriptName, (...args: (string | number)[]) => T>;
type ScriptPipeline = ReturnType<Redis['pipeline']> & Run<unknown>;

/** One run of a script on the window of a company. */
export interface ScriptCall {
  readonly companyId: string;
  readonly args: ScriptArgs;
}

/** Runs the window's scripts on the keys of companies. */
export class CompanyScripts {
  private readonly redis: Redis & Run<Promise<unknown>>;

  constructor(
    redis: Redis,
    private readonly keys: QueueKeys,
  ) {
    for (const [name, lua] of Object.entries(SCRIPTS)) redis.defineCommand(name, { numberOfKeys: 4, lua });
    this.redis = redis as Redis & Run<Promise<unknown>>;
  }

  one(script: ScriptName, companyId: string, args: ScriptArgs): Promise<unknown> {
    return this.redis[script](...this.companyKeys(companyId), ...args);
  }

  /**
   * All in one round trip; a call that fails keeps none of the others from their replies.
   *
   * @returns the reply to each call; an Error where it failed
   * @throws when all of them failed
   */
  async each(script: ScriptName, calls: readonly ScriptCall[]): Promise<readonly unknown[]> {
    const [first] = calls;
    if (first === undefined) return [];
    if (calls.length === 1) return [await this.one(script, first.companyId, first.args)];
    const pipeline = this.redis.pipeline() as ScriptPipeline;
    for (const { companyId, args } of calls) pipeline[script](...this.companyKeys(companyId), ...args);
    const answers = (await pipeline.exec()) ?? [];
    const replies = calls.map((_call, i) => {
      const [error, reply] = answers[i] ?? [new Error('Redis gave no answer')];
      return error ?? reply;
    });
    const fault = replies.every((reply) => reply instanceof Error) ? replies[0] : null;
    if (fault instanceof Error) throw fault;
    return replies;
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
