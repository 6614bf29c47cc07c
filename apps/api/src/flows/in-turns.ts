import { setImmediate as turn } from 'node:timers/promises';

const TURN_MS = 10;

/** One after the other; the process gets its turn when they take long. */
export async function* inTurns<T>(items: Iterable<T>): AsyncGenerator<T> {
  let turnAtMs = performance.now();
  for (const item of items) {
    if (performance.now() - turnAtMs > TURN_MS) {
      await turn();
      turnAtMs = performance.now();
    }
    yield item;
  }
}
