import type { OpenPlay } from '@weft/engine';
import { describe, expect, it } from 'vitest';
import { PlaysWithoutJobs } from './plays-without-jobs.js';

const play = (_id: string, change: Partial<OpenPlay> = {}): OpenPlay =>
  ({ _id, company_id: 'c', epoch: 1, seq: 1, ...change }) as OpenPlay;
const ids = (plays: readonly OpenPlay[]) => plays.map(({ _id }) => _id);

describe('Suspects', () => {
  it('gives those that were found long enough ago, in order, and keeps the first look at each', () => {
    const suspects = new PlaysWithoutJobs();
    suspects.add(play('b'), false, 10);
    suspects.add(play('a'), false, 20);
    suspects.add(play('b'), false, 30);
    expect(ids(suspects.foundBefore(15, 9))).toEqual(['b']);
    expect(ids(suspects.foundBefore(30, 9))).toEqual(['b', 'a']);
    expect(ids(suspects.foundBefore(30, 1))).toEqual(['b']);
    suspects.remove([play('b')]);
    expect(ids(suspects.foundBefore(30, 9))).toEqual(['a']);
  });

  it('begins anew with a play that has changed', () => {
    const suspects = new PlaysWithoutJobs();
    suspects.add(play('a'), true, 10);
    suspects.add(play('a', { epoch: 2 }), true, 20);
    expect(suspects.foundBefore(15, 9)).toEqual([]);
    expect(suspects.foundBefore(20, 9)).toEqual([play('a', { epoch: 2 })]);
    expect(suspects.unknownOf('c')).toMatchObject({ count: 1 });
  });

  it('keeps some of the plays that a window does not know, and says which is the oldest and that others were left out', () => {
    const suspects = new PlaysWithoutJobs();
    for (let n = 0; n < 250; n += 1) suspects.add(play(String(500 - n)), true, n);
    suspects.add(play('999', { company_id: 'other' }), true, 250);
    expect(suspects.unknownOf('c')).toEqual({ count: 100, oldest: '401', isCut: true });
    expect(suspects.unknownOf('other')).toEqual({ count: 1, oldest: '999', isCut: false });
    expect(suspects.foundBefore(1_000, 1_000)).toHaveLength(101);
    suspects.remove(suspects.foundBefore(1_000, 1_000));
    expect(suspects.unknownOf('c')).toBeUndefined();
  });

  it('is full at a bound', () => {
    const suspects = new PlaysWithoutJobs();
    for (let n = 0; n < 20_000; n += 1) suspects.add(play(String(n)), false, n);
    expect(suspects.isFull).toBe(true);
    suspects.remove(suspects.foundBefore(0, 1));
    expect(suspects.isFull).toBe(false);
  });
});
