import { PLAY_STATES } from '@weft/contracts';
import { describe, expect, it } from 'vitest';
import type { LayerOutcome } from '../layer-outcome.js';
import { AT, ME, failedAt, pauseAt, playIn, resultAt, sessionOf, waitAt } from '../../model/build.js';
import { LOG_BOUND, LOG_RESERVE } from '../play-log.js';
import { applyWrite } from '../play-write.js';
import type { LogEntry } from '../play.js';
import { decideLazyClaim, nextStep } from './next-step.js';
import {
  onWriteStored,
  layerInputsOf,
  onLayerEnded,
  onLayersStarted,
  onConditionChecked,
  onWriteRefused,
} from './session-events.js';
import type { Session } from './session.js';
import type { WritePurpose, SessionWrite } from './write-fields.js';

const FULL = LOG_BOUND + LOG_RESERVE;
const inputs = { isProofFresh: true, isStopping: false, at: AT };

const DONE: LayerOutcome = { kind: 'result', result: resultAt(0) };
const failing = (code: string, position = 0): LayerOutcome => ({
  kind: 'result',
  result: resultAt(position, { state: 'FAIL', error: { code, message: 'no' } }),
});

function nextWrite(session: Session, isStopping = false): SessionWrite {
  const step = nextStep(session, { ...inputs, isStopping });
  if (step.kind !== 'write') throw new Error(`${step.kind}, not a write`);
  return step;
}

describe('onWriteStored', () => {
  it.each<readonly [WritePurpose, Session, boolean]>([
    ['final', sessionOf('e', { unstoredResults: [resultAt(0)] }), false],
    ['park', sessionOf('w', { waits: { '0': waitAt(0) } }), false],
    ['held', sessionOf('e', { state: 'ON_HOLD' }), false],
    ['handBack', sessionOf('e'), true],
  ])('%s is the last write of a session', (purpose, session, stopping) => {
    const write = nextWrite(session, stopping);
    expect(write.purpose).toBe(purpose);
    expect(onWriteStored(session, write)).toMatchObject({ endReason: purpose, unstoredResults: [] });
  });

  it.each<readonly [WritePurpose, Session]>([
    ['claim', sessionOf('pe', { mustClaim: true, redelivered: true })],
    ['claim', sessionOf('o', { mustClaim: true })],
    ['boundary', sessionOf('ee', { unstoredResults: [resultAt(0)] })],
    ['start', sessionOf('eo', { unstoredResults: [resultAt(0)] })],
  ])('%s leaves the session knowing exactly what is stored', (purpose, session) => {
    const write = nextWrite(session);
    expect(write.purpose).toBe(purpose);
    const stored = applyWrite(playIn('RUN', { cursor: session.cursor }), write.write, AT);
    const after = onWriteStored(session, write);
    expect(after).toMatchObject({ isClaimed: true, mustClaim: false, endReason: null });
    expect(stored).toMatchObject({ owner: ME, seq: after.seq, cursor: after.cursor, state: after.state });
    expect(stored).toMatchObject({ crashes: after.crashes });
    expect(stored?.started ?? null).toBe(after.startedStage);
  });

  it('keeps the result of a call that ended while its lazy write was on the way', () => {
    const session = onLayersStarted(sessionOf('pe', { unstoredResults: [resultAt(0)] }), [1], AT);
    const write = decideLazyClaim(session, AT) as SessionWrite;
    const after = onWriteStored(onLayerEnded(session, { kind: 'result', result: resultAt(1) }), write);
    expect(after).toMatchObject({ cursor: 1, unstoredResults: [{ position: 1 }], isClaimed: true });
    expect([...after.loggedStarts.keys()]).toEqual([0, 1]);
  });
});

describe('a failed call whose peer names a time', () => {
  it('is made again after that time, by the clock of its result', () => {
    const outcome: LayerOutcome = {
      ...failing('bad_status'),
      peer: { statusCode: 429, retryAfterMs: 30_000 },
    } as never;
    const before = onLayersStarted(sessionOf('r'), [0], AT);
    const after = onLayerEnded(before, outcome);
    const until = after.waits[0]?.until?.getTime() ?? 0;
    // the scenario's cap of 800 ms counts more than the peer
    expect(until - AT.getTime()).toBe(800);
    const final = onLayerEnded(before, { ...failing('bad_status'), peer: { statusCode: 422 } } as never);
    expect(final.waits).toEqual({});
    expect(final.failure).toMatchObject({ code: 'bad_status' });
  });
});

describe('the answer of a layer', () => {
  const inbox = { '0': 'first', '2': 'early' };
  const answered = { cursor: 0, waits: { '0': waitAt(0) }, inbox };

  it.each<readonly [WritePurpose, Partial<Session>, boolean]>([
    ['boundary', { failedCalls: [{ position: 1, message: '', attempt: 1, since: AT, at: AT }] }, false],
    ['held', { state: 'ON_HOLD' }, false],
    ['handBack', {}, true],
  ])('goes with the %s write that stores its result; those of later layers stay', (purpose, fields, stopping) => {
    const session = onLayerEnded(onLayersStarted(sessionOf('wew', answered), [0], AT), DONE);
    const step = nextWrite({ ...session, ...fields }, stopping);
    expect(step.purpose).toBe(purpose);
    const stored = applyWrite(playIn(fields.state ?? 'RUN', { cursor: 0, inbox }), step.write, AT);
    expect(stored?.inbox).toEqual({ '2': 'early' });
    if (purpose === 'boundary') expect(onWriteStored(session, step).inbox).toEqual({ '2': 'early' });
  });

  it.each(['DONE', 'FAIL'] as const)('is gone when the play has ended as %s, with all others', (state) => {
    const session = onLayerEnded(sessionOf('w', answered), state === 'DONE' ? DONE : failing('rejected'));
    const stored = applyWrite(playIn('RUN', { cursor: 0, inbox }), nextWrite(session).write, AT);
    expect(stored?.state).toBe(state);
    expect(stored).not.toHaveProperty('inbox');
  });

  it('costs nothing where there is none', () => {
    const session = onLayerEnded(sessionOf('ee'), DONE);
    expect(nextWrite(session).write.unset).not.toContain('inbox');
  });
});

describe('onLayerEnded', () => {
  it.each([
    ['DONE', 'e', null],
    ['FAIL', 'e', { code: 'failed', message: 'no', ref: 'r0' }],
    ['FAIL', 'c', null],
    ['SKIP', 'e', null],
  ] as const)('%s of an "%s" layer fails the play: %o', (state, layer, failure) => {
    const error = state === 'FAIL' ? { code: 'failed', message: 'no' } : undefined;
    const session = onLayerEnded(onLayersStarted(sessionOf(layer), [0], AT), {
      kind: 'result',
      result: resultAt(0, { state, error }),
    });
    expect(session).toMatchObject({ runningCalls: [], failure, unstoredResults: [{ state }] });
  });

  it('takes note of what a layer waits for, and asks it again when that is over', () => {
    const wait = waitAt(0, { until: new Date(AT.getTime() + 1) });
    const session = onLayerEnded(onLayersStarted(sessionOf('w'), [0], AT), { kind: 'wait', wait });
    expect(session).toMatchObject({ runningCalls: [], unstoredResults: [], waits: { '0': wait } });
    expect(nextWrite(session).purpose).toBe('park');
    const due = { ...inputs, at: new Date(AT.getTime() + 1) };
    expect(nextStep(session, due)).toEqual({ kind: 'startLayers', positions: [0] });
    expect(nextStep({ ...session, inbox: { '0': 'x' } }, inputs)).toEqual({ kind: 'startLayers', positions: [0] });
    expect(layerInputsOf({ ...session, inbox: { '0': 'x' } }, 0)).toEqual({
      attempt: 1,
      wait,
      answer: { payload: 'x' },
    });
  });

  it('FAILs a layer that has what it waited for and waits on, instead of asking it for ever', () => {
    const again = onLayersStarted(sessionOf('w', { waits: { '0': waitAt(0) }, inbox: { '0': 'x' } }), [0], AT);
    expect(onLayerEnded(again, { kind: 'wait', wait: waitAt(0) })).toMatchObject({
      failure: { code: 'internal' },
      unstoredResults: [{ position: 0, state: 'FAIL' }],
    });
  });

  it('FAILs a layer whose wait has no room beside those of its stage, which go on waiting', () => {
    const message = 'ж'.repeat(10_000);
    const asks = (position: number): LayerOutcome => {
      const approval = { message, approvers: [], onTimeout: 'fail' } as const;
      return { kind: 'wait', wait: { ...waitAt(position, { kind: 'approval' }), approval } };
    };
    const stage = `w${'W'.repeat(299)}`;
    let session = onLayersStarted(
      sessionOf(stage),
      Array.from(stage, (_letter, i) => i),
      AT,
    );
    for (const position of [...stage].keys()) session = onLayerEnded(session, asks(position));
    const waiting = Object.keys(session.waits).length;
    expect([waiting > 150, waiting < 250]).toEqual([true, true]);
    expect(session.unstoredResults).toHaveLength(300 - waiting);
    expect(session.unstoredResults[0]?.error).toMatchObject({ code: 'output_too_large' });
    expect(session.failure).toMatchObject({ code: 'output_too_large' });
  });

  it('has a layer that waited, or was tried before, going on since its start was told', () => {
    const since = new Date(AT.getTime() - 5_000);
    const session = sessionOf('w', { waits: { '0': waitAt(0, { since }) } });
    expect(onLayerEnded(session, DONE).unstoredResults[0]?.startedAt).toEqual(since);
    expect(
      onLayerEnded({ ...session, loggedStarts: new Map([[0, since]]), waits: {} }, DONE).unstoredResults[0]?.startedAt,
    ).toEqual(since);
    expect(onLayerEnded(sessionOf('w'), DONE).unstoredResults[0]?.startedAt).toEqual(AT);
  });

  it('puts a failed call on record and makes it again after the pause, up to the number of attempts', () => {
    const first = onLayerEnded(onLayersStarted(sessionOf('r'), [0], AT), failing('timeout'));
    expect(first).toMatchObject({
      unstoredResults: [],
      failure: null,
      tries: { '0': 1 },
      failedCalls: [{ position: 0, attempt: 1 }],
    });
    const pause = (first.waits['0']?.until?.getTime() ?? 0) - AT.getTime();
    expect(pause).toBeGreaterThanOrEqual(400);
    expect(pause).toBeLessThanOrEqual(800);
    const { write } = nextWrite(first);
    expect(write.log.map(({ type }) => type)).toEqual(['start', 'error']);
    expect(write.set).toMatchObject({ tries: { '0': 1 }, owner: ME, state: 'RUN' });
    expect(onLayerEnded({ ...first, tries: { '0': 2 }, failedCalls: [] }, failing('timeout'))).toMatchObject({
      unstoredResults: [{ state: 'FAIL' }],
      failure: { code: 'timeout' },
      ...{ tries: {}, waits: {} },
    });
  });

  it('counts the calls that a loop made of its item', () => {
    const looped = (attempts: number): LayerOutcome => ({
      kind: 'result',
      result: resultAt(0, { state: 'FAIL', error: { code: 'timeout', message: 'no' }, attempts }),
    });
    expect(onLayerEnded(sessionOf('r'), looped(2))).toMatchObject({ unstoredResults: [], tries: { '0': 2 } });
    expect(onLayerEnded(sessionOf('r'), looped(3))).toMatchObject({
      unstoredResults: [{ state: 'FAIL', attempts: 3 }],
      failedCalls: [],
    });
  });

  it('makes no call again that would fail again, or beside a failure, or when the journal is full', () => {
    const ended = { unstoredResults: [{ state: 'FAIL' }], failedCalls: [] };
    expect(onLayerEnded(sessionOf('r'), failing('invalid_args'))).toMatchObject(ended);
    expect(
      onLayerEnded(sessionOf('r', { failure: { code: 'x', message: '', ref: null } }), failing('timeout')),
    ).toMatchObject(ended);
    expect(onLayerEnded(sessionOf('r', { seq: FULL }), failing('timeout'))).toMatchObject(ended);
    expect(onLayerEnded(sessionOf('r', { seq: FULL + 1, cursor: 1 }), failing('timeout')).failedCalls).toHaveLength(1);
  });

  it('keeps the first failure of a stage', () => {
    const session = onLayerEnded(onLayerEnded(sessionOf('eE'), failing('timeout')), failing('bad_status', 1));
    expect(session).toMatchObject({
      failure: { code: 'timeout' },
      unstoredResults: [{ position: 0 }, { position: 1 }],
    });
  });

  it('gives what a branch rules out its result when its turn comes, behind it only', () => {
    const skip = { skip: ['e3', 'b0'] };
    const session = onLayerEnded(sessionOf('bpee'), { kind: 'result', result: resultAt(0), then: skip });
    expect(session).toMatchObject({ skippedPositions: [3], unstoredResults: [{ position: 0, skips: [3] }] });
    const later = [1, 2].reduce((one, at) => onLayerEnded(one, { kind: 'result', result: resultAt(at) }), session);
    expect(later.unstoredResults.map(({ position, state }) => [position, state])).toEqual([
      [0, 'DONE'],
      [1, 'DONE'],
      [2, 'DONE'],
      [3, 'SKIP'],
    ]);
  });

  it('has a branch rule out nothing that runs beside it', () => {
    const skip = { skip: ['E1', 'e2'] };
    expect(
      onLayerEnded(sessionOf('bEe'), { kind: 'result', result: resultAt(0), then: skip }).skippedPositions,
    ).toEqual([2]);
  });

  it('gives all that a filter leaves its result; the play is FILTERED only if nothing else ever ran', () => {
    const filters: LayerOutcome = {
      ...{ kind: 'result', result: resultAt(0, { state: 'FILTERED' }) },
      then: { filterRest: true },
    };
    const session = onLayerEnded(sessionOf('fwe', { waits: { '1': waitAt(1) } }), filters);
    expect(session.unstoredResults.map(({ state }) => state)).toEqual(['FILTERED', 'FILTERED', 'FILTERED']);
    expect(session.unstoredResults[0]).toMatchObject({ filtersRest: true });
    expect(session.waits).toEqual({});
    expect(nextWrite(session).write.set.state).toBe('FILTERED');
    expect(nextWrite({ ...session, onlyFiltered: false }).write.set.state).toBe('DONE');
    expect(nextWrite(onLayerEnded(sessionOf('n'), filters)).write.log.map(({ type }) => type)).not.toContain('start');
  });

  it('makes no call again behind a filter beside it, and tells of the failure before the end', () => {
    const filters: LayerOutcome = { ...DONE, then: { filterRest: true } };
    const running = onLayersStarted(sessionOf('fRe'), [0, 1], AT);
    const orders = [
      onLayerEnded(onLayerEnded(running, filters), failing('timeout', 1)),
      onLayerEnded(onLayerEnded(running, failing('timeout', 1)), filters),
    ];
    for (const session of orders) {
      expect(session.unstoredResults.map(({ position }) => position)).toEqual([0, 1, 2]);
      expect([session.waits, session.tries]).toEqual([{}, {}]);
      const told = nextWrite(session).write.log.flatMap((entry) =>
        'layer' in entry && entry.layer === 1 ? [entry.type] : [],
      );
      expect(told).toEqual(['start', 'error', 'complete']);
    }
  });
});

describe('onConditionChecked', () => {
  it('lets a layer run, or ends it without a start', () => {
    const session = sessionOf('n');
    expect(nextStep(session, inputs)).toEqual({ kind: 'checkConditions', positions: [0] });
    expect(nextStep(onConditionChecked(session, 0, null), inputs)).toEqual({ kind: 'startLayers', positions: [0] });
    const filtered: LayerOutcome = { kind: 'result', result: resultAt(0, { state: 'FILTERED' }) };
    expect(onConditionChecked(session, 0, filtered)).toMatchObject({
      unstoredResults: [{ state: 'FILTERED' }],
      conditionsMet: [],
    });
  });
});

describe('onWriteRefused', () => {
  const overs: Record<(typeof PLAY_STATES)[number], string | null> = {
    NEW: null,
    RUN: null,
    ON_HOLD: null,
    WAIT: 'not_ready',
    DEFERRED: 'not_ready',
    DONE: 'final',
    FAIL: 'final',
    SKIP: 'final',
    FILTERED: 'final',
  };
  it.each(PLAY_STATES)('and the play is %s now', (state) => {
    for (const [session, owner] of [
      [sessionOf('e'), undefined],
      [sessionOf('e', { isClaimed: true }), ME],
    ] as const) {
      const after = onWriteRefused(session, 'boundary', playIn(state, { seq: 9, owner }));
      expect(after.endReason).toBe(overs[state]);
      if (after.endReason === null) expect(after).toMatchObject({ seq: 9, state });
    }
  });

  it.each([
    ['unclaimed, owned by nobody', {}, {}, null],
    ['unclaimed, owned by another', {}, { owner: 'w:2' }, 'owned'],
    ['unclaimed, and mine after all: the answer was lost', {}, { owner: ME }, null],
    ['claimed, owned by nobody', { isClaimed: true }, {}, 'owned'],
    ['claimed, owned by another', { isClaimed: true }, { owner: 'w:2' }, 'owned'],
    ['raised to another epoch', { isClaimed: true }, { owner: ME, epoch: 5 }, 'fenced'],
    ['moved on by another', {}, { cursor: 1 }, 'fenced'],
  ] as const)('%s', (_title, change, fresh, over) => {
    expect(onWriteRefused(sessionOf('ee', change), 'boundary', playIn('RUN', fresh)).endReason).toBe(over);
  });

  it('is the end when the play is deleted', () => {
    expect(onWriteRefused(sessionOf('e'), 'final', null).endReason).toBe('deleted');
  });

  it('of a claim that was stored, its answer lost, gives the play up under hold instead of leaving it owned', () => {
    const session = sessionOf('e', { mustClaim: true });
    const after = onWriteRefused(session, 'claim', playIn('ON_HOLD', { seq: session.seq + 2, held: 'RUN', owner: ME }));
    const { purpose, write } = nextWrite(after);
    expect([after.endReason, purpose]).toEqual([null, 'held']);
    expect(write.unset).toContain('owner');
  });

  it('of a claim is tried again as a claim, or dropped under hold', () => {
    const session = sessionOf('e', { mustClaim: true });
    expect(nextWrite(onWriteRefused(session, 'claim', playIn('RUN', { seq: 9 }))).purpose).toBe('claim');
    expect(onWriteRefused(session, 'claim', playIn('ON_HOLD')).endReason).toBe('held');
  });

  it('goes on with what is left when a boundary write had been stored, its answer lost', () => {
    const session = sessionOf('epe', { unstoredResults: [resultAt(0), resultAt(1)] });
    const after = onWriteRefused(session, 'boundary', playIn('RUN', { owner: ME, cursor: 1, seq: 9 }));
    expect(after).toMatchObject({ endReason: null, cursor: 1, unstoredResults: [{ position: 1 }], isClaimed: true });
  });

  it('knows its own start when that had been stored, its answer lost', () => {
    const after = onWriteRefused(sessionOf('o'), 'start', playIn('RUN', { owner: ME, started: 0, seq: 9 }));
    expect(nextStep(after, inputs)).toEqual({ kind: 'startLayers', positions: [0] });
  });

  it('asks a waiting layer again when its answer has come', () => {
    const waits = { '0': waitAt(0) };
    const fresh = playIn('RUN', { seq: 8, inbox: { '0': 'x' } });
    expect(nextStep(onWriteRefused(sessionOf('w', { waits }), 'park', fresh), inputs)).toEqual({
      kind: 'startLayers',
      positions: [0],
    });
    const later = onWriteRefused(sessionOf('w', { waits }), 'park', playIn('RUN', { seq: 8, inbox: { '3': 'x' } }));
    expect(nextWrite(later).purpose).toBe('park');
  });

  it('knows a failed call that had been put on record, its answer lost, and the starts with it', () => {
    const session = sessionOf('r', { failedCalls: [failedAt(0)], tries: { '0': 1 }, waits: { '0': pauseAt(0, AT) } });
    const write = nextWrite(session).write;
    const fresh = applyWrite(
      playIn('RUN', { log: Array.from({ length: 7 }, () => playIn('RUN').log[0] as LogEntry) }),
      write,
      AT,
    );
    const after = onWriteRefused(session, 'boundary', fresh);
    expect(after).toMatchObject({ endReason: null, isClaimed: true, failedCalls: [], tries: { '0': 1 } });
    expect(after.loggedStarts.has(0)).toBe(true);
    expect(nextStep(after, inputs)).toEqual({ kind: 'startLayers', positions: [0] });
    expect(onWriteRefused(session, 'boundary', playIn('RUN', { seq: 8 })).failedCalls).toHaveLength(1);
  });
});

describe('a layer that was called before a crash', () => {
  it('says how many calls may have been made besides; later layers do not', () => {
    const crashed = sessionOf('pe', { crashes: 2 });
    const ended = (session: Session, position: number, attempts = 1) =>
      onLayerEnded(onLayersStarted(session, [position], AT), {
        kind: 'result',
        result: { ...resultAt(position), attempts },
      });
    const first = ended(crashed, 0);
    expect(first.unstoredResults.at(-1)).toMatchObject({ attempts: 1, interruptions: 2 });
    expect(ended(crashed, 0, 0).unstoredResults.at(-1)).not.toHaveProperty('interruptions');
    const later = ended({ ...first, crashes: 0 }, 1);
    expect(later.unstoredResults.at(-1)).not.toHaveProperty('interruptions');
  });
});
