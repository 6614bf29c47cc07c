import type { OpenPlay } from '@weft/engine';
import { describe, expect, it } from 'vitest';
import { decideAdmissions } from './decide-admissions.js';

const play = (id: string, changes: Partial<OpenPlay> = {}): OpenPlay =>
  ({ _id: id, state: 'RUN', limited: true, ...changes }) as OpenPlay;
const queued = (id: string, changes: Partial<OpenPlay> = {}) =>
  play(id, { state: 'DEFERRED', queued: true, ...changes });
const ids = (plays: readonly OpenPlay[] | undefined) => plays?.map(({ _id }) => _id);

describe('decideAdmissions', () => {
  it('lets in the first of the queue, as many as there is room for', () => {
    const decision = decideAdmissions({
      limit: 3,
      holders: ['a'],
      plays: [play('a')],
      queue: [queued('b'), queued('c'), queued('d')],
    });
    expect(ids(decision?.admit)).toEqual(['b', 'c']);
    expect(decision?.holders).toEqual(['a', 'b', 'c']);
  });

  it('changes nothing when the gate is full, over-full or nobody waits', () => {
    const inside = { holders: ['a', 'b'], plays: [play('a'), play('b')] };
    expect(decideAdmissions({ ...inside, limit: 2, queue: [queued('c')] })).toBeNull();
    expect(decideAdmissions({ ...inside, limit: 1, queue: [queued('c')] })).toBeNull();
    expect(decideAdmissions({ ...inside, limit: 9, queue: [] })).toBeNull();
  });

  it('keeps the place of a play that waits, is parked or on hold after its admission', () => {
    const inside = [play('a', { state: 'WAIT' }), play('b', { state: 'DEFERRED' }), play('c', { state: 'ON_HOLD' })];
    expect(decideAdmissions({ limit: 3, holders: ['a', 'b', 'c'], plays: inside, queue: [queued('d')] })).toBeNull();
  });

  it.each(['DONE', 'FAIL', 'FILTERED'] as const)(
    'gives the place of a play that ended as %s to the next one',
    (state) => {
      const decision = decideAdmissions({
        limit: 1,
        holders: ['a'],
        plays: [play('a', { state })],
        queue: [queued('b')],
      });
      expect(decision).toEqual({ holders: ['b'], admit: [queued('b')] });
    },
  );

  it('takes out a play that is gone, also when nobody waits', () => {
    expect(decideAdmissions({ limit: 2, holders: ['a', 'b'], plays: [play('b')], queue: [] })).toEqual({
      holders: ['b'],
      admit: [],
    });
  });

  it('lets in a play that has a place and was never admitted', () => {
    const decision = decideAdmissions({ limit: 1, holders: ['a'], plays: [queued('a')], queue: [queued('a')] });
    expect(decision).toEqual({ holders: ['a'], admit: [queued('a')] });
  });

  it('never takes the place of a queued play for another one: its admission may be on its way', () => {
    const seen = { limit: 1, holders: ['a'], plays: [queued('a')] };
    const admitted = { holders: ['a'], admit: [queued('a')] };
    expect(decideAdmissions({ ...seen, queue: [queued('b'), queued('a')] })).toEqual(admitted);
    expect(decideAdmissions({ ...seen, queue: [queued('b')] })).toEqual(admitted);
  });

  it('gives the place of a play that was put on hold before its admission to the next one', () => {
    const held = queued('a', { state: 'ON_HOLD' });
    const decision = decideAdmissions({ limit: 1, holders: ['a'], plays: [held], queue: [queued('b')] });
    expect(decision).toEqual({ holders: ['b'], admit: [queued('b')] });
  });
});
