import { TimeLimit } from '@weft/concurrency';
import { LayerFailure } from '../layer-module.js';

/** The time limit of a call. It stands still while the call waits for something that is not part of its work. */
export interface CallClock {
  /** @returns what lets the time pass again */
  stop(): () => void;
  /** Called when the call has ended, however it did. */
  atEnd(release: () => void): void;
  /** This process stood still during the call: that it failed says nothing of whom it called. */
  readonly stoodStill: boolean;
}

/** Aborts the work at the time limit, or when `outer` is aborted; fails with `timeout` in the first case. */
export async function withTimeLimit<T>(
  ms: number,
  outer: AbortSignal,
  work: (signal: AbortSignal, clock: CallClock) => Promise<T> | T,
): Promise<T> {
  const controller = new AbortController();
  const onAbort = () => controller.abort(outer.reason);
  const clock = new LimitOfCall(ms, () =>
    controller.abort(new LayerFailure('timeout', `The layer took longer than ${ms} ms.`)),
  );
  outer.addEventListener('abort', onAbort, { once: true });
  try {
    return await work(controller.signal, clock);
  } catch (error) {
    throw controller.signal.reason instanceof LayerFailure ? controller.signal.reason : error;
  } finally {
    clock.end();
    outer.removeEventListener('abort', onAbort);
  }
}

class LimitOfCall implements CallClock {
  private readonly limit: TimeLimit;
  private stops = 0;
  private releases: (() => void)[] | undefined;

  constructor(ms: number, onOver: () => void) {
    this.limit = new TimeLimit(ms, onOver);
  }

  get stoodStill(): boolean {
    return this.limit.stoodStill;
  }

  stop(): () => void {
    this.stops += 1;
    this.limit.pause();
    return () => {
      this.stops -= 1;
      if (this.stops === 0) this.limit.resume();
    };
  }

  atEnd(release: () => void): void {
    (this.releases ??= []).push(release);
  }

  end(): void {
    this.limit.end();
    if (this.releases) for (const release of this.releases) release();
  }
}
