import type { Redis } from 'ioredis';
import { setTimeout as sleep } from 'node:timers/promises';
import { giveBack } from './give-back.js';
import type { QueueKeys } from './keys.js';
import { LiveWorkers } from './live-workers.js';
import { RunWindow } from './run-window.js';
import type { TakenUp } from './window-parts.js';

/** A command is not held up for longer: what finds no room is due, and goes on when Redis answers again. */
const ANSWER_WITHIN_MS = 1_000;
const NONE: TakenUp = { ids: new Set(), fresh: [] };

/** Places in the windows of companies for plays that go on after a pause. Never fails: while Redis is away there are none. */
export class Places {
  constructor(
    private readonly window: Pick<RunWindow, 'takeUp' | 'finish'>,
    private readonly windowSize: () => number | Promise<number>,
  ) {}

  /** @param of `fixed`: the window's size, 0 when it follows from the workers; `serverNow`: MongoDB's clock, epoch ms */
  static open(redis: Redis, keys: QueueKeys, of: { readonly fixed: number; readonly serverNow: () => number }): Places {
    const { fixed, serverNow } = of;
    const workers = new LiveWorkers(redis, keys);
    return new Places(new RunWindow(redis, keys, { serverNow }), () => workers.windowOnceKnown(fixed, serverNow()));
  }

  /** For those of these plays that there is room for; nobody who waits is overtaken. */
  async take(companyId: string, ids: readonly string[]): Promise<TakenUp> {
    if (ids.length === 0) return NONE;
    const late = new AbortController();
    const asked = this.ask(companyId, ids).catch(() => NONE);
    const noAnswer = sleep(ANSWER_WITHIN_MS, NONE, { signal: late.signal }).catch(() => NONE);
    try {
      return await Promise.race([asked, noAnswer]);
    } finally {
      late.abort();
    }
  }

  /** But those that were used: they did not go on after all. */
  giveBack(companyId: string, taken: TakenUp, used: ReadonlySet<string> = new Set()): void {
    // while Redis is away nothing is given back: the reconciler does when somebody needs the place
    giveBack(this.window, new Map([[companyId, taken]]), used).catch(() => undefined);
  }

  private async ask(companyId: string, ids: readonly string[]): Promise<TakenUp> {
    const taken = await this.window.takeUp(await this.windowSize(), new Map([[companyId, { ids }]]));
    return taken.get(companyId) ?? NONE;
  }
}
