import { describe, expect, it } from 'vitest';
import type { Visit } from '../../layer-module.js';
import { approval } from './approval.layer.js';

const since = new Date('2026-01-01T00:00:00Z');
const at = (ms: number): Date => new Date(since.getTime() + ms);
const ask = (args: object, fields: Partial<Visit> = {}) =>
  approval.ask(approval.argsSchema.parse({ message: 'ok?', ...args }), {
    since,
    wait: null,
    answer: null,
    now: since,
    ...fields,
  });
const wait = (until: Date | null): Visit['wait'] => ({ position: 0, ref: 'ask', kind: 'approval', since, until });
const decided = (decision: string, comment: string | null = null) => ({
  payload: { kind: 'approval', decision, by: 'user-1', comment, at: at(7).toISOString() },
});
const late = { wait: wait(at(100)), now: at(101) };

describe('approval', () => {
  it('says who is asked what, and what counts when nobody answers', () => {
    expect(ask({})).toEqual({
      wait: {
        kind: 'approval',
        until: null,
        approval: { message: 'ok?', approvers: [], onTimeout: 'fail', link: 'signed_in' },
      },
    });
    expect(ask({ approvers: ['u', 'g'], timeoutMs: 100, onTimeout: 'reject' })).toEqual({
      wait: {
        kind: 'approval',
        until: at(100),
        approval: { message: 'ok?', approvers: ['u', 'g'], onTimeout: 'reject', link: 'signed_in' },
      },
    });
  });

  it('goes on when it was approved', () => {
    expect(ask({}, { wait: wait(null), answer: decided('approve', 'fine') })).toEqual({
      done: { decision: 'approve', by: 'user-1', comment: 'fine', at: at(7).toISOString() },
    });
  });

  it('fails when it was rejected, also after its time', () => {
    for (const answer of [decided('reject'), decided('reject', 'no')]) {
      const failure = {
        code: 'rejected',
        out: expect.objectContaining({ decision: 'reject', by: 'user-1' }) as unknown,
      };
      expect(() => ask({ timeoutMs: 100, onTimeout: 'approve' }, { ...late, answer })).toThrow(
        expect.objectContaining(failure),
      );
    }
  });

  it('ends as its onTimeout says when nobody decided in time', () => {
    expect(() => ask({ timeoutMs: 100 }, late)).toThrow(expect.objectContaining({ code: 'timeout' }));
    const nobody = { by: null, comment: null, at: at(101).toISOString() };
    expect(ask({ timeoutMs: 100, onTimeout: 'approve' }, late)).toEqual({ done: { decision: 'approve', ...nobody } });
    expect(() => ask({ timeoutMs: 100, onTimeout: 'reject' }, late)).toThrow(
      expect.objectContaining({ code: 'rejected', out: { decision: 'reject', ...nobody } }),
    );
  });
});
