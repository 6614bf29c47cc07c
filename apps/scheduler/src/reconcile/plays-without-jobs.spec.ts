import type { OpenPlay } from '@weft/engine';
import { describe, expect, it } from 'vitest';
import { PlaysWithoutJobs } from './plays-without-jobs.js';

const play = (_id: string, change: Partial<OpenPlay> = {}): OpenPlay =>
  ({ _id, company_id: 'c', epoch: 1, seq: 1, ...change }) as OpenPlay;
const ids = (plays: readonly OpenPlay[]) => plays.map(({ _id }) => _id);

describe('PlaysWithoutJobs', () => {
  it('gives those that were found long enough ago, in order, and keeps the first look at each', () => {
    const found = new PlaysWithoutJobs();
    found.add(play('b'), 10);
    found.add(play('a'), 20);
    found.add(play('b'), 30);
    expect(ids(found.foundBefore(15, 9))).toEqual(['b']);
    expect(ids(found.foundBefore(30, 9))).toEqual(['b', 'a']);
    expect(ids(found.foundBefore(30, 1))).toEqual(['b']);
    found.remove([play('b')]);
    expect(ids(found.foundBefore(30, 9))).toEqual(['a']);
  });

  it('begins anew with a play that has changed', () => {
    const found = new PlaysWithoutJobs();
    found.add(play('a'), 10);
    found.add(play('a', { epoch: 2 }), 20);
    expect(found.foundBefore(15, 9)).toEqual([]);
    expect(found.foundBefore(20, 9)).toEqual([play('a', { epoch: 2 })]);
  });

  it('is full at a bound', () => {
    const found = new PlaysWithoutJobs();
    for (let n = 0; n < 20_000; n += 1) found.add(play(String(n)), n);
    expect(found.isFull).toBe(true);
    found.remove(found.foundBefore(0, 1));
    expect(found.isFull).toBe(false);
  });
});
