import { LayerFailure } from '../layer-module.js';

/** The time limit of a call. It stands still while the call waits for something that is not part of its work. */
export interface CallClock {
  /** @returns what lets the time pass again */
  stop(): () => void;
  /** Ends the call with this failure after as many ms, which never stand still. @returns what ends the limit */
  limit(ms: number, failure: () => LayerFailure): () => void;
  /** Called when the call has ended, however it did. */
  atEnd(release: () => void): void;
}

/** Aborts the work at the time limit, or when `outer` is aborted; fails with `timeout` in the first case. */
export async function withTimeLimit<T>(
  ms: number,
  outer: AbortSignal,
  work: (signal: AbortSignal, clock: CallClock) => Promise<T> | T,
): Promise<T> {
  const controller = new AbortController();
  const onAbort = () => controller.abort(outer.reason);
  const limit = new StoppableTimer(
    ms,
    () => new LayerFailure('timeout', `The layer took longer than ${ms} ms.`),
    (failure) => controller.abort(failure),
  );
  outer.addEventListener('abort', onAbort, { once: true });
  try {
    return await work(controller.signal, limit);
  } catch (error) {
    throw controller.signal.reason instanceof LayerFailure ? controller.signal.reason : error;
  } finally {
    limit.end();
    outer.removeEventListener('abort', onAbort);
  }
}

class StoppableTimer implements CallClock {
  private timer: NodeJS.Timeout | undefined;
  private startedAtMs = 0;
  private stops = 0;
  private hasEnded = false;
  private releases: (() => void)[] | undefined;

  constructor(
    private leftMs: number,
    private readonly failure: () => LayerFailure,
    private readonly onOver: (failure: LayerFailure) => void,
  ) {
    this.start();
  }

  stop(): () => void {
    this.stops += 1;
    if (this.stops === 1) {
      clearTimeout(this.timer);
      this.leftMs -= performance.now() - this.startedAtMs;
    }
    return () => {
      this.stops -= 1;
      if (this.stops === 0 && !this.hasEnded) this.start();
    };
  }

  limit(ms: number, failure: () => LayerFailure): () => void {
    const timer = setTimeout(() => this.onOver(failure()), ms);
    const end = () => clearTimeout(timer);
    this.atEnd(end);
    return end;
  }

  atEnd(release: () => void): void {
    (this.releases ??= []).push(release);
  }

  end(): void {
    this.hasEnded = true;
    clearTimeout(this.timer);
    if (this.releases) for (const release of this.releases) release();
  }

  private start(): void {
    this.startedAtMs = performance.now();
    this.timer = setTimeout(() => this.onOver(this.failure()), Math.max(0, this.leftMs));
  }
}
