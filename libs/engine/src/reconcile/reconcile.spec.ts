import { PLAY_STATES, isFinal } from '@weft/contracts';
import { describe, expect, it } from 'vitest';
import { AT, playIn, resultAt } from '../../model/build.js';
import { mayMove } from '../play-state/transitions.js';
import { applyWrite } from '../play-write.js';
import type { Play } from '../play.js';
import { decideRetry } from '../retry.js';
import {
  dueWrite,
  reissueWrite,
  reapWrite,
  timeLimitWrite,
  tooLargeErasingWrite,
  tooLargeWrite,
  waitWrite,
} from './reconcile.js';

const stored = (play: Play, write: ReturnType<typeof reissueWrite>) => applyWrite(play, write, AT);
const owned = { owner: 'w:1', crashes: 0 };

describe('the reconciler’s writes, on a play in', () => {
  it.each(PLAY_STATES)('%s', (state) => {
    const unowned = playIn(state);
    const due = stored(unowned, dueWrite(unowned, AT));
    expect(stored(unowned, reissueWrite(unowned))?.state ?? null).toBe(['NEW', 'RUN'].includes(state) ? state : null);
    expect(stored({ ...unowned, ...owned }, reapWrite({ ...unowned, ...owned }, AT))?.state ?? null).toBe(
      state === 'RUN' ? 'RUN' : null,
    );
    expect(due?.state ?? null).toBe(['WAIT', 'DEFERRED'].includes(state) ? 'RUN' : null);
  });
});

describe('raise', () => {
  const play = playIn('NEW', { crashes: 2 });

  it('gives a fresh epoch and a fresh sign of life, makes strict, counts no crash and no event', () => {
    const { strict, epoch, ...rest } = stored(play, reissueWrite(play)) as Play;
    expect({ strict, epoch }).toEqual({ strict: true, epoch: 5 });
    expect(rest).toMatchObject({ heartbeatAt: AT, crashes: 2, seq: 7, log: play.log, state: 'NEW' });
  });

  it.each([{ owner: 'w:1' }, { seq: 8 }, { epoch: 5 }])('does nothing to a play that got %o in between', (change) => {
    expect(stored({ ...play, ...change }, reissueWrite(play))).toBeNull();
  });
});

describe('a NEW play whose ring is lost', () => {
  it('waits for room again, under a fresh epoch; one that has begun does not', () => {
    const play = playIn('NEW', { crashes: 0 });
    expect(stored(play, waitWrite(play))).toMatchObject({ state: 'NEW', ready: true, epoch: 5, seq: 7, strict: true });
    const begun = playIn('RUN');
    expect(stored(begun, waitWrite(begun))).toBeNull();
  });
});

describe('reap', () => {
  const play = playIn('RUN', owned);

  it.each([0, 1])('after %i crashes takes the play away and counts one more', (crashes) => {
    const after = stored({ ...play, crashes }, reapWrite({ ...play, crashes }, AT));
    expect(after).toMatchObject({
      state: 'RUN',
      epoch: 5,
      crashes: crashes + 1,
      strict: true,
      heartbeatAt: AT,
      seq: 7,
    });
    expect(after).not.toHaveProperty('owner');
  });

  it('FAILs the play with the third', () => {
    const after = stored({ ...play, crashes: 2 }, reapWrite({ ...play, crashes: 2 }, AT));
    expect(after).toMatchObject({ state: 'FAIL', epoch: 5, seq: 9, crashes: 3, completedAt: AT });
    expect(after?.error?.code).toBe('crashed_repeatedly');
    for (const field of ['owner', 'heartbeatAt', 'strict']) expect(after).not.toHaveProperty(field);
  });

  it.each([0, 2])('does nothing after a renewal in between (%i crashes)', (crashes) => {
    const read = { ...play, crashes };
    expect(stored({ ...read, heartbeatAt: AT }, reapWrite(read, AT))).toBeNull();
    expect(stored({ ...read, owner: 'w:2' }, reapWrite(read, AT))).toBeNull();
    expect(stored({ ...read, epoch: 5 }, reapWrite(read, AT))).toBeNull();
  });
});

describe('due', () => {
  it('wakes a DEFERRED play', () => {
    const play = playIn('DEFERRED');
    const after = stored(play, dueWrite(play, AT));
    expect(after).toMatchObject({ state: 'RUN', epoch: 5, seq: 8, heartbeatAt: AT });
    expect(after).not.toHaveProperty('dueAt');
    expect(after).not.toHaveProperty('inbox');
    expect(stored({ ...play, seq: 8 }, dueWrite(play, AT))).toBeNull();
  });

  it('queues a delayed play that needs turns, and wakes one that has them or has begun', () => {
    for (const [needs, queue] of [
      [{ limitKey: '' }, 'flow:f'],
      [{ lane: 'l', limitKey: 'k' }, 'lane:l'],
    ] as const) {
      const play = playIn('DEFERRED', needs);
      const after = stored(play, dueWrite(play, AT));
      expect(after).toMatchObject({ state: 'DEFERRED', epoch: 5, seq: 7, queues: [queue] });
      for (const field of ['dueAt', 'heartbeatAt']) expect(after?.[field as keyof Play]).toBeUndefined();
      const wait = { position: 0, ref: 'r0', kind: 'delay', since: AT, until: AT } as const;
      for (const begun of [{ waits: { '0': wait } }, { turns: ['flow:f#0'] }, { ready: true as const }]) {
        const parked = { ...play, ...begun };
        expect(stored(parked, dueWrite(parked, AT))).toMatchObject({ state: 'RUN', ...needs });
      }
    }
  });

  it('wakes a WAIT whose time is up without an answer of its own, and keeps what it waits for', () => {
    const until = {
      position: 0,
      ref: 'r0',
      kind: 'event',
      since: AT,
      until: AT,
      event: { name: 'e', key: null },
    } as const;
    const play = playIn('WAIT', { dueAt: AT, waits: { '0': until }, waitsFor: ['event:e\n'] });
    const after = stored(play, dueWrite(play, AT));
    expect(after).toMatchObject({ state: 'RUN', epoch: 5, waits: play.waits, waitsFor: play.waitsFor });
    for (const field of ['inbox', 'dueAt']) expect(after).not.toHaveProperty(field);
  });
});

describe('the time limit', () => {
  it.each(PLAY_STATES)('of a play in %s', (state) => {
    const play = playIn(state, { owner: 'w:1', deadlineAt: AT });
    const after = stored(play, timeLimitWrite(play, AT));
    if (isFinal(state)) return expect(mayMove('cancel', state, 'FAIL')).toBe(false);
    expect(after).toMatchObject({ state: 'FAIL', epoch: 5, error: { code: 'play_timeout' }, completedAt: AT });
    for (const field of ['deadlineAt', 'owner', 'heartbeatAt']) expect(after).not.toHaveProperty(field);
    expect(stored({ ...play, seq: 8 }, timeLimitWrite(play, AT))).toBeNull();
  });
});

describe('a play whose document may not grow', () => {
  const layers = [resultAt(0, { out: 'large' })];

  it.each(PLAY_STATES)('FAILs in %s without the answers that nobody will read', (state) => {
    const play = playIn(state, { owner: 'w:1', layers, cursor: 1, inbox: { '3': 'an answer' } });
    const after = stored(play, tooLargeWrite(play, AT));
    if (isFinal(state)) return;
    expect(after).toMatchObject({ state: 'FAIL', epoch: 5, seq: 9, error: { code: 'output_too_large' }, layers });
    for (const field of ['inbox', 'owner', 'heartbeatAt']) expect(after).not.toHaveProperty(field);
  });

  it('FAILs without its outputs where that is not enough, and cannot be retried then', () => {
    const play = playIn('RUN', { layers, cursor: 1 });
    const after = stored(play, tooLargeErasingWrite(play, AT));
    expect(after).toMatchObject({ state: 'FAIL', layers: [{ ...layers[0], out: null }], layersErasedAt: AT });
    expect(after && decideRetry(after, new Date(AT.getTime() + 60_000)).kind).toBe('refuse');
  });
});
