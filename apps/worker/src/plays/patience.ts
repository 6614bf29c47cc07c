import { setTimeout as sleep } from 'node:timers/promises';
import { isStoreUnavailable } from '@weft/persistence';

const ASK_AGAIN_MS = 250;

/** Asks MongoDB until it answers: a worker keeps its plays through an outage and goes on where it was. */
export async function patiently<T>(ask: () => T | Promise<T>, closing: () => boolean): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (closing() || !isStoreUnavailable(error)) throw error;
      await sleep(ASK_AGAIN_MS);
    }
  }
}

/** Reads something that was promised to be there, for up to `withinMs`; null when it did not appear. */
export async function untilFound<T>(read: () => Promise<T | null>, withinMs: number): Promise<T | null> {
  const started = performance.now();
  for (;;) {
    const found = await read();
    if (found !== null || performance.now() - started > withinMs) return found;
    await sleep(100);
  }
}
