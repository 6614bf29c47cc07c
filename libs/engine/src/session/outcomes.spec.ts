import { PLAY_STATES } from '@weft/contracts';
import { describe, expect, it } from 'vitest';
import { AT, ME, playIn, resultAt, sessionOf } from '../model/build.js';
import { applyWrite } from '../play-write.js';
import { applied, called, calling, lazy, next, refused } from './decide.js';
import type { Session } from './session.js';
import type { Purpose, SessionWrite } from './writes.js';

const facts = { proofFresh: true, stopping: false, at: AT };

function nextWrite(session: Session, stopping = false): SessionWrite {
  const step = next(session, { ...facts, stopping });
  if (step.kind !== 'write') throw new Error(`${step.kind}, not a write`);
  return step;
}

describe('applied', () => {
  it.each<readonly [Purpose, Session, boolean]>([
    ['final', sessionOf('e', { results: [resultAt(0)] }), false],
    ['park', sessionOf('w', { parking: { state: 'WAIT', dueAt: null } }), false],
    ['held', sessionOf('e', { state: 'ON_HOLD' }), false],
    ['handBack', sessionOf('e'), true],
  ])('%s is the last write of a session', (purpose, session, stopping) => {
    const write = nextWrite(session, stopping);
    expect(write.purpose).toBe(purpose);
    expect(applied(session, write)).toMatchObject({ over: purpose, results: [] });
  });

  it.each<readonly [Purpose, Session]>([
    ['claim', sessionOf('pe', { mustClaim: true, redelivered: true })],
    ['claim', sessionOf('o', { mustClaim: true })],
    ['boundary', sessionOf('ee', { results: [resultAt(0)] })],
    ['start', sessionOf('eo', { results: [resultAt(0)] })],
  ])('%s leaves the session knowing exactly what is stored', (purpose, session) => {
    const write = nextWrite(session);
    expect(write.purpose).toBe(purpose);
    const stored = applyWrite(playIn('RUN', { cursor: session.cursor }), write.write, AT);
    const after = applied(session, write);
    expect(after).toMatchObject({ claimed: true, mustClaim: false, over: null });
    expect(stored).toMatchObject({ owner: ME, seq: after.seq, cursor: after.cursor, state: after.state });
    expect(stored).toMatchObject({ crashes: after.crashes });
    expect(stored?.started ?? null).toBe(after.started);
  });

  it('keeps the result of a call that ended while its lazy write was on the way', () => {
    const session = calling(sessionOf('pe', { results: [resultAt(0)] }), AT);
    const write = lazy(session, AT) as SessionWrite;
    const after = applied(called(session, { kind: 'result', result: resultAt(1) }), write);
    expect(after).toMatchObject({ cursor: 1, results: [{ position: 1 }], startLogged: 1, claimed: true });
  });
});

describe('called', () => {
  it.each([
    ['DONE', 'e', null],
    ['FAIL', 'e', { code: 'failed', message: 'no', ref: 'r0' }],
    ['FAIL', 'c', null],
    ['SKIP', 'e', null],
  ] as const)('%s of an "%s" layer fails the play: %o', (state, layer, failure) => {
    const error = state === 'FAIL' ? { code: 'failed', message: 'no' } : undefined;
    const session = called(calling(sessionOf(layer), AT), { kind: 'result', result: resultAt(0, { state, error }) });
    expect(session).toMatchObject({ calling: null, failure, results: [{ state }] });
  });

  it('parks, and counts a delay as done only with the parking', () => {
    const session = called(calling(sessionOf('de'), AT), {
      kind: 'park',
      parking: { state: 'DEFERRED', dueAt: AT },
      result: resultAt(0),
    });
    expect(session.results).toEqual([]);
    expect(nextWrite(session).write).toMatchObject({ set: { state: 'DEFERRED', cursor: 1, dueAt: AT, epoch: 5 } });
    expect(nextWrite({ ...session, state: 'ON_HOLD' }).write).toMatchObject({ set: { cursor: 0 }, layers: [] });
  });

  it('does not wait for an answer that has come during the call', () => {
    const session = calling(sessionOf('w', { inbox: { '0': 'x' } }), AT);
    expect(called(session, { kind: 'park', parking: { state: 'WAIT', dueAt: null } }).parking).toBeNull();
  });
});

describe('refused', () => {
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
      [sessionOf('e', { claimed: true }), ME],
    ] as const) {
      const after = refused(session, 'boundary', playIn(state, { seq: 9, owner }));
      expect(after.over).toBe(overs[state]);
      if (after.over === null) expect(after).toMatchObject({ seq: 9, state });
    }
  });

  it.each([
    ['unclaimed, owned by nobody', {}, {}, null],
    ['unclaimed, owned by another', {}, { owner: 'w:2' }, 'owned'],
    ['unclaimed, and mine after all: the answer was lost', {}, { owner: ME }, null],
    ['claimed, owned by nobody', { claimed: true }, {}, 'owned'],
    ['claimed, owned by another', { claimed: true }, { owner: 'w:2' }, 'owned'],
    ['raised to another epoch', { claimed: true }, { owner: ME, epoch: 5 }, 'fenced'],
    ['moved on by another', {}, { cursor: 1 }, 'fenced'],
  ] as const)('%s', (_title, change, fresh, over) => {
    expect(refused(sessionOf('ee', change), 'boundary', playIn('RUN', fresh)).over).toBe(over);
  });

  it('is the end when the play is deleted', () => {
    expect(refused(sessionOf('e'), 'final', null).over).toBe('deleted');
  });

  it('of a claim is tried again as a claim, or dropped under hold', () => {
    const session = sessionOf('e', { mustClaim: true });
    expect(nextWrite(refused(session, 'claim', playIn('RUN', { seq: 9 }))).purpose).toBe('claim');
    expect(refused(session, 'claim', playIn('ON_HOLD')).over).toBe('held');
  });

  it('goes on with what is left when a boundary write had been stored, its answer lost', () => {
    const session = sessionOf('epe', { results: [resultAt(0), resultAt(1)] });
    const after = refused(session, 'boundary', playIn('RUN', { owner: ME, cursor: 1, seq: 9 }));
    expect(after).toMatchObject({ over: null, cursor: 1, results: [{ position: 1 }], claimed: true });
  });

  it('knows its own start when that had been stored, its answer lost', () => {
    const after = refused(sessionOf('o'), 'start', playIn('RUN', { owner: ME, started: 0, seq: 9 }));
    expect(next(after, facts)).toEqual({ kind: 'call', position: 0 });
  });

  it('asks a waiting layer again when its answer has come', () => {
    const parking = { state: 'WAIT', dueAt: null } as const;
    const fresh = playIn('RUN', { seq: 8, inbox: { '0': 'x' } });
    expect(next(refused(sessionOf('w', { parking }), 'park', fresh), facts)).toEqual({ kind: 'call', position: 0 });
    const later = refused(sessionOf('w', { parking }), 'park', playIn('RUN', { seq: 8, inbox: { '3': 'x' } }));
    expect(later.parking).toEqual(parking);
  });
});
