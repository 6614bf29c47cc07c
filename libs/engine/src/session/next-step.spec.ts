import { describe, expect, it } from 'vitest';
import { AT, ME, failedAt, pauseAt, resultAt, sessionOf, waitAt } from '../../model/build.js';
import { decideGivingUp, decideLazyClaim, nextStep, type StepInputs, type SessionStep } from './next-step.js';
import { onLayersStarted } from './session-events.js';
import type { Session } from './session.js';

const CALM: StepInputs = { isProofFresh: true, isStopping: false, at: AT };
const STALE = { ...CALM, isProofFresh: false };
const STOPPING = { ...CALM, isStopping: true };
const failure = { code: 'failed', message: 'It failed.', ref: 'e0' };

const mine: Partial<Session> = { isClaimed: true, mustClaim: false };
const effectDone: Partial<Session> = { unstoredResults: [resultAt(0)] };
const waiting: Partial<Session> = { waits: { '0': waitAt(0) } };
const held: Partial<Session> = { state: 'ON_HOLD' };
const SOON = new Date(AT.getTime() + 1_000);
const FAR = new Date(AT.getTime() + 60_000);
const tried = (until: Date): Partial<Session> => ({
  failedCalls: [failedAt(0)],
  tries: { '0': 1 },
  waits: { '0': pauseAt(0, until) },
});
const onRecord = (until: Date): Partial<Session> => ({
  ...tried(until),
  ...mine,
  failedCalls: [],
  storedWaits: { '0': pauseAt(0, until) },
  loggedStarts: new Map([[0, AT]]),
});
const runs = (...positions: number[]): Partial<Session> => ({
  runningCalls: positions.map((position) => ({ position, since: AT, attempt: 1, waitedFor: null })),
});
const told: Partial<Session> = { loggedStarts: new Map([[0, AT]]) };
const besidePause = (until: Date): Partial<Session> => ({
  waits: { '0': pauseAt(0, until), '1': waitAt(1) },
  storedWaits: { '0': pauseAt(0, until) },
  loggedStarts: new Map([
    [0, AT],
    [1, AT],
  ]),
});
const startedBy = (me: boolean): Partial<Session> => ({ ...mine, startedStage: 0, hasStartedStage: me });

/** What a step is, in a word. */
function said(step: SessionStep): string {
  if (step.kind === 'startLayers' || step.kind === 'checkConditions') return `${step.kind} ${step.positions.join()}`;
  if (step.kind === 'drop') return `drop ${step.reason}`;
  return step.kind === 'write' ? `${step.purpose} ${step.write.set.state ?? ''}`.trim() : step.kind;
}

describe('nextStep', () => {
  it.each<readonly [string, string, Partial<Session>, StepInputs, string]>([
    ['a first delivery', 'e', {}, CALM, 'startLayers 0'],
    ['a first delivery with an old proof', 'e', {}, STALE, 'claim RUN'],
    ['a pure layer with an old proof', 'pe', {}, STALE, 'startLayers 0'],
    ['one that must claim', 'e', { mustClaim: true }, CALM, 'claim RUN'],
    ['one that must claim, before a pure layer', 'p', { mustClaim: true }, CALM, 'claim RUN'],
    ['one that must claim, in a process that stops', 'e', { mustClaim: true }, STOPPING, 'handBack'],
    ['a claimed play', 'e', mine, CALM, 'startLayers 0'],
    ['a claimed play with an old proof', 'e', mine, STALE, 'renewLease'],
    ['an effect after a finished effect', 'ee', effectDone, CALM, 'boundary RUN'],
    ['an effect after a finished effect, with an old proof', 'ee', effectDone, STALE, 'boundary RUN'],
    ['a pure layer after a finished effect', 'ep', effectDone, CALM, 'startLayers 1'],
    ['a wait after a finished effect', 'ew', effectDone, CALM, 'startLayers 1'],
    ['an effect after a pure layer', 'pe', effectDone, CALM, 'startLayers 1'],
    ['the end', 'e', effectDone, CALM, 'final DONE'],
    ['the end, in a process that stops', 'e', effectDone, STOPPING, 'final DONE'],
    ['the end, with an old proof', 'e', effectDone, STALE, 'final DONE'],
    ['a failure', 'ee', { ...effectDone, failure }, CALM, 'final FAIL'],
    ['a failure under hold', 'ee', { ...effectDone, failure, ...held }, CALM, 'final FAIL'],
    ['a parking', 'we', waiting, CALM, 'park WAIT'],
    ['a parking in a process that stops', 'we', waiting, STOPPING, 'park WAIT'],
    ['a parking under hold', 'we', { ...waiting, ...held }, CALM, 'held'],
    ['a hold', 'ee', { ...effectDone, ...held }, CALM, 'held'],
    ['a hold after the last layer', 'e', { ...effectDone, ...held }, CALM, 'held'],
    ['an effect in a process that stops', 'ee', effectDone, STOPPING, 'handBack RUN'],
    ['an effect in a process that stops, nothing done', 'e', {}, STOPPING, 'handBack'],
    ['a pure layer in a process that stops', 'pe', {}, STOPPING, 'startLayers 0'],
    ['a layer that is never repeated', 'o', {}, CALM, 'start RUN'],
    ['the same, started by me', 'o', startedBy(true), CALM, 'startLayers 0'],
    ['the same, started by me, with an old proof', 'o', startedBy(true), STALE, 'renewLease'],
    ['the same, started by another owner', 'o', startedBy(false), CALM, 'final FAIL'],
    ['the same, after a finished effect', 'eo', effectDone, CALM, 'start RUN'],
    ['a stage', 'eEP', {}, CALM, 'startLayers 0,1,2'],
    ['a stage after a finished effect', 'eeE', effectDone, CALM, 'boundary RUN'],
    ['a stage that runs', 'eE', runs(0, 1), CALM, 'idle'],
    ['a stage of which one has ended', 'eE', { ...effectDone, ...runs(1) }, CALM, 'idle'],
    ['the same, claimed: it is stored', 'eE', { ...effectDone, ...runs(1), ...mine }, CALM, 'boundary RUN'],
    ['a stage of which one waits', 'wE', { ...waiting, ...runs(1) }, CALM, 'idle'],
    ['the same, claimed: it is stored', 'wE', { ...waiting, ...runs(1), ...mine }, CALM, 'boundary RUN'],
    ['the same, its start told before', 'wE', { ...waiting, ...runs(1), ...mine, ...told }, CALM, 'boundary RUN'],
    ['the same, stored', 'wE', { ...waiting, storedWaits: { '0': waitAt(0) }, ...runs(1), ...mine }, CALM, 'idle'],
    ['a wait beside a short pause', 'rW', { ...onRecord(SOON), ...besidePause(SOON) }, CALM, 'boundary RUN'],
    ['a claimed play with an earlier result that runs', 'pe', { ...effectDone, ...runs(1), ...mine }, CALM, 'idle'],
    [
      'a stage that has ended, before the next',
      'eEe',
      { unstoredResults: [resultAt(1), resultAt(0)] },
      CALM,
      'boundary RUN',
    ],
    ['a stage with one stored result, taken again', 'eEp', { endedPositions: [1], cursor: 1 }, CALM, 'startLayers 0'],
    ['a failure in a stage that runs', 'eE', { ...effectDone, ...runs(1), failure }, CALM, 'idle'],
    ['a hold in a stage that runs', 'eE', { ...effectDone, ...runs(1), ...held }, CALM, 'idle'],
    ['a stop in a stage that runs', 'eE', { ...effectDone, ...runs(1) }, STOPPING, 'idle'],
    ['a stage with one that is never repeated', 'eO', {}, CALM, 'start RUN'],
    [
      'a stage with one that waits, after the other',
      'wE',
      { ...waiting, unstoredResults: [resultAt(1)] },
      CALM,
      'park WAIT',
    ],
    ['a failed call that will be made again', 'r', tried(SOON), CALM, 'boundary RUN'],
    ['the same, on record', 'r', onRecord(SOON), CALM, 'idle'],
    ['the same, after its pause', 'r', onRecord(AT), CALM, 'startLayers 0'],
    ['the same, after its pause, with an old proof', 'r', onRecord(AT), STALE, 'renewLease'],
    ['the same, after its pause, not on record', 'r', tried(AT), CALM, 'boundary RUN'],
    ['the same, in a process that stops', 'r', tried(SOON), STOPPING, 'handBack RUN'],
    ['the same, under hold', 'r', { ...tried(SOON), ...held }, CALM, 'held'],
    ['a failed call with a long pause', 'r', tried(FAR), CALM, 'park DEFERRED'],
    ['the same, beside one that runs', 'rE', { ...tried(FAR), ...runs(1) }, CALM, 'idle'],
    ['the same, beside one that runs, claimed', 'rE', { ...tried(FAR), ...runs(1), ...mine }, CALM, 'boundary RUN'],
    [
      'the same, beside one that waits',
      'rW',
      { ...tried(FAR), waits: { '0': pauseAt(0, FAR), '1': waitAt(1) } },
      CALM,
      'park WAIT',
    ],
    ['a second call of one that is never repeated', 'q', { ...onRecord(AT), startedStage: null }, CALM, 'start RUN'],
    ['a condition', 'n', {}, CALM, 'checkConditions 0'],
    ['a condition, of a play that must claim', 'n', { mustClaim: true }, CALM, 'claim RUN'],
    ['conditions in a stage', 'eNE', {}, CALM, 'checkConditions 1'],
    ['a session that is over', 'e', { endReason: 'fenced' }, CALM, 'drop fenced'],
  ])('%s', (_title, layers, change, facts, expected) => {
    expect(said(nextStep(sessionOf(layers, change), facts))).toBe(expected);
  });

  it('never names a final state in a filter, and raises epoch or seq in every write', () => {
    const sessions = ['e', 'o', 'p', 'w', 'ee'].flatMap((layers) =>
      [{}, mine, effectDone, waiting, held, { failure }, { mustClaim: true }].map((change) =>
        sessionOf(layers, change),
      ),
    );
    for (const session of sessions) {
      for (const facts of [CALM, STALE, STOPPING]) {
        const step = nextStep(session, facts);
        if (step.kind !== 'write') continue;
        const { match, set } = step.write;
        expect(match.states.filter((state) => !['NEW', 'RUN', 'ON_HOLD'].includes(state))).toEqual([]);
        expect(match).toMatchObject({ epoch: session.epoch, seq: session.seq });
        expect((set.epoch ?? session.epoch) + (set.seq ?? session.seq)).toBeGreaterThan(session.epoch + session.seq);
      }
    }
  });
});

describe('the claim', () => {
  const claim = (change: Partial<Session>, layers = 'e') => {
    const step = nextStep(sessionOf(layers, { mustClaim: true, ...change }), CALM);
    return step.kind === 'write' ? step.write : null;
  };

  it('takes a play that nobody owns, and unsets strict and the time by which it had to begin', () => {
    expect(claim({})).toMatchObject({
      match: { owner: null },
      set: { owner: ME },
      unset: ['strict', 'notAfter'],
      touch: ['heartbeatAt'],
    });
  });

  it.each([
    [{ redelivered: true, strict: false, crashes: 0 }, 1],
    // it claims first, so it cannot have run
    [{ redelivered: true, strict: false, crashes: 1 }, undefined],
    [{ redelivered: true, strict: true, crashes: 2 }, undefined],
    [{ redelivered: false, strict: true, crashes: 2 }, undefined],
  ])('of %o stores crashes: %s', (change, crashes) => {
    expect(claim(change)?.set.crashes).toBe(crashes);
  });

  it('records the start of a layer that is never repeated, unless another did', () => {
    expect(claim({}, 'o')?.set.started).toBe(0);
    expect(claim({ startedStage: 0 }, 'o')?.set.started).toBeUndefined();
    expect(claim({}, 'e')?.set.started).toBeUndefined();
  });
});

describe('decideLazyClaim', () => {
  const inCall = (layers: string, change: Partial<Session> = {}) => {
    const session = sessionOf(layers, change);
    return onLayersStarted(session, [session.unstoredResults.length], AT);
  };

  it.each<readonly [string, Session, string | null]>([
    ['a call', inCall('e'), 'RUN'],
    ['no call', sessionOf('e'), null],
    ['a call of a play that is claimed', inCall('e', mine), null],
    ['a call that does not matter any more', inCall('e', { endReason: 'fenced' }), null],
  ])('beside %s', (_title, session, state) => {
    expect(decideLazyClaim(session, AT)?.write.set.state ?? null).toBe(state);
  });

  it('stores the pure results that are there, if nobody owns the play', () => {
    const write = decideLazyClaim(inCall('ppe', { unstoredResults: [resultAt(0), resultAt(1)] }), AT)?.write;
    expect(write).toMatchObject({ match: { owner: null, seq: 7 }, set: { cursor: 2, owner: ME, crashes: 0 } });
    expect(write?.log.map(({ type }) => type)).toEqual(['start', 'complete', 'start', 'complete', 'start']);
  });

  it('under hold takes the lease and stores nothing else', () => {
    const write = decideLazyClaim(inCall('pe', { ...held, unstoredResults: [resultAt(0)] }), AT)?.write;
    expect(write).toMatchObject({
      match: { states: ['ON_HOLD'], owner: null },
      set: { held: 'RUN', owner: ME },
      layers: [],
    });
    expect(write?.set).not.toHaveProperty('state');
  });
});

describe('decideGivingUp, when the grace is over', () => {
  it.each<readonly [string, string, Partial<Session>, boolean, string | undefined]>([
    ['in a call', 'e', mine, true, 'handBack'],
    ['in a call of a play on hold', 'e', { ...mine, ...held }, true, 'held'],
    ['in a call that is never repeated', 'o', startedBy(true), true, 'final'],
    ['in a call that is never repeated, on hold', 'o', { ...startedBy(true), ...held }, true, 'final'],
    ['before the call of one that is never repeated', 'o', startedBy(true), false, 'handBack'],
    ['with a failure that is not stored', 'ee', { ...effectDone, failure }, false, 'final'],
    ['with a failure that is not stored, on hold', 'ee', { ...effectDone, failure, ...held }, false, 'final'],
    ['with nothing left to say', 'e', { endReason: 'final' }, false, undefined],
  ])('%s', (_title, layers, change, inCall, purpose) => {
    const session = sessionOf(layers, change);
    expect(decideGivingUp(inCall ? onLayersStarted(session, [0], AT) : session, AT)?.purpose).toBe(purpose);
  });

  it('keeps what is finished, raises the epoch and lets go', () => {
    const write = decideGivingUp(
      onLayersStarted(sessionOf('pe', { ...mine, unstoredResults: [resultAt(0)] }), [1], AT),
      AT,
    )?.write;
    expect(write).toMatchObject({ set: { epoch: 5, cursor: 1, state: 'RUN', crashes: 0 }, touch: ['heartbeatAt'] });
    expect(write?.unset).toContain('owner');
  });
});

describe('parking after a crash', () => {
  const crashed: Partial<Session> = { ...mine, crashes: 2 };
  const parked = (change: Partial<Session>) => {
    const step = nextStep(sessionOf('ee', { ...crashed, ...change }), CALM);
    return step.kind === 'write' ? step.write.set : step;
  };
  const forLimit = { ...pauseAt(0, FAR), kind: 'rate_limit' as const };

  it('forgets the crash when something has been recorded since, or is waited for that is not a limit', () => {
    expect(parked({ waits: { '0': waitAt(0) } })).toMatchObject({ crashes: 0 });
    expect(parked({ waits: { '1': { ...forLimit, position: 1 } }, unstoredResults: [resultAt(0)] })).toMatchObject({
      crashes: 0,
    });
  });

  it('remembers it while the call that came after it has only waited for a rate limit', () => {
    const set = parked({ waits: { '0': forLimit } });
    expect(set).toMatchObject({ state: 'DEFERRED' });
    expect(set).not.toHaveProperty('crashes');
  });
});

describe('a recorded start', () => {
  const unset = (change: Partial<Session>, facts = CALM) => {
    const step = nextStep(sessionOf('o', change), facts);
    return step.kind === 'write' ? step.write.unset : [];
  };

  it('is forgotten by a stop before the call only by the owner that recorded it', () => {
    expect(unset({ ...startedBy(true), ...held })).toContain('started');
    expect(unset({ ...startedBy(false), ...held })).not.toContain('started');
    expect(unset(startedBy(true), STOPPING)).toContain('started');
    expect(unset({ ...startedBy(false), mustClaim: true, isClaimed: false }, STOPPING)).not.toContain('started');
  });
});
