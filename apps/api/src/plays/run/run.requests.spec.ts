import { WeftError } from '@weft/kernel';
import { describe, expect, it } from 'vitest';
import { MAX_VALUE_BYTES } from '../../http/value-size.js';
import { readRunItems, readRunOrder } from './run.requests.js';

function refusal(body: unknown, key?: unknown, bytes: number | null = 10): WeftError {
  try {
    readRunOrder(body, key, bytes);
  } catch (error) {
    if (error instanceof WeftError) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(body)} was accepted`);
}

describe('readRunOrder', () => {
  it('takes an empty object for a run without args', () => {
    expect(readRunOrder({}, undefined, 2)).toEqual({
      args: {},
      idempotencyKey: null,
      delayMs: null,
      runAt: null,
      notAfter: null,
      priority: undefined,
      waitMs: 0,
    });
  });

  it('takes the key from the body or from the header, and from both when they are the same', () => {
    expect(readRunOrder({ idempotencyKey: 'k' }, undefined, 20).idempotencyKey).toBe('k');
    expect(readRunOrder({}, 'k', 2).idempotencyKey).toBe('k');
    expect(readRunOrder({ idempotencyKey: 'k' }, 'k', 20).idempotencyKey).toBe('k');
  });

  it('refuses two different keys, an empty one and one that is too long', () => {
    expect(refusal({ idempotencyKey: 'a' }, 'b')).toMatchObject({ code: 'invalid_body' });
    expect(refusal({ idempotencyKey: '' })).toMatchObject({ code: 'invalid_body' });
    expect(refusal({ idempotencyKey: 'k'.repeat(256) })).toMatchObject({ code: 'invalid_body' });
    expect(refusal({}, '')).toMatchObject({ code: 'invalid_body' });
    expect(readRunOrder({ idempotencyKey: 'k'.repeat(255) }, undefined, 300).idempotencyKey).toHaveLength(255);
  });

  it.each(['schedule:06e1ha:2026-11-24T09:00:00.000Z', 'onFailure:06e1hb'])('refuses %s, a key of Weft', (key) => {
    expect(refusal({ idempotencyKey: key })).toMatchObject({
      code: 'invalid_body',
      errors: [{ path: 'idempotencyKey' }],
    });
    expect(refusal({}, key)).toMatchObject({ code: 'invalid_body', errors: [{ path: 'header.idempotency-key' }] });
    expect(refusal({}, key).message).toContain(key.slice(0, key.indexOf(':') + 1));
    expect(readRunOrder({ idempotencyKey: `my-${key}` }, undefined, 20).idempotencyKey).toBe(`my-${key}`);
  });

  it('refuses a key that only triggers make', () => {
    expect(refusal({ idempotencyKey: 'hook:t:1' })).toMatchObject({
      ...{ code: 'invalid_body', errors: [{ path: 'idempotencyKey' }] },
      message: expect.stringContaining('hook:') as string,
    });
    expect(refusal({}, 'hook:')).toMatchObject({ code: 'invalid_body', errors: [{ path: 'header.idempotency-key' }] });
    expect(readRunItems({ runs: [{ idempotencyKey: 'hook:t:1' }] }, undefined, 20)).toMatchObject([
      { code: 'invalid_body' },
    ]);
    expect(readRunOrder({ idempotencyKey: 'hooks:1' }, undefined, 20).idempotencyKey).toBe('hooks:1');
  });

  it.each([
    [{ args: [] }, 'args'],
    [{ args: 'text' }, 'args'],
    [{ args: null }, 'args'],
    [{ delayMs: -1 }, 'delayMs'],
    [{ delayMs: 1.5 }, 'delayMs'],
    [{ runAt: 'tomorrow' }, 'runAt'],
    [{ notAfter: 'tomorrow' }, 'notAfter'],
    [{ notAfter: '2026-13-40T00:00:00Z' }, 'notAfter'],
    [{ notAfter: '2026-12-24T18:00:00Z', runAt: '2026-12-24T18:00:01Z' }, 'notAfter'],
    [{ runAt: '2026-13-40T00:00:00Z' }, 'runAt'],
    [{ priority: 11 }, 'priority'],
    [{ priority: -11 }, 'priority'],
    [{ priority: 0.5 }, 'priority'],
    [{ priority: '3' }, 'priority'],
    [{ wait: 30_001 }, 'wait'],
    [{ wait: -1 }, 'wait'],
    [{ wait: null }, 'wait'],
  ])('refuses %j and names the field', (body, path) => {
    const error = refusal(body);
    expect(error.code).toBe('invalid_body');
    expect(error.errors.map((fault) => fault.path)).toEqual([path]);
  });

  it('refuses fields that it does not know', () => {
    expect(refusal({ args: {}, company_id: 'other' })).toMatchObject({
      code: 'unknown_field',
      errors: [{ path: 'company_id' }],
    });
  });

  it('reads priority and wait, alone and beside what is read by the class', () => {
    expect(readRunOrder({ priority: -10, wait: 30_000 }, undefined, 30)).toMatchObject({
      priority: -10,
      waitMs: 30_000,
    });
    expect(readRunOrder({ priority: 10, delayMs: 5 }, undefined, 30)).toMatchObject({ priority: 10, delayMs: 5 });
  });

  it('refuses what is not an object', () => {
    for (const body of [[], 'text', 7, true]) expect(refusal(body).code).toBe('invalid_body');
  });

  it('measures args that may be too large, whatever length the client claims', () => {
    const args = { text: 'x'.repeat(MAX_VALUE_BYTES) };
    expect(refusal({ args }, undefined, MAX_VALUE_BYTES + 40).errors[0]?.path).toBe('args');
    expect(refusal({ args }, undefined, null).errors[0]?.path).toBe('args');
    expect(readRunOrder({ args: { text: 'x' } }, undefined, null).args).toEqual({ text: 'x' });
  });

  it('refuses a day that does not exist, instead of running on another one', () => {
    expect(refusal({ runAt: '2027-02-31T00:00:00Z' }).errors[0]).toMatchObject({ path: 'runAt' });
  });

  it('reads a date with its zone', () => {
    expect(readRunOrder({ runAt: '2026-12-24T18:00:00+01:00' }, undefined, 40).runAt?.toISOString()).toBe(
      '2026-12-24T17:00:00.000Z',
    );
  });
});

describe('readRunItems', () => {
  it('gives each run or its own refusal, in order', () => {
    const runs = [{ args: { n: 1 }, priority: 2 }, 'text', { wait: 5 }, { nonsense: 1 }, {}, null];
    const items = readRunItems({ runs }, undefined, 100);
    expect(items.map((item) => (item instanceof WeftError ? item.code : item.args))).toEqual([
      { n: 1 },
      'invalid_body',
      'invalid_body',
      'invalid_body',
      {},
      'invalid_body',
    ]);
  });

  it('refuses a key in the header, which would be the key of all', () => {
    expect(() => readRunItems({ runs: [{}] }, 'k', 20)).toThrow('idempotencyKey');
  });
});
