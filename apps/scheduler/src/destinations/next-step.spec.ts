import type { DestinationDocument } from '@weft/records';
import { describe, expect, it } from 'vitest';
import { isSwept, nextStep } from './next-step.js';

const NOW = new Date('2026-01-01T12:00:00Z');
const ago = (ms: number) => new Date(NOW.getTime() - ms);
const found = (fields: Partial<DestinationDocument>): DestinationDocument => ({
  ...{ _id: 'c a:1', company_id: 'c', address: 'a:1', state: 'down', since: ago(1_000), rate_limit: null, rev: 1 },
  ...fields,
});

describe('a destination that is down', () => {
  it('is tried by one of the plays that wait for it, and by another one later', () => {
    expect(nextStep(found({ nextProbe: ago(0) }), true, NOW)).toMatchObject({
      release: 1,
      set: { lookAfterMs: 10_000 },
    });
    expect(nextStep(found({ since: ago(9e6), nextProbe: ago(9e6) }), true, NOW)).toMatchObject({ release: 1 });
  });

  it('is forgotten when nobody waits for it or calls it, or is up as far as anybody knows', () => {
    const unused = { since: ago(9e6), nextProbe: ago(700_000) };
    expect(nextStep(found(unused), false, NOW)).toBe('forget');
    expect(nextStep(found({ ...unused, nextProbe: ago(1_000) }), false, NOW)).not.toBe('forget');
    const limited = found({ ...unused, rate_limit: { limit: 1, per: 'second' } });
    expect(nextStep(limited, false, NOW)).toMatchObject({ set: { state: 'up' } });
  });
});

describe('a destination that recovers', () => {
  it('gets those that wait in growing waves, until none is left', () => {
    const waves: unknown[] = [];
    let now = found({ state: 'recovering', rate: 200, step: 0 });
    for (let i = 0; i < 9; i += 1) {
      const step = nextStep(now, i < 8, NOW);
      if (step === 'forget') throw new Error('forgotten');
      waves.push(step.set.state ?? step.release);
      now = { ...now, ...(step.set.step !== undefined && { step: step.set.step }) };
    }
    expect(waves).toEqual([21, 42, 84, 168, 210, 210, 210, 210, 'up']);
  });

  it('gets no more of them than its rate limit lets through', () => {
    const limited = { state: 'recovering', rate: 200, step: 9, rate_limit: { limit: 60, per: 'minute' } } as const;
    expect(nextStep(found(limited), true, NOW)).toMatchObject({ release: 1 });
  });

  it('does not stop at a step because nobody waits at that moment', () => {
    expect(nextStep(found({ state: 'recovering', rate: 200, step: 2 }), false, NOW)).toMatchObject({
      set: { step: 3 },
    });
  });
});

describe('a destination that is up', () => {
  it('gets those that wait for a limit that was raised or removed', () => {
    const sweep = { state: 'up', sweepUntil: ago(-5_000) } as const;
    expect(nextStep(found(sweep), false, NOW)).toMatchObject({ release: 200, withLimit: true });
    const limited = found({ ...sweep, rate_limit: { limit: 5, per: 'second' } });
    expect(nextStep(limited, false, NOW)).toMatchObject({ release: 5 });
    expect(isSwept(limited, true, NOW)).toBe(false);
    const over = found({ ...sweep, sweepUntil: ago(1) });
    expect([isSwept(over, false, NOW), isSwept(over, true, NOW)]).toEqual([false, true]);
  });

  it('is forgotten when it was only suspect, and is not limited', () => {
    const seen = (at: Date) => ({ evidence: [{ worker: 'w', calls: 3, failed: 3, rate: 1, at }], suspectSince: at });
    expect(nextStep(found({ state: 'up', ...seen(ago(20_000)) }), false, NOW)).toBe('forget');
    expect(nextStep(found({ state: 'up', ...seen(ago(1_000)) }), false, NOW)).not.toBe('forget');
    const limited = found({ state: 'up', rate_limit: { limit: 1, per: 'hour' }, ...seen(ago(20_000)) });
    expect(nextStep(limited, false, NOW)).toMatchObject({ set: { lookAfterMs: null } });
  });

  it('is left alone while it is paused', () => {
    expect(nextStep(found({ state: 'paused' }), true, NOW)).toMatchObject({ release: 0, set: { lookAfterMs: null } });
  });
});
