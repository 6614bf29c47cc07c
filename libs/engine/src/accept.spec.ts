import { describe, expect, it } from 'vitest';
import { acceptPlay, underLimit, type RunRequest } from './accept.js';
import { journal } from './journal.js';
import { resultAt } from '../model/build.js';
import { FIRST_STATES } from './play-state/transitions.js';
import { flowQueue } from './turns.js';

const AT = new Date('2030-01-01T00:00:00.000Z');
const request: RunRequest = {
  playId: 'p',
  companyId: 'c',
  flowId: 'f',
  version: 3,
  args: { a: 1 },
  idempotencyKey: null,
  dueAt: null,
  trigger: 'api',
  triggeredBy: 'u',
  serverNow: AT,
};

describe('acceptPlay', () => {
  it('is NEW with a sign of life, to be rung for', () => {
    const play = acceptPlay(request);
    expect(play).toMatchObject({ state: 'NEW', epoch: 1, seq: 1, cursor: 0, crashes: 0, heartbeatAt: AT, version: 3 });
    expect(play.log).toEqual([{ seq: 1, type: 'accepted', at: AT }]);
    expect(FIRST_STATES).toContain(play.state);
    for (const field of ['dueAt', 'owner', 'key', 'idempotencyKey', 'strict']) expect(play).not.toHaveProperty(field);
  });

  it('is DEFERRED without a sign of life when it starts later, so that nobody rings for it', () => {
    const dueAt = new Date(AT.getTime() + 60_000);
    const play = acceptPlay({ ...request, dueAt });
    expect(play).toMatchObject({ state: 'DEFERRED', dueAt });
    expect(play).not.toHaveProperty('heartbeatAt');
    expect(FIRST_STATES).toContain(play.state);
  });

  it('that needs turns waits for the first of them, a delayed one only when it is due', () => {
    const queued = acceptPlay({ ...request, limitKey: 'k' });
    expect(queued).toMatchObject({ state: 'DEFERRED', limitKey: 'k', queues: [flowQueue(request.flowId, 'k')] });
    expect(acceptPlay({ ...request, limitKey: '', lane: { name: 'l' } }).queues).toEqual(['lane:l']);
    for (const field of ['heartbeatAt', 'dueAt']) expect(queued).not.toHaveProperty(field);
    const delayed = acceptPlay({ ...request, limitKey: '', dueAt: AT });
    expect(delayed).toMatchObject({ state: 'DEFERRED', limitKey: '', dueAt: AT });
    expect(delayed).not.toHaveProperty('queues');
  });

  it('that was made of another one is under the limit that its flow has now', () => {
    const [free, limited] = [acceptPlay(request), acceptPlay({ ...request, limitKey: 'k' })];
    expect(underLimit(free, 'k')).toEqual(limited);
    expect(underLimit(limited, null)).toEqual(free);
    expect(underLimit(limited, '').queues).toEqual([flowQueue(request.flowId, '')]);
    const inLane = acceptPlay({ ...request, lane: { name: 'l' } });
    expect(underLimit(inLane, '')).toEqual({ ...inLane, limitKey: '' });
    const delayed = acceptPlay({ ...request, dueAt: AT });
    expect(underLimit(delayed, '')).toEqual({ ...delayed, limitKey: '' });
    const skipped = acceptPlay({ ...request, skipped: true });
    expect(underLimit(skipped, '')).toBe(skipped);
  });

  it('has its time limit from the start that was asked for', () => {
    const dueAt = new Date(AT.getTime() + 60_000);
    expect(acceptPlay({ ...request, timeoutMs: 500 }).deadlineAt).toEqual(new Date(AT.getTime() + 500));
    expect(acceptPlay({ ...request, timeoutMs: 500, dueAt }).deadlineAt).toEqual(new Date(AT.getTime() + 60_500));
    expect(acceptPlay({ ...request, timeoutMs: null })).not.toHaveProperty('deadlineAt');
  });

  it('that is skipped is final, told as such, and binds no key', () => {
    const skip = { ...request, skipped: true, idempotencyKey: 'k', timeoutMs: 500, limitKey: '' };
    const play = acceptPlay(skip);
    expect(play).toMatchObject({ state: 'SKIP', seq: 3, completedAt: AT, idempotencyKey: 'k' });
    expect(play.log.map(({ type }) => type)).toEqual(['accepted', 'state', 'end']);
    for (const field of ['key', 'heartbeatAt', 'dueAt', 'deadlineAt', 'queues']) expect(play).not.toHaveProperty(field);
    expect(journal(play).map(({ type }) => type)).toEqual(['play_state_change', 'play_complete']);
    expect(FIRST_STATES).toContain(play.state);
  });

  it('that retries another one begins behind the results that it takes over', () => {
    const takenOver = [resultAt(0), resultAt(2)];
    const play = acceptPlay({ ...request, retryOf: 'q', takenOver });
    expect(play).toMatchObject({ retryOf: 'q', cursor: 2, layers: takenOver, seq: 1, log: [{ taken: 2 }] });
  });

  it('binds its idempotency key, the empty one, too, and shows it', () => {
    expect(acceptPlay({ ...request, idempotencyKey: 'k' })).toMatchObject({ key: 'k', idempotencyKey: 'k' });
    expect(acceptPlay({ ...request, idempotencyKey: '' })).toMatchObject({ key: '', idempotencyKey: '' });
  });
});
