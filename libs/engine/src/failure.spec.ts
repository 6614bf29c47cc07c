import { describe, expect, it } from 'vitest';
import { acceptPlay, type RunRequest } from './accept.js';
import { failureArgs, startsHandler } from './failure.js';
import { resultAt } from '../model/build.js';
import type { Play } from './play.js';
import { retryOf } from './retry.js';

const AT = new Date('2030-01-01T00:00:00.000Z');
const request: RunRequest = {
  ...{ playId: 'p', companyId: 'c', flowId: 'f', version: 3, args: { a: 1 }, idempotencyKey: null, dueAt: null },
  ...{ trigger: 'hook', triggeredBy: 'u', serverNow: AT, onFailure: 'handler' },
};
const settings = { concurrency: null, timeoutMs: null, onMissing: 'fail', maxOutputBytes: null } as const;
const retried = { playId: 'q', triggeredBy: null, serverNow: AT };

describe('a play of a flow with onFailure', () => {
  it('has the flow that its failure starts from its acceptance on, so that its end needs no further write', () => {
    expect(acceptPlay(request).failurePending).toBe('handler');
    expect(acceptPlay({ ...request, onFailure: null })).not.toHaveProperty('failurePending');
    expect(acceptPlay({ ...request, skipped: true })).not.toHaveProperty('failurePending');
  });

  it('starts none when it handles a failure itself, and neither does what is made of it', () => {
    const handler = acceptPlay({ ...request, handlesFailureOf: 'x' });
    expect(handler).not.toHaveProperty('failurePending');
    const version = { layers: [], settings: { ...settings, onFailure: 'handler' } };
    const again = retryOf({ ...handler, state: 'FAIL' }, version, retried);
    expect(again.handlesFailureOf).toBe('x');
    expect(again).not.toHaveProperty('failurePending');
  });

  it('starts one also as a retry, as the version says that it runs', () => {
    const failed: Play = { ...acceptPlay(request), state: 'FAIL' };
    const version = { layers: [], settings: { ...settings, onFailure: 'other' } };
    expect(retryOf(failed, version, retried).failurePending).toBe('other');
    expect(retryOf(failed, { layers: [], settings }, retried)).not.toHaveProperty('failurePending');
  });
});

describe('startsHandler', () => {
  it('is true of every failure, whatever wrote it, except a cancellation by a user', () => {
    const error = (code: string, ref: string | null = null) => ({ code, message: '', ref });
    for (const code of ['bad_status', 'play_timeout', 'crashed_repeatedly', 'output_too_large', 'version_missing'])
      expect(startsHandler({ state: 'FAIL', error: error(code) })).toBe(true);
    expect(startsHandler({ state: 'FAIL' })).toBe(true);
    expect(startsHandler({ state: 'FAIL', error: error('cancelled', 'l0') })).toBe(true);
    expect(startsHandler({ state: 'FAIL', error: error('cancelled') })).toBe(false);
    expect(startsHandler({ state: 'DONE' })).toBe(false);
  });
});

describe('failureArgs', () => {
  const of = { flowName: 'Orders', url: 'https://weft/api/v1/plays/p' };

  it('have the play, and the error as the flow itself could read it', () => {
    const play: Play = {
      ...acceptPlay({ ...request, labels: ['env:test'] }),
      state: 'FAIL',
      completedAt: AT,
      error: { code: 'bad_status', message: 'answered 422', ref: 'l1' },
      layers: [
        resultAt(0),
        {
          ...resultAt(1),
          ref: 'l1',
          state: 'FAIL',
          attempts: 3,
          error: { code: 'bad_status', message: 'answered 422', statusCode: 422, item: 7 },
        },
      ],
      log: [{ seq: 2, type: 'state', from: 'NEW', state: 'RUN', at: AT }],
    };
    const [at] = [AT.toISOString()];
    expect(failureArgs(play, of)).toEqual({
      play: {
        ...{ id: 'p', flowId: 'f', flowName: 'Orders', version: 3, args: { a: 1 }, labels: { env: 'test' } },
        ...{ trigger: 'hook', createdAt: at, startedAt: at, completedAt: at, url: of.url },
      },
      error: { code: 'bad_status', message: 'answered 422', ref: 'l1', attempts: 3, statusCode: 422, item: 7 },
    });
  });

  it('leave out what is large or unknown', () => {
    const play: Play = { ...acceptPlay({ ...request, argsRef: { $ref: 'r', bytes: 500_000 } }), state: 'FAIL' };
    const timeout = { code: 'play_timeout', message: 'It took too long.', ref: null };
    expect(failureArgs({ ...play, error: timeout }, of)).toMatchObject({
      play: { args: null, startedAt: null, completedAt: null },
      error: { ...timeout, attempts: null, statusCode: null, item: null },
    });
  });
});
