/** A longer timer would fire at once. */
export const LONGEST_MS = 2 ** 31 - 1;

/** Rejects with the signal's reason when it is aborted before the time is over. */
export function pause(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      },
      Math.min(ms, LONGEST_MS),
    );
    signal?.addEventListener('abort', stop, { once: true });
  });
}

/** Before attempt number `attempt` + 1: it doubles, and is random, so that clients that failed together do not return together. */
export function backoffMs(attempt: number, firstMs = 250, mostMs = 8_000): number {
  return Math.min(mostMs, firstMs * 2 ** attempt) * (0.5 + Math.random() / 2);
}
