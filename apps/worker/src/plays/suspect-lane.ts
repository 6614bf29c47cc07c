import { mayRunInParallel } from '@weft/engine';

export interface SuspectLaneOptions {
  /** How many suspects may wait in a slot of this process; the others give their jobs back. */
  readonly seats: number;
  /** Monotonic, in milliseconds. */
  readonly now?: () => number;
}

interface Waiting {
  readonly id: string;
  readonly crashes: number;
  readonly answer: (entered: boolean) => void;
}

/** A job that was given back is handed out again after this time, and somewhat later the more suspects are known. */
const GIVE_BACK_MS = 500;
const GIVE_BACK_MORE_MS = 10;
const GIVE_BACK_MOST_MS = 10_000;

/** Below this number of suspects one runs at a time: then even two poison plays do not kill any of their neighbours. */
const FEW = 9;

/**
 * The quarantine: plays that may have killed a worker run few at a time in a process. Otherwise the neighbours of a poison
 * play, rung for again together with it, would die with it three times (docs/protocol.md §7). Of many suspects hardly any is
 * the cause: the square root of their number runs at a time. That minimizes the total of running all of them and of running
 * those of a lost round again one by one.
 */
export class SuspectLane {
  private readonly running = new Map<string, number>();
  private waiting: Waiting[] = [];
  /** Plays whose jobs were given back, until these are handed out again. */
  private readonly givenBack = new Map<string, number>();
  /** The most suspects that were known at a time since the last time that none was known. */
  private peakCount = 0;
  private readonly now: () => number;

  constructor(private readonly options: SuspectLaneOptions) {
    this.now = options.now ?? (() => performance.now());
  }

  /**
   * Requests a turn.
   *
   * @param id of the hand-out
   * @param crashes of the play: `crashesOf`
   * @returns whether the turn was granted, once that is known; false: read the play again, and request again. A number:
   * there is no seat to wait in, and the job is to be given back for this many milliseconds
   */
  requestTurn(id: string, playId: string, crashes: number): Promise<boolean> | number {
    this.givenBack.delete(playId);
    this.updatePeak(1);
    const { promise, resolve: answer } = Promise.withResolvers<boolean>();
    this.waiting.push({ id, crashes, answer });
    this.grantTurns();
    if (this.waiting.length <= this.options.seats) return promise;
    this.waiting.pop();
    return this.giveBack(playId);
  }

  /** The play ended, or is not a suspect any more. */
  endTurn(id: string): void {
    if (this.running.delete(id)) this.grantTurns();
  }

  /** The play changed, or the process stops. */
  cancelRequest(id: string): void {
    const waiting = this.waiting.find((one) => one.id === id);
    if (!waiting) return;
    this.waiting = this.waiting.filter((one) => one !== waiting);
    waiting.answer(false);
    this.grantTurns();
  }

  private grantTurns(): void {
    for (let next = this.waiting[0]; next && this.mayRun(next.crashes); next = this.waiting[0]) {
      this.waiting.shift();
      this.running.set(next.id, next.crashes);
      next.answer(true);
    }
  }

  private mayRun(crashes: number): boolean {
    const most = this.peakCount < FEW ? 1 : Math.floor(Math.sqrt(this.peakCount));
    return mayRunInParallel([...this.running.values()], crashes, most);
  }

  private giveBack(playId: string): number {
    const ms = Math.min(GIVE_BACK_MS + GIVE_BACK_MORE_MS * this.peakCount, GIVE_BACK_MOST_MS);
    this.givenBack.set(playId, this.now() + ms);
    return ms;
  }

  private updatePeak(coming: number): void {
    for (const [playId, until] of this.givenBack) if (until <= this.now()) this.givenBack.delete(playId);
    const known = this.running.size + this.waiting.length + this.givenBack.size;
    this.peakCount = known === 0 ? coming : Math.max(this.peakCount, known + coming);
  }
}
