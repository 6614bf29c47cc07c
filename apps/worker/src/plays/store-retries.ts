import { setTimeout as sleep } from 'node:timers/promises';
import { isStoreUnavailable } from '@weft/store';

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
