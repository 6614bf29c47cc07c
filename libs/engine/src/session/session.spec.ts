import { PLAY_STATES } from '@weft/contracts';
import { describe, expect, it } from 'vitest';
import { AT, ME, plan, playIn, resultAt, waitAt } from '../../model/build.js';
import { numberEvents } from '../play-log.js';
import { PLAY_SCHEMA_VERSION, type Play } from '../play.js';
import { startSession, type SessionStart } from './session.js';

const sessionStart: SessionStart = { epoch: 4, redelivered: false, isProofFresh: true, ownerId: ME, at: AT };

describe('startSession', () => {
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
    const taken = startSession(playIn(state), sessionStart, plan('e'));
    expect('drop' in taken ? taken.drop : null).toBe(drops[state]);
    expect(startSession(playIn(state), { ...sessionStart, epoch: 3 }, plan('e'))).toEqual({ drop: 'stale' });
  });

  it('leaves a play in a form of a later version to a worker that knows it, and ignores fields that it does not know', () => {
    expect(startSession(playIn('NEW', { schemaVersion: PLAY_SCHEMA_VERSION + 1 }), sessionStart, [])).toEqual({
      drop: 'newer_schema',
    });
    expect(startSession({ ...playIn('NEW'), later: 1 } as Play, sessionStart, plan('e'))).toEqual(
      startSession(playIn('NEW'), sessionStart, plan('e')),
    );
  });

  it.each(['NEW', 'RUN'] as const)('leaves a play in %s to its owner, whoever that is', (state) => {
    for (const owner of [ME, 'w:2'])
      expect(startSession(playIn(state, { owner }), sessionStart, [])).toEqual({ drop: 'owned' });
  });

  it('drops a job whose play is not there', () => {
    expect(startSession(null, sessionStart, [])).toEqual({ drop: 'missing' });
  });

  it.each([
    [{}, {}, false],
    [{ strict: true }, {}, true],
    [{}, { redelivered: true }, true],
    [{}, { isProofFresh: false }, true],
    [{ crashes: 2 }, {}, true],
  ] as const)('of %o, handed out with %o: claims first = %s', (fields, facts, mustClaim) => {
    expect(startSession(playIn('RUN', fields), { ...sessionStart, ...facts }, plan('e'))).toMatchObject({
      mustClaim,
      isClaimed: false,
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
    expect(startSession(play, sessionStart, plan('eEo'))).toMatchObject({
      ...{
        epoch: 4,
        seq: 7,
        cursor: 2,
        crashes: 1,
        startedStage: 2,
        hasStartedStage: false,
        inbox: { '2': 'x' },
        endedPositions: [1, 0],
      },
      ...{
        unstoredResults: [],
        failedCalls: [],
        runningCalls: [],
        waits: {},
        tries: {},
        failure: null,
        endReason: null,
      },
    });
  });

  it('goes on with what waits, or was tried, where it was: their start is told already', () => {
    const start = (layer: number) => ({ type: 'start', layer, ref: `r${layer}`, name: '', at: AT }) as const;
    const log = numberEvents(0, [start(0), start(1), start(2)]);
    const taken = startSession(
      playIn('RUN', { log, waits: { '0': waitAt(0) }, tries: { '1': 2 } }),
      sessionStart,
      plan('wRE'),
    );
    expect(taken).toMatchObject({ waits: { '0': waitAt(0) }, tries: { '1': 2 } });
    expect('loggedStarts' in taken && [...taken.loggedStarts.keys()]).toEqual([0, 1]);
  });

  it.each([
    ['a branch ruled out', { skips: [1] }, 'SKIP', [1]],
    ['a filter ruled out', { filtersRest: true }, 'FILTERED', [1, 2]],
  ] as const)('gives what %s its result, and goes on behind it', (_title, change, state, positions) => {
    const layers = [resultAt(0, change)];
    const taken = startSession(playIn('RUN', { cursor: 1, layers }), sessionStart, plan('pee'));
    expect(taken).toMatchObject({
      unstoredResults: positions.map((position) => ({ position, state, attempts: 0, out: null })),
    });
  });
});
