import { describe, expect, it } from 'vitest';
import { FairTaskRunner } from './fair-task-runner.js';

function setUp(perCompany = 10) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  let nowMs = 0;
  const runner = new FairTaskRunner<string>({
    concurrency: 1,
    maxWaiting: { perCompany, total: 100 },
    nowMs: () => nowMs,
    run: (task) => {
      started.push(task);
      return new Promise((resolve) => ends.set(task, resolve));
    },
  });
  const end = async (task: string, afterMs: number): Promise<void> => {
    nowMs += afterMs;
    ends.get(task)?.();
    await new Promise(setImmediate);
  };
  return { runner, started, end };
}

describe('FairTaskRunner', () => {
  it('starts the next task when one has ended: that of the company that has used less time', async () => {
    const { runner, started, end } = setUp();
    for (const task of ['a1', 'a2', 'a3']) runner.add('a', task);
    for (const task of ['b1', 'b2']) runner.add('b', task);
    expect(started).toEqual(['a1']);
    await end('a1', 100);
    await end('b1', 10);
    expect(started).toEqual(['a1', 'b1', 'b2']);
  });

  it('refuses a task when too many of its company wait', () => {
    const { runner } = setUp(2);
    expect(['a1', 'a2', 'a3', 'a4'].map((task) => runner.add('a', task))).toEqual([true, true, true, false]);
  });

  it('starts no task that was removed, and none after all were cleared', async () => {
    const { runner, started, end } = setUp();
    for (const task of ['a1', 'a2', 'a3', 'a4']) runner.add('a', task);
    expect([runner.remove('a', 'a2'), runner.remove('a', 'a1')]).toEqual([true, false]);
    await end('a1', 1);
    expect(runner.clear()).toEqual(['a4']);
    await end('a3', 1);
    expect(started).toEqual(['a1', 'a3']);
  });
});
