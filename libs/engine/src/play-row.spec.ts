import { describe, expect, it } from 'vitest';
import { acceptPlay } from './accept.js';
import { applyWrite, endWrite, type PlayWrite } from './play-write.js';
import { numberEvents } from './play-log.js';
import { playRow, playRowAt } from './play-row.js';
import type { Play } from './play.js';

const at = new Date('2026-11-21T09:00:00.000Z');
const later = (ms: number) => new Date(at.getTime() + ms);
const order = { companyId: 'c', flowId: 'f', version: 2, args: { secret: 1 }, idempotencyKey: 'k' } as const;
const accepted = acceptPlay({
  ...order,
  playId: 'p',
  dueAt: later(50),
  trigger: 'api',
  triggeredBy: 'u',
  serverNow: at,
});

/** The play after each write, from its acceptance to its end by a cancel. */
function lives(): Play[] {
  const run: PlayWrite = {
    match: { epoch: 1, seq: 1, states: ['DEFERRED'] },
    set: { state: 'RUN', seq: 2 },
    ...{ unset: ['dueAt'], touch: [], layers: [] },
    log: numberEvents(1, [{ type: 'state', from: 'DEFERRED', state: 'RUN', at: later(60) }]),
  };
  const running = applyWrite(accepted, run, later(61)) as Play;
  const error = { code: 'cancelled', message: 'no', ref: null };
  return [accepted, running, applyWrite(running, endWrite(running, error, later(90)), later(100)) as Play];
}

describe('the row of a play', () => {
  it('is what its list shows, without args', () => {
    expect(playRow(lives()[2] ?? accepted)).toEqual({
      ...{ id: 'p', flowId: 'f', company_id: 'c', version: 2, state: 'FAIL', idempotencyKey: 'k' },
      ...{ trigger: 'api', triggeredBy: 'u', priority: 0, dueAt: null, createdAt: at.toISOString() },
      ...{ startedAt: later(60).toISOString(), completedAt: later(100).toISOString(), duration: 40 },
      ...{ error: { code: 'cancelled', message: 'no', ref: null }, retryOf: null, parentPlayId: null, labels: {} },
      retrying: false,
    });
  });

  it('says that it pauses before a failed layer is called again, while it does', () => {
    const pause = { position: 0, ref: 'a', kind: 'retry', since: at, until: later(50) } as const;
    const pausing = { ...accepted, waits: { 0: pause } };
    expect(playRow(pausing).retrying).toBe(true);
    expect(playRow({ ...accepted, waits: { 0: { ...pause, kind: 'delay' } } }).retrying).toBe(false);
    expect(playRow({ ...accepted, awaitsRetry: true }).retrying).toBe(true);
    expect(playRow({ ...pausing, state: 'ON_HOLD' }).retrying).toBe(false);
    expect(playRowAt(pausing, 1, 'DEFERRED').retrying).toBe(true);
    const running = { ...(lives()[1] as Play), waits: { 0: pause } };
    expect(playRowAt(running, 1, 'DEFERRED').retrying).toBe(false);
  });

  it('of an earlier change is the one that the list showed then, but for the time that it waited for', () => {
    const [first, second, last] = lives() as [Play, Play, Play];
    expect(playRowAt(first, 1, 'DEFERRED')).toEqual(playRow(first));
    expect(playRowAt(second, 2, 'RUN')).toEqual(playRow(second));
    expect(playRowAt(last, 3, 'FAIL')).toEqual(playRow(last));
    expect(playRowAt(last, 2, 'RUN')).toEqual(playRow(second));
    expect(playRowAt(last, 1, 'DEFERRED')).toEqual({ ...playRow(first), dueAt: null });
  });
});
