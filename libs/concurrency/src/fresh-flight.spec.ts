import { describe, expect, it } from 'vitest';
import { FreshFlight } from './fresh-flight.js';

function setUp() {
  const flights = new FreshFlight<string>();
  const calls: { readonly key: string; readonly end: () => void; readonly fail: (error: Error) => void }[] = [];
  const ended: string[] = [];
  const run = (name: string, key = 'a'): Promise<void> =>
    flights
      .run(key, () => {
        const { promise, resolve, reject } = Promise.withResolvers<void>();
        calls.push({ key, end: resolve, fail: reject });
        return promise;
      })
      .then(
        () => void ended.push(name),
        (error: Error) => void ended.push(`${name}: ${error.message}`),
      );
  const begun = (count: number) => expect.poll(() => calls.length).toBe(count);
  return { calls, ended, run, begun };
}

describe('FreshFlight', () => {
  it('gives those who ask during a call the next one, which they share', async () => {
    const { calls, ended, run, begun } = setUp();
    const first = run('first');
    const later = [run('second'), run('third')];
    expect(calls).toHaveLength(1);
    calls[0]?.end();
    await first;
    await begun(2);
    expect(ended).toEqual(['first']);
    calls[1]?.end();
    await Promise.all(later);
    expect(ended).toEqual(['first', 'second', 'third']);
    expect(calls).toHaveLength(2);
  });

  it('begins the next call after a failed one, whose callers alone get the error', async () => {
    const { calls, ended, run, begun } = setUp();
    const [first, second] = [run('first'), run('second')];
    calls[0]?.fail(new Error('MongoDB is unreachable'));
    await first;
    await begun(2);
    const third = run('third');
    calls[1]?.end();
    await second;
    await begun(3);
    calls[2]?.end();
    await third;
    expect(ended).toEqual(['first: MongoDB is unreachable', 'second', 'third']);
  });

  it('begins at once for another key, and when no call is in progress', async () => {
    const { calls, ended, run } = setUp();
    const [a, b] = [run('a'), run('b', 'b')];
    expect(calls.map(({ key }) => key)).toEqual(['a', 'b']);
    calls[1]?.end();
    await b;
    const again = run('b again', 'b');
    expect(calls.map(({ key }) => key)).toEqual(['a', 'b', 'b']);
    for (const { end } of calls) end();
    await Promise.all([a, again]);
    expect(ended.sort()).toEqual(['a', 'b', 'b again']);
  });
});
