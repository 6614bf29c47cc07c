import { describe, expect, it } from 'vitest';
import type { Visit } from '../../layer-module.js';
import { delay } from './delay.layer.js';

const since = new Date('2026-01-01T00:00:00Z');
const at = (ms: number): Date => new Date(since.getTime() + ms);
const visit = (fields: Partial<Visit> = {}): Visit => ({ since, wait: null, answer: null, now: since, ...fields });
const waiting = (until: Date): Visit['wait'] => ({ position: 0, ref: 'rest', kind: 'delay', since, until });

describe('delay', () => {
  it('waits for a time, or until a time in any zone', () => {
    expect(delay.ask({ ms: 1_500 }, visit())).toEqual({ wait: { kind: 'delay', until: at(1_500) } });
    const until = '2026-01-01T02:00:05+02:00';
    expect(delay.ask({ until }, visit())).toEqual({ wait: { kind: 'delay', until: at(5_000) } });
  });

  it.each([{ ms: 0 }, { until: '2025-12-31T23:59:59Z' }])('does not wait for %j', (args) => {
    expect(delay.ask(args, visit())).toEqual({ done: { waitedMs: 0 } });
  });

  it('waits on when it is asked too early, and no longer than it first said', () => {
    expect(delay.ask({ ms: 9_999 }, visit({ wait: waiting(at(10)), now: at(9) }))).toEqual({
      wait: { kind: 'delay', until: at(10) },
    });
    expect(delay.ask({ ms: 9_999 }, visit({ wait: waiting(at(10)), now: at(12) }))).toEqual({ done: { waitedMs: 12 } });
  });

  it('ends early when it is resumed', () => {
    const answer = { payload: { kind: 'resume', payload: null } };
    expect(delay.ask({ ms: 1_000 }, visit({ wait: waiting(at(1_000)), answer, now: at(3) }))).toEqual({
      done: { waitedMs: 3 },
    });
  });
});
