import { PLAY_STATES } from '@weft/contracts';
import { describe, expect, it } from 'vitest';
import { AT, ME, plan, playIn } from '../model/build.js';
import { take, type HandOut } from './session.js';

const handOut: HandOut = { epoch: 4, redelivered: false, proofFresh: true, me: ME, at: AT };

describe('take', () => {
  const drops: Record<(typeof PLAY_STATES)[number], string | null> = {
    NEW: null,
    RUN: null,
    WAIT: 'not_ready',
    DEFERRED: 'not_ready',
    ON_HOLD: 'not_ready',
    DONE: 'final',
    FAIL: 'final',
    SKIP: 'final',
    FILTERED: 'final',
  };
  it.each(PLAY_STATES)('of a play in %s', (state) => {
    const taken = take(playIn(state), handOut, plan('e'));
    expect('drop' in taken ? taken.drop : null).toBe(drops[state]);
    expect(take(playIn(state), { ...handOut, epoch: 3 }, plan('e'))).toEqual({ drop: 'stale' });
  });

  it.each(['NEW', 'RUN'] as const)('leaves a play in %s to its owner, whoever that is', (state) => {
    for (const owner of [ME, 'w:2']) expect(take(playIn(state, { owner }), handOut, [])).toEqual({ drop: 'owned' });
  });

  it('drops a job whose play is not there', () => {
    expect(take(null, handOut, [])).toEqual({ drop: 'missing' });
  });

  it.each([
    [{}, {}, false],
    [{ strict: true }, {}, true],
    [{}, { redelivered: true }, true],
    [{}, { proofFresh: false }, true],
    [{ crashes: 2 }, {}, false],
  ] as const)('of %o, handed out with %o: claims first = %s', (fields, facts, mustClaim) => {
    expect(take(playIn('RUN', fields), { ...handOut, ...facts }, plan('e'))).toMatchObject({
      mustClaim,
      claimed: false,
    });
  });

  it('knows what is stored, and nothing more', () => {
    const play = playIn('RUN', { cursor: 2, crashes: 1, started: 2, inbox: { '2': 'x' } });
    expect(take(play, handOut, plan('eeo'))).toMatchObject({
      ...{ epoch: 4, seq: 7, cursor: 2, crashes: 1, started: 2, startedByMe: false, inbox: { '2': 'x' } },
      ...{ results: [], calling: null, failure: null, parking: null, over: null, startLogged: null },
    });
  });
});
