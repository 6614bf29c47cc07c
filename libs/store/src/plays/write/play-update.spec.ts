import { numberEvents, type PlayEvent, type PlayWrite } from '@weft/engine';
import { aPlay } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { showsWrite } from './play-update.js';

const AT = new Date(0);
const accepted = aPlay({ serverNow: AT });
const moved = (state: 'WAIT' | 'ON_HOLD'): PlayEvent => ({ type: 'state', from: 'RUN', state, at: AT });
const parks: PlayWrite = {
  match: { epoch: 1, seq: 1, states: ['RUN'] },
  set: { state: 'WAIT', seq: 2, epoch: 2 },
  ...{ unset: [], touch: [], layers: [], log: numberEvents(1, [moved('WAIT')]) },
};

describe('showsWrite', () => {
  it('tells a write from the one that another made at the same millisecond', () => {
    const after = (event: PlayEvent) => ({ ...accepted, seq: 2, log: [...accepted.log, ...numberEvents(1, [event])] });
    expect(showsWrite(after(moved('WAIT')), parks)).toBe(true);
    expect(showsWrite(after(moved('ON_HOLD')), parks)).toBe(false);
    expect(showsWrite(after({ type: 'claimed', at: AT }), parks)).toBe(false);
    expect(showsWrite(accepted, parks)).toBe(false);
    expect(showsWrite(null, parks)).toBe(false);
  });

  it('tells the answer that was taken from another one of the same millisecond', () => {
    const answers = (payload: unknown): PlayWrite => ({
      ...parks,
      set: { seq: 2 },
      log: numberEvents(1, [{ type: 'resumed', layer: 0, at: AT }]),
      inbox: { position: 0, payload },
    });
    const taken = { kind: 'event', id: 'a', payload: { n: 1 }, receivedAt: AT.toISOString() };
    const after = { ...accepted, seq: 2, log: [...accepted.log, ...answers(taken).log], inbox: { 0: taken } };
    expect(showsWrite(after, answers({ ...taken, payload: { n: 1 } }))).toBe(true);
    expect(showsWrite(after, answers({ ...taken, id: 'b' }))).toBe(false);
    expect(showsWrite({ ...after, inbox: {} }, answers(taken))).toBe(true);
  });
});
