import { QueueKeys } from '@weft/redis';
import { expect, it } from 'vitest';
import { LiveWorkers } from './live-workers.js';

const NOW = 1_800_000_000_000;
const signOf = (slots: number) => JSON.stringify({ slots, at: NOW - 1_000 });

function setUp(fixedWindow = 0) {
  const asked = Promise.withResolvers<Record<string, string>>();
  let questions = 0;
  const hgetall = () => ((questions += 1), asked.promise);
  const workers = new LiveWorkers({ hgetall } as never, new QueueKeys('weft', 1), {
    fixedWindow,
    serverNow: () => NOW,
  });
  return { workers, asked, questions: () => questions };
}

it('has the window of a process that has just started wait for the slots of those that live', async () => {
  const { workers, asked, questions } = setUp();
  const first = workers.windowSizeOnceKnown();
  expect(first).toBeInstanceOf(Promise);
  asked.resolve({ a: signOf(200), b: signOf(200) });
  expect(await first).toBe(800);
  expect(workers.windowSizeOnceKnown()).toBe(800);
  expect(questions()).toBe(1);
});

it('answers with the least window while Redis is away, and asks again', async () => {
  const { workers, asked } = setUp();
  asked.reject(new Error('away'));
  expect(await workers.windowSizeOnceKnown()).toBe(64);
  expect(workers.windowSizeOnceKnown()).toBeInstanceOf(Promise);
});

it('waits for nobody where the window is fixed', () => {
  expect(setUp(7).workers.windowSizeOnceKnown()).toBe(7);
});
