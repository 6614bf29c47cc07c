import { setTimeout as sleep } from 'node:timers/promises';
import { isStoreUnavailable } from '@weft/persistence';

const RETRY_EVERY_MS = 250;

/** Repeats a request while MongoDB is unavailable: a worker keeps its plays through an outage and continues. */
export async function retryWhileUnavailable<T>(ask: () => T | Promise<T>, closing: () => boolean): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (closing() || !isStoreUnavailable(error)) throw error;
      await sleep(RETRY_EVERY_MS);
    }
  }
}

/** Reads something that must exist, for up to `withinMs`; null: it did not appear. */
export async function waitUntilFound<T>(read: () => Promise<T | null>, withinMs: number): Promise<T | null> {
  const started = performance.now();
  for (;;) {
    const found = await read();
    if (found !== null || performance.now() - started > withinMs) return found;
    await sleep(100);
  }
}
