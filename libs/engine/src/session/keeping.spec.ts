import { describe, expect, it } from 'vitest';
import { AT, ME, playIn, resultAt, sessionOf } from '../../model/build.js';
import type { LayerOutcome, LayerWait } from '../layer-outcome.js';
import { LOG_BOUND } from '../play-log.js';
import { applyWrite } from '../play-write.js';
import { decideKeeping } from './keeping.js';
import { nextStep } from './next-step.js';
import { onLayerEnded, onLayersStarted, onWriteRefused, onWriteStored } from './session-events.js';
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
    const plan = session.plan.map((layer) => ({ ...layer, keepsItems: true as const }));
    expect(decideKeeping({ ...session, plan }, 1, ITEMS, AT)?.write.set.doneItems).toEqual({
      0: ITEMS,
      1: ITEMS,
      2: ITEMS,
    });
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

describe('what a layer has done before it waits', () => {
  const OTHER = { count: 1, of: 2 };
  const wait = { position: 1, ref: 'l1', kind: 'repeat', since: AT, until: new Date(AT.getTime() + 60_000) } as const;
  const paused = (session: Session) => onLayerEnded(session, { kind: 'wait', wait, doneItems: ITEMS });

  it('is stored with the wait, in the write that gives the play up', () => {
    const session = paused(looping({ endedPositions: [0], cursor: 1 }));
    const step = nextStep(session, { isProofFresh: true, isStopping: false, at: AT });
    if (step.kind !== 'write') throw new Error(step.kind);
    expect(step).toMatchObject({
      purpose: 'park',
      write: { set: { state: 'DEFERRED', dueAt: wait.until, waits: { 1: wait }, doneItems: { 1: ITEMS } } },
    });
  });

  it('is not lost over a write that was on its way', () => {
    const before = looping({ endedPositions: [0], cursor: 1 });
    const boundary = decideKeeping(before, 1, OTHER, AT)!;
    const stored = onWriteStored(paused(before), boundary);
    expect(stored).toMatchObject({ doneItems: { 1: ITEMS }, storedDoneItems: { 1: OTHER } });
    const kept = onWriteStored(before, boundary);
    expect(kept.doneItems).toBe(kept.storedDoneItems);
  });

  it('gives way to what the layer has done since, which it is called again for before the first is stored', () => {
    // a hold paused the layer, and was over before the play was given up
    const again = onLayersStarted(paused(looping({ endedPositions: [0], cursor: 1 })), [1], AT);
    const more = { count: 4, of: 9 };
    const stored = onWriteStored(again, decideKeeping(again, 1, more, AT)!);
    expect(stored.doneItems[1]).toBe(more);
    expect(stored.doneItems).toBe(stored.storedDoneItems);
  });

  it('is not lost when the write is refused, and nothing older replaces what is stored', () => {
    const before = looping({ endedPositions: [0], cursor: 1, strict: true });
    const fresh = playIn('RUN', {
      owner: ME,
      seq: before.seq,
      epoch: before.epoch,
      cursor: 1,
      doneItems: { 2: OTHER },
    });
    expect(onWriteRefused(paused(before), 'boundary', fresh).doneItems).toEqual({ 1: ITEMS, 2: OTHER });
    const unchanged = onWriteRefused(before, 'boundary', fresh);
    expect(unchanged.doneItems).toBe(unchanged.storedDoneItems);
  });

  it('is stored with a failure after which the layer is called again', () => {
    const retrying = looping({ endedPositions: [0], cursor: 1 });
    const retry = { attempts: 3, backoff: 'fixed', delayMs: 60_000, maxDelayMs: 60_000 } as const;
    const plan = retrying.plan.map((layer, at) => (at === 1 ? { ...layer, retry } : layer));
    const failed = {
      ...resultAt(1),
      state: 'FAIL',
      error: { code: 'timeout', message: 'm', item: 3 },
      attempts: 1,
    } as const;
    const session = onLayerEnded({ ...retrying, plan }, { kind: 'result', result: failed, doneItems: ITEMS });
    const step = nextStep(session, { isProofFresh: true, isStopping: false, at: AT });
    expect(step).toMatchObject({ purpose: 'park', write: { set: { doneItems: { 1: ITEMS }, tries: { 1: 1 } } } });
  });

  it('goes to a retry when the log of the play is full, and no further round is made', () => {
    const full = looping({ endedPositions: [0], cursor: 1, seq: 5_000 });
    expect(paused(full).unstoredResults).toMatchObject([
      { state: 'FAIL', error: { code: 'repeat_exhausted' }, doneItems: ITEMS },
    ]);
  });

  it('goes to the next hand-out of a loop that was interrupted by a hold, also when the log is full', () => {
    const full = looping({ endedPositions: [0], cursor: 1, seq: 5_000, state: 'ON_HOLD' });
    const wait: LayerWait = { position: 1, ref: 'l1', kind: 'repeat', since: AT, until: AT };
    const session = onLayerEnded(full, { kind: 'wait', wait, doneItems: ITEMS });
    const step = nextStep(session, { isProofFresh: true, isStopping: false, at: AT });
    expect(step).toMatchObject({
      purpose: 'held',
      write: { set: { held: 'RUN', doneItems: { 1: ITEMS } }, layers: [] },
    });
  });

  it('ends a loop of plays that was woken thousands of times, because its company has no room for them', () => {
    const children = { open: 1, wakeAfter: 1, upTo: 7 };
    const ofPlays: LayerWait = { position: 1, ref: 'l1', kind: 'children', since: AT, until: null, children };
    const woken = (seq: number) =>
      onLayerEnded(looping({ endedPositions: [0], cursor: 1, seq }), { kind: 'wait', wait: ofPlays });
    // until then it stores the ends that it knows
    const waiting = looping({ endedPositions: [0], cursor: 1, seq: 4_001, waits: { 1: ofPlays } });
    expect(decideKeeping(waiting, 1, ITEMS, AT)).not.toBeNull();
    expect(decideKeeping({ ...waiting, waits: {} }, 1, ITEMS, AT)).toBeNull();
    expect(woken(4_001)).toMatchObject({ waits: { 1: ofPlays }, unstoredResults: [] });
    expect(woken(4_002).unstoredResults).toMatchObject([{ state: 'FAIL', error: { code: 'backlog_full' } }]);
  });

  it('makes an end of the failed calls before it', () => {
    const tried = looping({ endedPositions: [0], cursor: 1, tries: { 1: 2 }, storedTries: { 1: 2 } });
    expect(paused(tried).tries).toEqual({ 1: 2 });
    const moved = onLayerEnded(tried, { kind: 'wait', wait, doneItems: ITEMS, hasMovedOn: true });
    expect(moved.tries).toEqual({});
    const step = nextStep(moved, { isProofFresh: true, isStopping: false, at: AT });
    expect(step.kind === 'write' && step.write.unset).toContain('tries');
  });
});

describe('what a loop has done whose failure could be followed by another attempt', () => {
  const retry = { attempts: 3, backoff: 'fixed', delayMs: 60_000, maxDelayMs: 60_000 } as const;
  const failing = (position: number, more: object = {}): LayerOutcome => ({
    ...{ kind: 'result', doneItems: ITEMS, ...more },
    result: resultAt(position, { state: 'FAIL', error: { code: 'timeout', message: 'm', item: 3 } }),
  });
  const retried = (session: Session, at: number): Session => ({
    ...session,
    plan: session.plan.map((layer, position) => (position === at ? { ...layer, retry } : layer)),
  });
  const loop = (change: Partial<Session>) => retried(looping({ endedPositions: [0], cursor: 1, ...change }), 1);

  it.each<[string, Partial<Session>]>([
    ['another layer has failed', { failure: { code: 'x', message: '', ref: null } }],
    ['the log of the play is full', { seq: 5_000 }],
  ])('goes to a retry when %s', (_what, change) => {
    expect(onLayerEnded(loop(change), failing(1)).unstoredResults).toMatchObject([{ position: 1, doneItems: ITEMS }]);
  });

  it('is needed by nobody when the play goes on after the failure', () => {
    const full = loop({ seq: 5_000 });
    const plan = full.plan.map((layer) => ({ ...layer, onError: 'continue' as const }));
    expect(onLayerEnded({ ...full, plan }, failing(1)).unstoredResults[0]).not.toHaveProperty('doneItems');
  });

  it('is stored with the end of the play when another layer fails before that attempt', () => {
    const running = retried(onLayersStarted(sessionOf('eE', { state: 'RUN', isClaimed: true }), [0, 1], AT), 0);
    const before = { ...running, doneItems: { 1: ITEMS } };
    const ended = onLayerEnded(onLayerEnded(before, failing(0)), failing(1, { doneItems: undefined }));
    const step = nextStep(ended, { isProofFresh: true, isStopping: false, at: AT });
    if (step.kind !== 'write') throw new Error(step.kind);
    // the layer at 1 has its result
    expect(step).toMatchObject({ purpose: 'final', write: { set: { state: 'FAIL', doneItems: { 0: ITEMS } } } });
    expect(step.write.set.doneItems).not.toHaveProperty('1');
  });

  it('is tried again in a play whose log the pauses of loops have filled, which store nothing more while they run', () => {
    const full = loop({ seq: LOG_BOUND + 2 });
    expect(decideKeeping(full, 1, ITEMS, AT)).toBeNull();
    expect(onLayerEnded(full, failing(1))).toMatchObject({ tries: { 1: 1 }, doneItems: { 1: ITEMS } });
  });

  it('comes with the last item that has failed, for the next attempt', () => {
    expect(onLayerEnded(loop({}), failing(1, { failedUpTo: 3 })).waits[1]).toMatchObject({
      kind: 'retry',
      failedUpTo: 3,
    });
    expect(onLayerEnded(loop({}), failing(1)).waits[1]).not.toHaveProperty('failedUpTo');
  });
});
