import { describe, expect, it } from 'vitest';
import { GroupCommit, type BatchOutcome, type GroupCommitOptions } from './group-commit.js';

interface Flush {
  readonly items: readonly number[];
  finish(outcomes?: readonly BatchOutcome<string>[]): void;
  fail(error: Error): void;
}

function setUp(options: Partial<GroupCommitOptions<number>> = {}) {
  const flushes: Flush[] = [];
  const commit = new GroupCommit<number, string>(
    (items) =>
      new Promise((resolve, reject) => {
        flushes.push({
          items,
          finish: (outcomes = items.map((item) => ({ ok: `stored ${item}` }))) => resolve(outcomes),
          fail: reject,
        });
      }),
    { maxBatch: 100, ...options },
  );
  const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  return { commit, flushes, turn };
}

describe('GroupCommit', () => {
  it('flushes at once when nothing is in flight', async () => {
    const { commit, flushes, turn } = setUp();
    const stored = commit.add(1);
    await turn();
    expect(flushes.map((flush) => flush.items)).toEqual([[1]]);
    flushes[0]?.finish();
    await expect(stored).resolves.toBe('stored 1');
  });

  it('sends together what arrives while a flush is in flight, and answers nobody before their own flush', async () => {
    const { commit, flushes, turn } = setUp();
    const answered: string[] = [];
    const first = commit.add(1).then((text) => answered.push(text));
    await turn();
    const others = [2, 3, 4].map((item) => commit.add(item).then((text) => answered.push(text)));
    await turn();
    expect(flushes).toHaveLength(1);
    flushes[0]?.finish();
    await first;
    await turn();
    expect(answered).toEqual(['stored 1']);
    expect(flushes[1]?.items).toEqual([2, 3, 4]);
    flushes[1]?.finish();
    await Promise.all(others);
    expect(answered).toEqual(['stored 1', 'stored 2', 'stored 3', 'stored 4']);
  });

  it('gives each caller the outcome of its own item', async () => {
    const { commit, flushes, turn } = setUp();
    const both = Promise.allSettled([commit.add(1), commit.add(2)]);
    await turn();
    flushes[0]?.finish([{ error: new Error('taken') }, { ok: 'fine' }]);
    const [refused, stored] = await both;
    expect(refused).toMatchObject({ status: 'rejected', reason: { message: 'taken' } });
    expect(stored).toMatchObject({ status: 'fulfilled', value: 'fine' });
  });

  it('rejects a whole batch whose flush failed, and goes on with the next', async () => {
    const { commit, flushes, turn } = setUp();
    const lost = Promise.allSettled([commit.add(1), commit.add(2)]);
    await turn();
    const later = commit.add(3);
    flushes[0]?.fail(new Error('away'));
    for (const outcome of await lost)
      expect(outcome).toMatchObject({ status: 'rejected', reason: { message: 'away' } });
    await turn();
    flushes[1]?.finish();
    await expect(later).resolves.toBe('stored 3');
  });

  it('flushes what may be repeated once more, before what came after it, and then fails it', async () => {
    const asked: unknown[] = [];
    const repeats = (error: unknown, items: readonly number[]) => asked.push([String(error), items]) > 0;
    const { commit, flushes, turn } = setUp({ maxBatch: 2, repeats });
    const all = [1, 2, 3].map((item) => commit.add(item).catch((error: Error) => error.message));
    await turn();
    flushes[0]?.fail(new Error('away'));
    await turn();
    flushes[1]?.fail(new Error('away again'));
    await turn();
    flushes[2]?.finish();
    expect(await Promise.all(all)).toEqual(['away again', 'away again', 'stored 3']);
    expect(flushes.map(({ items }) => items)).toEqual([[1, 2], [1, 2], [3]]);
    expect(asked).toEqual([['Error: away', [1, 2]]]);
  });

  it('never sends more than a batch may hold, nor two batches at once', async () => {
    const { commit, flushes, turn } = setUp({ maxBatch: 2 });
    const all = Promise.all([1, 2, 3, 4, 5].map((item) => commit.add(item)));
    for (const items of [[1, 2], [3, 4], [5]]) {
      await turn();
      await turn();
      expect(flushes.at(-1)?.items).toEqual(items);
      flushes.at(-1)?.finish();
    }
    await expect(all).resolves.toHaveLength(5);
    expect(flushes).toHaveLength(3);
  });

  it('sends heavy items in batches that stay under the weight, and one that is heavier alone', async () => {
    const { commit, flushes, turn } = setUp({ maxWeight: 10 });
    const all = Promise.all([
      commit.add(1, 6),
      commit.add(2, 4),
      commit.add(3, 5),
      commit.add(4, 50),
      commit.add(5, 1),
    ]);
    for (let i = 0; i < 4; i += 1) {
      await turn();
      flushes[i]?.finish();
    }
    await expect(all).resolves.toHaveLength(5);
    expect(flushes.map((flush) => flush.items)).toEqual([[1, 2], [3], [4], [5]]);
  });

  /** Of a batch, the items that fail it. */
  const poisoned = (poison: readonly number[], error: Error, failsAll: (error: unknown) => boolean) => {
    const flushed: (readonly number[])[] = [];
    const commit = new GroupCommit<number, string>(
      (items) => {
        flushed.push(items);
        if (items.some((item) => poison.includes(item))) return Promise.reject(error);
        return Promise.resolve(items.map((item) => ({ ok: `stored ${item}` })));
      },
      { maxBatch: 100, failsAll },
    );
    return { commit, flushed };
  };
  const outcomes = (commit: GroupCommit<number, string>, items: readonly number[]) =>
    Promise.all(items.map((item) => commit.add(item).catch((error: Error) => error.message)));

  it('fails only those whose fault it is, and stores the others in few flushes and in their order', async () => {
    const items = Array.from({ length: 64 }, (_, i) => i);
    const { commit, flushed } = poisoned([20, 41], new Error('bad'), () => false);
    const expected = items.map((item) => (item === 20 || item === 41 ? 'bad' : `stored ${item}`));
    expect(await outcomes(commit, items)).toEqual(expected);
    expect(flushed.length).toBeLessThan(30);
  });

  it("fails all of a batch at once when the fault is nobody's", async () => {
    const { commit, flushed } = poisoned(
      [2],
      new Error('unreachable'),
      (error) => (error as Error).message === 'unreachable',
    );
    expect(await outcomes(commit, [1, 2, 3])).toEqual(Array(3).fill('unreachable'));
    expect(flushed).toEqual([[1, 2, 3]]);
  });
});
