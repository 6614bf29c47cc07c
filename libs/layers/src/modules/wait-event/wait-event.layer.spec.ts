import { describe, expect, it } from 'vitest';
import type { Visit } from '../../layer-module.js';
import { waitEvent } from './wait-event.layer.js';

const since = new Date('2026-01-01T00:00:00Z');
const at = (ms: number): Date => new Date(since.getTime() + ms);
const visit = (fields: Partial<Visit> = {}): Visit => ({ since, wait: null, answer: null, now: since, ...fields });
const ask = (args: object, fields?: Partial<Visit>) => waitEvent.ask(waitEvent.argsSchema.parse(args), visit(fields));
const wait = (until: Date | null): Visit['wait'] => ({ position: 0, ref: 'paid', kind: 'event', since, until });

describe('wait-event', () => {
  it.each([
    [{ name: 'paid' }, null, null],
    [{ name: 'paid', key: null }, null, null],
    [{ name: 'paid', key: 7, timeoutMs: 100 }, '7', at(100)],
    [{ name: 'paid', key: 'order 7' }, 'order 7', null],
  ])('asked with %j waits for that event', (args, key, until) => {
    expect(ask(args)).toEqual({ wait: { kind: 'event', until, event: { name: 'paid', key } } });
  });

  it('refuses an empty key, which would take the events of everybody', () => {
    const { error } = waitEvent.argsSchema.safeParse({ name: 'paid', key: '' });
    expect(error?.issues.map(({ path, message }) => `${path.join('.')} ${message}`)).toEqual([
      'key is empty: leave it out to take every event of the name',
    ]);
  });

  it('gives the payload and when it came', () => {
    const receivedAt = at(5).toISOString();
    const answer = { payload: { kind: 'event', payload: [1], receivedAt } };
    expect(ask({ name: 'paid' }, { wait: wait(null), answer })).toEqual({ done: { payload: [1], receivedAt } });
  });

  it('takes a resume call for an event without payload', () => {
    const answer = { payload: { kind: 'resume' } };
    expect(ask({ name: 'paid' }, { wait: wait(null), answer, now: at(9) })).toEqual({
      done: { payload: null, receivedAt: at(9).toISOString() },
    });
  });

  it('fails when its time is up, unless an event has come', () => {
    const late = { wait: wait(at(100)), now: at(100) };
    expect(() => ask({ name: 'paid', timeoutMs: 100 }, late)).toThrow(expect.objectContaining({ code: 'timeout' }));
    const answer = { payload: { kind: 'event', payload: 1, receivedAt: at(99).toISOString() } };
    expect(ask({ name: 'paid', timeoutMs: 100 }, { ...late, answer })).toMatchObject({ done: { payload: 1 } });
  });
});
