import type { OpenPlayChange } from '@weft/persistence';
import { describe, expect, it } from 'vitest';
import { DueRefill } from './due-refill.js';
import type { Refill } from './window-parts.js';

const WINDOW = 10;

/** @param due priorities of the plays that are due, in their order */
function dueRefill(due: readonly number[]) {
  const changes = due.map((priority, i) => ({
    play: { _id: `p${i}`, priority, seq: 1 },
    write: { set: {} },
  })) as unknown as OpenPlayChange[];
  const job = ({ play }: OpenPlayChange) => ({ playId: play._id, companyId: 'c', flowId: 'f', epoch: 2 });
  return new DueRefill(
    {
      takeRoom: (_size, groups) => {
        const ids = groups.get('c')?.ids ?? [];
        return Promise.resolve(new Map([['c', { ids: new Set(ids), fresh: ids }]]));
      },
      finish: () => Promise.resolve(new Map()),
    },
    { ring: () => Promise.resolve(true) },
    {
      due: (_company, _at, limit) => Promise.resolve({ changes: changes.slice(0, limit), isCut: due.length > limit }),
      goOn: (some) => Promise.resolve({ written: some.map(job), count: some.length, failed: [] }),
    },
    { serverNow: Date.now, announce: () => undefined },
  );
}

const refill = (room: number, waiting: number): Refill => ({
  ...{
    token: 't',
    rung: WINDOW - room,
    waiting,
    refused: 0,
    cursor: '',
    reissueUpTo: '',
    hasPriorities: false,
    due: 1,
  },
  outOfOrder: [],
});

describe('DueRefill', () => {
  it('takes half of the room while new plays wait, and all of it when none does', async () => {
    const due = dueRefill([0, 0, 0, 0, 0, 0, 0, 0]);
    expect(await due.goOn('c', refill(6, 5), WINDOW, 500)).toBe(3);
    expect(await due.goOn('c', refill(6, 0), WINDOW, 500)).toBe(6);
  });

  it('shares single places with new plays in turn', async () => {
    const due = dueRefill([0, 0, 0, 0]);
    const taken: number[] = [];
    for (let i = 0; i < 6; i += 1) taken.push(await due.goOn('c', refill(1, 5), WINDOW, 500));
    expect(taken).toEqual([1, 0, 1, 0, 1, 0]);
  });

  it('takes those above 0 before new plays, and those below 0 after them', async () => {
    expect(await dueRefill([5, 5, 5, 0, 0]).goOn('c', refill(4, 5), WINDOW, 500)).toBe(4);
    expect(await dueRefill([-1, -1]).goOn('c', refill(4, 5), WINDOW, 500)).toBe(0);
    expect(await dueRefill([-1, -1]).goOn('c', refill(4, 0), WINDOW, 500)).toBe(2);
  });
});
