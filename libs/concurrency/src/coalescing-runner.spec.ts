import { describe, expect, it } from 'vitest';
import { CoalescingRunner } from './coalescing-runner.js';

function setUp(merge?: (earlier: number, later: number) => number) {
  const runner = new CoalescingRunner<string, number>(merge);
  const passes: string[] = [];
  let gate = Promise.withResolvers<void>();
  const run = (key: string, request: number) =>
    runner.run(key, request, (merged) => {
      passes.push(`${key}${merged}`);
      return gate.promise;
    });
  const end = async (error?: Error): Promise<void> => {
    const ended = gate;
    gate = Promise.withResolvers();
    if (error) ended.reject(error);
    else ended.resolve();
    await new Promise(setImmediate);
  };
  return { runner, passes, run, end };
}

describe('CoalescingRunner', () => {
  it('makes one more pass for all that was requested during a pass, for each key alone', async () => {
    const { passes, run, end } = setUp(Math.max);
    const first = run('a', 1);
    await Promise.all([run('a', 3), run('a', 2)]);
    const other = run('b', 1);
    expect(passes).toEqual(['a1', 'b1']);
    await end();
    expect(passes).toEqual(['a1', 'b1', 'a3']);
    await end();
    await Promise.all([first, other]);
    expect(passes).toHaveLength(3);
  });

  it('passes the later of two requests unless it is told how to merge them', async () => {
    const { passes, run, end } = setUp();
    const first = run('a', 1);
    for (const request of [3, 2]) await run('a', request);
    await end();
    await end();
    await first;
    expect(passes).toEqual(['a1', 'a2']);
  });

  it('makes one more pass when a pass requests it', async () => {
    const { runner } = setUp();
    const passes: number[] = [];
    const pass = async (request: number): Promise<void> => {
      passes.push(request);
      if (request < 3) await runner.run('a', request + 1, pass);
    };
    await runner.run('a', 1, pass);
    expect(passes).toEqual([1, 2, 3]);
  });

  it('ends with a failed pass, and begins anew with the next request', async () => {
    const { passes, run, end } = setUp();
    const first = run('a', 1).catch((error: unknown) => error);
    await run('a', 2);
    await end(new Error('Redis is unreachable'));
    expect(await first).toEqual(new Error('Redis is unreachable'));
    const next = run('a', 4);
    await end();
    await next;
    expect(passes).toEqual(['a1', 'a4']);
  });
});
