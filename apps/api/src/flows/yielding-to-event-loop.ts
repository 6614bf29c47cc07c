import { setImmediate as turn } from 'node:timers/promises';

const TURN_MS = 10;

/** The items one after the other. Between them the event loop runs other work when processing takes long. */
export async function* yieldingToEventLoop<T>(items: Iterable<T>): AsyncGenerator<T> {
  let turnAtMs = performance.now();
  for (const item of items) {
    if (performance.now() - turnAtMs > TURN_MS) {
      await turn();
      turnAtMs = performance.now();
    }
    yield item;
  }
}
