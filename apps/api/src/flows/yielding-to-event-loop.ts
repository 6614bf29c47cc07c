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

/** The result of work in steps. Between them the event loop runs other work when they take long. */
export async function resultYieldingToEventLoop<T>(steps: Iterator<unknown, T>): Promise<T> {
  let turnAtMs = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - turnAtMs <= TURN_MS) continue;
    await turn();
    turnAtMs = performance.now();
  }
}
