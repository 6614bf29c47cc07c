import { TimeLimit } from '@weft/concurrency';
import { LayerFailure } from '../layer-module.js';

/** The time limit of a call. It stands still while the call waits for something that is not part of its work. */
export interface CallClock {
  /** @returns what lets the time pass again */
  stop(): () => void;
  /** Ends the call with this failure after as many ms, also while its own time stands still. @returns what ends the limit */
  limit(ms: number, failure: () => LayerFailure): () => void;
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
  const clock = new LimitOfCall(
    ms,
    () => new LayerFailure('timeout', `The layer took longer than ${ms} ms.`),
    (failure) => controller.abort(failure),
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
  private readonly time: TimeLimit;
  private stops = 0;
  private releases: (() => void)[] | undefined;

  constructor(
    ms: number,
    failure: () => LayerFailure,
    private readonly onOver: (failure: LayerFailure) => void,
  ) {
    this.time = new TimeLimit(ms, () => onOver(failure()));
  }

  get stoodStill(): boolean {
    return this.time.stoodStill;
  }

  stop(): () => void {
    this.stops += 1;
    this.time.pause();
    return () => {
      this.stops -= 1;
      if (this.stops === 0) this.time.resume();
    };
  }

  limit(ms: number, failure: () => LayerFailure): () => void {
    const limit = new TimeLimit(ms, () => this.onOver(failure()));
    const end = () => limit.end();
    this.atEnd(end);
    return end;
  }

  atEnd(release: () => void): void {
    (this.releases ??= []).push(release);
  }

  end(): void {
    this.time.end();
    if (this.releases) for (const release of this.releases) release();
  }
}
