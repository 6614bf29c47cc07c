import { afterEach, describe, expect, it, vi } from 'vitest';
import { ReadThroughCache } from './read-through-cache.js';
import { FRESH_MS } from './refresh-ahead.js';

interface Value {
  readonly told: number;
}

/** Reads whose questions the test answers, under a clock that it sets. */
function setUp(max = 10) {
  const questions: { readonly keys: readonly string[]; answer: (told: number, missing?: string) => void }[] = [];
  const clock = { now: 0 };
  const reads = new ReadThroughCache<Value>({
    ask: (keys) =>
      new Promise((resolve) => {
        const answer = (told: number, missing?: string): void =>
          resolve(new Map(keys.filter((key) => key !== missing).map((key) => [key, { told }])));
        questions.push({ keys, answer });
      }),
    monotonicMs: () => clock.now,
    max,
  });
  const asked = async (count: number): Promise<void> => {
    while (questions.length < count) await Promise.resolve();
  };
  return { reads, questions, clock, asked };
}

afterEach(() => void vi.useRealTimers());

describe('what was read', () => {
  it('is told from memory for a second from the moment the question was sent, not answered', async () => {
    const { reads, questions, clock, asked } = setUp();
    const first = reads.get('a');
    await asked(1);
    clock.now = 400;
    questions[0]?.answer(1);
    expect(await first).toEqual({ told: 1 });
    clock.now = FRESH_MS - 1;
    expect(reads.get('a')).toEqual({ told: 1 });
    clock.now = FRESH_MS;
    expect(reads.get('a')).toBeInstanceOf(Promise);
  });

  it('goes before the rest when it was not used for longest', async () => {
    const { reads, questions, asked } = setUp(2);
    const all = Promise.all(['a', 'b'].map(async (key) => reads.get(key)));
    await asked(1);
    questions[0]?.answer(1);
    await all;
    expect(reads.get('a')).toEqual({ told: 1 });
    const third = reads.get('c');
    await asked(2);
    questions[1]?.answer(2);
    await third;
    expect([reads.get('a'), reads.get('c')]).toEqual([{ told: 1 }, { told: 2 }]);
    expect(reads.get('b')).toBeInstanceOf(Promise);
  });

  it('is asked for again by whoever comes after a change, while the old question is still out', async () => {
    const { reads, questions, asked } = setUp();
    const before = reads.get('a');
    await asked(1);
    reads.drop('a');
    const after = reads.get('a');
    questions[0]?.answer(1);
    await asked(2);
    questions[1]?.answer(2);
    expect(await Promise.all([before, after])).toEqual([{ told: 1 }, { told: 2 }]);
    expect(reads.get('a')).toEqual({ told: 2 });
  });

  it('is forgotten when the next answer lacks it', async () => {
    const { reads, questions, clock, asked } = setUp();
    const first = reads.get('a');
    await asked(1);
    questions[0]?.answer(1);
    await first;
    clock.now = FRESH_MS;
    const second = reads.get('a');
    await asked(2);
    questions[1]?.answer(2, 'a');
    expect(await second).toBeUndefined();
    expect(reads.get('a')).toBeInstanceOf(Promise);
  });

  it('is asked for again, all in one question, before it is too old, while it is used', async () => {
    vi.useFakeTimers();
    const { reads, questions, clock, asked } = setUp();
    const all = Promise.all(['a', 'b', 'unused'].map(async (key) => reads.get(key)));
    await asked(1);
    questions[0]?.answer(1);
    await all;
    clock.now = 600;
    expect([reads.get('a'), reads.get('b'), reads.get('a')]).toEqual([{ told: 1 }, { told: 1 }, { told: 1 }]);
    clock.now = 900;
    vi.runAllTimers();
    await asked(2);
    expect(questions[1]?.keys).toEqual(['a', 'b']);
    expect(reads.get('a')).toEqual({ told: 1 });
    questions[1]?.answer(2);
    await vi.waitFor(() => expect(reads.get('a')).toEqual({ told: 2 }), { timeout: 60_000 });
    clock.now = FRESH_MS;
    expect([reads.get('a'), reads.get('b')]).toEqual([{ told: 2 }, { told: 2 }]);
    expect(reads.get('unused')).toBeInstanceOf(Promise);
  });
});
