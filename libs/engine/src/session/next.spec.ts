import { describe, expect, it } from 'vitest';
import { AT, ME, resultAt, sessionOf } from '../model/build.js';
import { abandon, calling, lazy, next, type Facts, type Step } from './decide.js';
import type { Session } from './session.js';

const CALM: Facts = { proofFresh: true, stopping: false, at: AT };
const STALE = { ...CALM, proofFresh: false };
const STOPPING = { ...CALM, stopping: true };
const failure = { code: 'failed', message: 'It failed.', ref: 'e0' };

const mine: Partial<Session> = { claimed: true, mustClaim: false };
const effectDone: Partial<Session> = { results: [resultAt(0)] };
const waiting: Partial<Session> = { parking: { state: 'WAIT', dueAt: null } };
const held: Partial<Session> = { state: 'ON_HOLD' };
const startedBy = (me: boolean): Partial<Session> => ({ ...mine, started: 0, startedByMe: me });

/** What a step is, in a word. */
function said(step: Step): string {
  if (step.kind === 'call') return `call ${step.position}`;
  if (step.kind === 'drop') return `drop ${step.reason}`;
  return step.kind === 'write' ? `${step.purpose} ${step.write.set.state ?? ''}`.trim() : step.kind;
}

describe('next', () => {
  it.each<readonly [string, string, Partial<Session>, Facts, string]>([
    ['a first delivery', 'e', {}, CALM, 'call 0'],
    ['a first delivery with an old proof', 'e', {}, STALE, 'claim RUN'],
    ['a pure layer with an old proof', 'pe', {}, STALE, 'call 0'],
    ['one that must claim', 'e', { mustClaim: true }, CALM, 'claim RUN'],
    ['one that must claim, before a pure layer', 'p', { mustClaim: true }, CALM, 'claim RUN'],
    ['one that must claim, in a process that stops', 'e', { mustClaim: true }, STOPPING, 'handBack'],
    ['a claimed play', 'e', mine, CALM, 'call 0'],
    ['a claimed play with an old proof', 'e', mine, STALE, 'prove'],
    ['an effect after a finished effect', 'ee', effectDone, CALM, 'boundary RUN'],
    ['an effect after a finished effect, with an old proof', 'ee', effectDone, STALE, 'boundary RUN'],
    ['a pure layer after a finished effect', 'ep', effectDone, CALM, 'call 1'],
    ['a wait after a finished effect', 'ew', effectDone, CALM, 'call 1'],
    ['an effect after a pure layer', 'pe', effectDone, CALM, 'call 1'],
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
    ['a pure layer in a process that stops', 'pe', {}, STOPPING, 'call 0'],
    ['a layer that is never repeated', 'o', {}, CALM, 'start RUN'],
    ['the same, started by me', 'o', startedBy(true), CALM, 'call 0'],
    ['the same, started by me, with an old proof', 'o', startedBy(true), STALE, 'prove'],
    ['the same, started by another owner', 'o', startedBy(false), CALM, 'final FAIL'],
    ['the same, after a finished effect', 'eo', effectDone, CALM, 'start RUN'],
    ['a session that is over', 'e', { over: 'fenced' }, CALM, 'drop fenced'],
  ])('%s', (_title, layers, change, facts, expected) => {
    expect(said(next(sessionOf(layers, change), facts))).toBe(expected);
  });

  it('never names a final state in a filter, and raises epoch or seq in every write', () => {
    const sessions = ['e', 'o', 'p', 'w', 'ee'].flatMap((layers) =>
      [{}, mine, effectDone, waiting, held, { failure }, { mustClaim: true }].map((change) =>
        sessionOf(layers, change),
      ),
    );
    for (const session of sessions) {
      for (const facts of [CALM, STALE, STOPPING]) {
        const step = next(session, facts);
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
    const step = next(sessionOf(layers, { mustClaim: true, ...change }), CALM);
    return step.kind === 'write' ? step.write : null;
  };

  it('takes a play that nobody owns, and unsets strict', () => {
    expect(claim({})).toMatchObject({
      match: { owner: null },
      set: { owner: ME },
      unset: ['strict'],
      touch: ['beatAt'],
    });
  });

  it.each([
    [{ redelivered: true, strict: false, crashes: 0 }, 1],
    [{ redelivered: true, strict: false, crashes: 1 }, 2],
    [{ redelivered: true, strict: true, crashes: 2 }, undefined],
    [{ redelivered: false, strict: true, crashes: 2 }, undefined],
  ])('of %o stores crashes: %s', (change, crashes) => {
    expect(claim(change)?.set.crashes).toBe(crashes);
  });

  it('is a FAIL instead when it would be the third crash', () => {
    expect(claim({ redelivered: true, crashes: 2 })).toMatchObject({
      match: { owner: null },
      set: { state: 'FAIL', crashes: 3, error: { code: 'crashed_repeatedly', ref: 'e0' } },
    });
  });

  it('records the start of a layer that is never repeated, unless another did', () => {
    expect(claim({}, 'o')?.set.started).toBe(0);
    expect(claim({ started: 0 }, 'o')?.set.started).toBeUndefined();
    expect(claim({}, 'e')?.set.started).toBeUndefined();
  });
});

describe('lazy', () => {
  const inCall = (layers: string, change: Partial<Session> = {}) => calling(sessionOf(layers, change), AT);

  it.each<readonly [string, Session, string | null]>([
    ['a call', inCall('e'), 'RUN'],
    ['no call', sessionOf('e'), null],
    ['a call of a play that is claimed', inCall('e', mine), null],
    ['a call that does not matter any more', inCall('e', { over: 'fenced' }), null],
  ])('beside %s', (_title, session, state) => {
    expect(lazy(session, AT)?.write.set.state ?? null).toBe(state);
  });

  it('stores the pure results that are there, if nobody owns the play', () => {
    const write = lazy(inCall('ppe', { results: [resultAt(0), resultAt(1)] }), AT)?.write;
    expect(write).toMatchObject({ match: { owner: null, seq: 7 }, set: { cursor: 2, owner: ME, crashes: 0 } });
    expect(write?.log.map(({ type }) => type)).toEqual(['start', 'complete', 'start', 'complete', 'start']);
  });

  it('under hold takes the lease and stores nothing else', () => {
    const write = lazy(inCall('pe', { ...held, results: [resultAt(0)] }), AT)?.write;
    expect(write).toMatchObject({
      match: { states: ['ON_HOLD'], owner: null },
      set: { held: 'RUN', owner: ME },
      layers: [],
    });
    expect(write?.set).not.toHaveProperty('state');
  });
});

describe('abandon, when the grace is over', () => {
  it.each<readonly [string, string, Partial<Session>, boolean, string | undefined]>([
    ['in a call', 'e', mine, true, 'handBack'],
    ['in a call of a play on hold', 'e', { ...mine, ...held }, true, 'held'],
    ['in a call that is never repeated', 'o', startedBy(true), true, 'final'],
    ['in a call that is never repeated, on hold', 'o', { ...startedBy(true), ...held }, true, 'final'],
    ['before the call of one that is never repeated', 'o', startedBy(true), false, 'handBack'],
    ['with a failure that is not stored', 'ee', { ...effectDone, failure }, false, 'final'],
    ['with a failure that is not stored, on hold', 'ee', { ...effectDone, failure, ...held }, false, 'final'],
    ['with nothing left to say', 'e', { over: 'final' }, false, undefined],
  ])('%s', (_title, layers, change, inCall, purpose) => {
    const session = sessionOf(layers, change);
    expect(abandon(inCall ? calling(session, AT) : session, AT)?.purpose).toBe(purpose);
  });

  it('keeps what is finished, raises the epoch and lets go', () => {
    const write = abandon(calling(sessionOf('pe', { ...mine, results: [resultAt(0)] }), AT), AT)?.write;
    expect(write).toMatchObject({ set: { epoch: 5, cursor: 1, state: 'RUN', crashes: 0 }, touch: ['beatAt'] });
    expect(write?.unset).toContain('owner');
  });
});

describe('a recorded start', () => {
  const unset = (change: Partial<Session>, facts = CALM) => {
    const step = next(sessionOf('o', change), facts);
    return step.kind === 'write' ? step.write.unset : [];
  };

  it('is forgotten by a stop before the call only by the owner that recorded it', () => {
    expect(unset({ ...startedBy(true), ...held })).toContain('started');
    expect(unset({ ...startedBy(false), ...held })).not.toContain('started');
    expect(unset(startedBy(true), STOPPING)).toContain('started');
    expect(unset({ ...startedBy(false), mustClaim: true, claimed: false }, STOPPING)).not.toContain('started');
  });
});
