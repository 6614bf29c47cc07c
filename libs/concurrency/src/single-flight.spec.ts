import { describe, expect, it } from 'vitest';
import { SingleFlight } from './single-flight.js';

function setUp() {
  const flights = new SingleFlight<string, number>();
  const calls: {
    readonly key: string;
    readonly end: (value: number) => void;
    readonly fail: (error: Error) => void;
  }[] = [];
  const run = (key: string) =>
    flights.run(key, () => {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      calls.push({ key, end: resolve, fail: reject });
      return promise;
    });
  return { flights, calls, run };
}

describe('SingleFlight', () => {
  it('makes one call for all who ask for a key at the same time', async () => {
    const { calls, run } = setUp();
    const answers = [run('a'), run('a'), run('b')];
    calls[0]?.end(1);
    calls[1]?.end(2);
    expect(await Promise.all(answers)).toEqual([1, 1, 2]);
    expect(calls.map(({ key }) => key)).toEqual(['a', 'b']);
  });

  it.each(['end', 'failure'])('calls again after the %s of a call', async (how) => {
    const { calls, run } = setUp();
    const first = run('a').catch((error: unknown) => error);
    if (how === 'end') calls[0]?.end(1);
    else calls[0]?.fail(new Error('MongoDB is unreachable'));
    expect(await first).toEqual(how === 'end' ? 1 : new Error('MongoDB is unreachable'));
    const second = run('a');
    calls[1]?.end(2);
    expect(await second).toBe(2);
  });

  it('lets nobody join a call from before a change, whose end does not end the call after it', async () => {
    const { flights, calls, run } = setUp();
    const before = run('a');
    flights.detach();
    const after = run('a');
    calls[0]?.end(1);
    expect(await before).toBe(1);
    const joined = run('a');
    calls[1]?.end(2);
    expect([await after, await joined, calls.length]).toEqual([2, 2, 2]);
  });
});
