import { setTimeout as sleep } from 'node:timers/promises';
import { giveBack } from '../handout/give-back.js';
import type { AdmissionWindow, TakenRoom, WindowSizeOf } from './admission-window.js';

/** A caller does not wait for longer: a play without room is due, and continues when Redis answers again. */
const ANSWER_WITHIN_MS = 1_000;
const NONE: TakenRoom = { ids: new Set(), fresh: [] };

/**
 * Room in the windows of companies for plays that continue after a pause. Never fails: while Redis is unreachable there is
 * no room.
 */
export class WindowRoom {
  constructor(
    private readonly window: Pick<AdmissionWindow, 'takeRoom' | 'finish'>,
    private readonly sizes: () => WindowSizeOf | Promise<WindowSizeOf>,
  ) {}

  /** Takes room for as many of these plays as possible, without overtaking any waiting play. */
  async take(companyId: string, ids: readonly string[]): Promise<TakenRoom> {
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

  /** Gives back what was taken for plays that are not in `used`: they did not continue. */
  giveBack(companyId: string, taken: TakenRoom, used: ReadonlySet<string> = new Set()): void {
    // while Redis is unreachable nothing is given back: the reconciler does so when the room is needed
    giveBack(this.window, new Map([[companyId, taken]]), used).catch(() => undefined);
  }

  private async ask(companyId: string, ids: readonly string[]): Promise<TakenRoom> {
    const taken = await this.window.takeRoom(await this.sizes(), new Map([[companyId, { ids }]]));
    return taken.get(companyId) ?? NONE;
  }
}
