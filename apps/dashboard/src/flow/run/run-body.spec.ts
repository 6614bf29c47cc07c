import { describe, expect, it } from 'vitest';
import { EMPTY_RUN, runBodyOf } from './run-body';

describe('the body of a run', () => {
  it('has what was typed and nothing else', () => {
    expect(runBodyOf(EMPTY_RUN)).toEqual({ args: {} });
    const form = {
      args: '{"a":1}',
      key: ' k ',
      labels: 'shop=eu',
      lane: 'customer 42',
      priority: -2,
      startAt: '2026-03-01T10:00',
      startBy: '2026-03-01T12:00',
      version: 7,
    };
    expect(runBodyOf(form)).toEqual({
      args: { a: 1 },
      idempotencyKey: 'k',
      labels: { shop: 'eu' },
      lane: 'customer 42',
      priority: -2,
      runAt: new Date('2026-03-01T10:00').toISOString(),
      notAfter: new Date('2026-03-01T12:00').toISOString(),
      version: 7,
    });
  });

  it('is none while a field has a fault', () => {
    expect(runBodyOf({ ...EMPTY_RUN, args: '[]' })).toBeNull();
    expect(runBodyOf({ ...EMPTY_RUN, labels: 'x' })).toBeNull();
    expect(runBodyOf({ ...EMPTY_RUN, startAt: 'soon' })).toBeNull();
    expect(runBodyOf({ ...EMPTY_RUN, startBy: 'soon' })).toBeNull();
  });
});
