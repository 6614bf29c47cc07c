import { PLAY_STATES } from '@weft/contracts';
import { describe, expect, it } from 'vitest';
import { AT, ME, plan, playIn, resultAt, waitAt } from '../model/build.js';
import { numbered } from '../play-log.js';
import { PLAY_SCHEMA_VERSION, type Play } from '../play.js';
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

  it('leaves a play in a form of a later version to a worker that knows it, and ignores fields that it does not know', () => {
    expect(take(playIn('NEW', { schemaVersion: PLAY_SCHEMA_VERSION + 1 }), handOut, [])).toEqual({
      drop: 'newer_schema',
    });
    expect(take({ ...playIn('NEW'), later: 1 } as Play, handOut, plan('e'))).toEqual(
      take(playIn('NEW'), handOut, plan('e')),
    );
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
    [{ crashes: 2 }, {}, true],
  ] as const)('of %o, handed out with %o: claims first = %s', (fields, facts, mustClaim) => {
    expect(take(playIn('RUN', fields), { ...handOut, ...facts }, plan('e'))).toMatchObject({
      mustClaim,
      claimed: false,
    });
  });

  it('knows what is stored, and nothing more', () => {
    const play = playIn('RUN', {
      cursor: 2,
      crashes: 1,
      started: 2,
      inbox: { '2': 'x' },
      layers: [resultAt(1), resultAt(0)],
    });
    expect(take(play, handOut, plan('eEo'))).toMatchObject({
      ...{
        epoch: 4,
        seq: 7,
        cursor: 2,
        crashes: 1,
        started: 2,
        startedByMe: false,
        inbox: { '2': 'x' },
        ended: [1, 0],
      },
      ...{ results: [], failed: [], calls: [], waits: {}, tries: {}, failure: null, over: null },
    });
  });

  it('goes on with what waits, or was tried, where it was: their start is told already', () => {
    const start = (layer: number) => ({ type: 'start', layer, ref: `r${layer}`, name: '', at: AT }) as const;
    const log = numbered(0, [start(0), start(1), start(2)]);
    const taken = take(playIn('RUN', { log, waits: { '0': waitAt(0) }, tries: { '1': 2 } }), handOut, plan('wRE'));
    expect(taken).toMatchObject({ waits: { '0': waitAt(0) }, tries: { '1': 2 } });
    expect('begun' in taken && [...taken.begun.keys()]).toEqual([0, 1]);
  });

  it.each([
    ['a branch ruled out', { skips: [1] }, 'SKIP', [1]],
    ['a filter ruled out', { filtersRest: true }, 'FILTERED', [1, 2]],
  ] as const)('gives what %s its result, and goes on behind it', (_title, change, state, positions) => {
    const layers = [resultAt(0, change)];
    const taken = take(playIn('RUN', { cursor: 1, layers }), handOut, plan('pee'));
    expect(taken).toMatchObject({
      results: positions.map((position) => ({ position, state, attempts: 0, out: null })),
    });
  });
});
