import { describe, expect, it } from 'vitest';
import { AT, ME, playIn, resultAt, sessionOf } from '../model/build.js';
import { applyWrite } from '../play-write.js';
import { decideKeeping } from './keeping.js';
import { onLayersStarted, onWriteStored } from './session-events.js';
import type { Session } from './session.js';

const ITEMS = { count: 3, of: 9 };
const looping = (change: Partial<Session> = {}): Session =>
  onLayersStarted(sessionOf('eee', { state: 'RUN', isClaimed: true, ...change }), [1], AT);

describe('what a loop has done', () => {
  it('is stored by a write under the fence, with all else that the session knows', () => {
    const session = looping({ unstoredResults: [resultAt(0)] });
    const write = decideKeeping(session, 1, ITEMS, AT);
    expect(write?.write.match).toEqual({ epoch: session.epoch, seq: session.seq, states: ['NEW', 'RUN'] });
    const stored = applyWrite(playIn('RUN', { owner: ME, seq: session.seq }), write!.write, AT);
    expect(stored).toMatchObject({ owner: ME, cursor: 1, layers: [{ position: 0 }], doneItems: { 1: ITEMS } });
    expect(onWriteStored(session, write!)).toMatchObject({ doneItems: { 1: ITEMS }, seq: stored?.seq });
  });

  it('is not kept any more once its layer has a result', () => {
    const session = looping({ endedPositions: [0], cursor: 1, doneItems: { 0: ITEMS, 2: ITEMS } });
    expect(decideKeeping(session, 1, ITEMS, AT)?.write.set.doneItems).toEqual({ 1: ITEMS, 2: ITEMS });
  });

  it.each<[string, Session]>([
    ['that was lost', looping({ endReason: 'fenced' })],
    ['that nobody has claimed', looping({ isClaimed: false })],
    ['on hold', looping({ state: 'ON_HOLD' })],
    ['that has failed', looping({ failure: { code: 'x', message: '', ref: null } })],
    ['in which the loop does not run', sessionOf('eee', { state: 'RUN', isClaimed: true })],
    ['without room in its log', looping({ seq: 1_000_000 })],
  ])('is not stored in a play %s', (_what, session) => {
    expect(decideKeeping(session, 1, ITEMS, AT)).toBeNull();
  });
});
