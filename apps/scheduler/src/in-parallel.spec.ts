import { describe, expect, it } from 'vitest';
import { inParallel } from './in-parallel.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('inParallel', () => {
  it('works on so many at once, and on all', async () => {
    const seen: number[] = [];
    let now = 0;
    let most = 0;
    await inParallel([1, 2, 3, 4, 5, 6, 7], 3, async (item) => {
      now += 1;
      most = Math.max(most, now);
      await turn();
      now -= 1;
      seen.push(item);
    });
    expect(seen.sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(most).toBe(3);
  });

  it('goes on after a failure, and fails with the first one in the end', async () => {
    const seen: string[] = [];
    const working = inParallel('abcd', 2, async (item) => {
      await turn();
      seen.push(item);
      if (item < 'c') throw new Error(`no ${item}`);
    });
    await expect(working).rejects.toThrow('no a');
    expect(seen).toEqual(['a', 'b', 'c', 'd']);
  });

  it('has nothing to do for nobody', async () => {
    await expect(inParallel([], 4, () => Promise.reject(new Error('called')))).resolves.toBeUndefined();
  });
});
