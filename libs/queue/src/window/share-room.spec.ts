import { describe, expect, it } from 'vitest';
import { ShareRoom } from './share-room.js';

const due = (...priorities: number[]) => priorities.map((priority) => ({ priority }));
const fresh = (count: number) => Array.from({ length: count }, (_, i) => i);
const counts = (of: ReturnType<ShareRoom['share']>) => [of.due.length, of.fresh.length];

describe('ShareRoom', () => {
  it('gives due plays half of the room while new plays wait, and all of it when none does', () => {
    const sharing = new ShareRoom();
    expect(counts(sharing.share('c', due(0, 0, 0, 0, 0, 0, 0, 0), fresh(9), 6))).toEqual([3, 3]);
    expect(counts(sharing.share('c', due(0, 0, 0, 0, 0, 0, 0, 0), [], 6))).toEqual([6, 0]);
    expect(counts(sharing.share('c', due(0), fresh(9), 6))).toEqual([1, 5]);
  });

  it('gives single places to due and new plays in turn, in each company', () => {
    const sharing = new ShareRoom();
    const turns = Array.from({ length: 4 }, () => sharing.share('c', due(0, 0), fresh(2), 1).due.length);
    expect(turns).toEqual([1, 0, 1, 0]);
    expect(sharing.share('d', due(0, 0), fresh(2), 1).due).toHaveLength(1);
  });

  it('has due plays above 0 precede new ones, and those below 0 follow them', () => {
    const sharing = new ShareRoom();
    expect(sharing.share('c', due(5, 5, 5, 0, 0), fresh(9), 4).due).toEqual(due(5, 5, 5, 0));
    expect(sharing.share('c', due(5, 5, 5), fresh(9), 2).due).toEqual(due(5, 5));
    expect(counts(sharing.share('c', due(-1, -1), fresh(5), 4))).toEqual([0, 4]);
    expect(counts(sharing.share('c', due(-1, -1), [], 4))).toEqual([2, 0]);
  });
});
