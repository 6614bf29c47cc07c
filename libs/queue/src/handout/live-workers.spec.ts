import { QueueKeys } from '@weft/redis';
import { describe, expect, it } from 'vitest';
import { LiveWorkers } from './live-workers.js';

const NOW = 1_800_000_000_000;
const signOf = (slots: number, more = {}) => JSON.stringify({ slots, at: NOW - 1_000, ...more });

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
  const known = workers.onceKnown();
  expect(known).toBeInstanceOf(Promise);
  asked.resolve({ a: signOf(200), b: signOf(200) });
  await known;
  expect(workers.onceKnown()).toBeUndefined();
  expect(workers.windowSize()).toBe(800);
  expect(questions()).toBe(1);
});

it('answers with the least window while Redis is away, and asks again', async () => {
  const { workers, asked } = setUp();
  asked.reject(new Error('away'));
  await workers.onceKnown();
  expect(workers.windowSize()).toBe(64);
  expect(workers.onceKnown()).toBeInstanceOf(Promise);
});

it('waits for nobody where the window is fixed', () => {
  const { workers } = setUp(7);
  expect([workers.onceKnown(), workers.windowSize(), workers.windowSize('acme')]).toEqual([undefined, 7, 7]);
});

it('counts for a label its own workers alone', async () => {
  const { workers, asked } = setUp();
  const own = (slots: number, playsPerJob: number) => signOf(slots, { label: 'acme', playsPerJob });
  asked.resolve({ a: signOf(200, { playsPerJob: 8 }), b: own(40, 4), c: own(50, 2) });
  await workers.onceKnown();
  expect([null, 'acme', 'empty'].map((label) => workers.windowSize(label))).toEqual([400, 180, 64]);
  expect([null, 'acme', 'empty'].map((label) => workers.playsPerJob(100, label))).toEqual([8, 2, 1]);
  expect(workers.count()).toBe(3);
});

describe('plays that share a job', () => {
  const most = async (signs: Record<string, string>, plays: number, fixedWindow = 0) => {
    const { workers, asked } = setUp(fixedWindow);
    asked.resolve(signs);
    expect(workers.playsPerJob(plays)).toBe(1); // nothing is known yet
    await asked.promise;
    await new Promise(setImmediate);
    return workers.playsPerJob(plays);
  };
  const eight = signOf(200, { playsPerJob: 8 });

  it('are as many as every live worker takes', async () => {
    expect(await most({ a: eight }, 100)).toBe(8);
    expect(await most({ a: eight }, 100, 64)).toBe(8);
    expect(await most({ a: eight, b: signOf(200, { playsPerJob: 4 }) }, 100)).toBe(4);
    expect(await most({}, 100)).toBe(1);
  });

  it('is one while a worker is alive that says nothing of it', async () => {
    expect(await most({ a: eight, b: signOf(200) }, 100)).toBe(1);
  });

  it('are no more than each worker’s part of those that come together', async () => {
    expect(await most({ a: eight, b: eight, c: eight }, 7)).toBe(3);
    expect(await most({ a: eight }, 1)).toBe(1);
  });
});
