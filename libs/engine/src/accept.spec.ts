import { describe, expect, it } from 'vitest';
import { acceptPlay, type RunRequest } from './accept.js';
import { FIRST_STATES } from './play-state/transitions.js';

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
    expect(play).toMatchObject({ state: 'NEW', epoch: 1, seq: 1, cursor: 0, crashes: 0, beatAt: AT, version: 3 });
    expect(play.log).toEqual([{ seq: 1, type: 'accepted', at: AT }]);
    expect(FIRST_STATES).toContain(play.state);
    for (const field of ['dueAt', 'owner', 'key', 'idempotencyKey', 'strict']) expect(play).not.toHaveProperty(field);
  });

  it('is DEFERRED without a sign of life when it starts later, so that nobody rings for it', () => {
    const dueAt = new Date(AT.getTime() + 60_000);
    const play = acceptPlay({ ...request, dueAt });
    expect(play).toMatchObject({ state: 'DEFERRED', dueAt });
    expect(play).not.toHaveProperty('beatAt');
    expect(FIRST_STATES).toContain(play.state);
  });

  it('binds its idempotency key, the empty one, too, and shows it', () => {
    expect(acceptPlay({ ...request, idempotencyKey: 'k' })).toMatchObject({ key: 'k', idempotencyKey: 'k' });
    expect(acceptPlay({ ...request, idempotencyKey: '' })).toMatchObject({ key: '', idempotencyKey: '' });
  });
});
