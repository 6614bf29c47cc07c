import { describe, expect, it } from 'vitest';
import { acceptPlay, type RunRequest } from './accept.js';
import { journal } from './journal.js';
import { applyWrite } from './play-write.js';
import { dueWrite } from './reconcile/reconcile.js';
import { retryOf } from './retry.js';
import { nextStep } from './session/next-step.js';
import { onWriteRefused } from './session/session-events.js';
import { startSession, type Session } from './session/session.js';
import { tooLateWrite } from './too-late.js';
import type { Play } from './play.js';

const AT = new Date('2030-01-01T00:00:00.000Z');
const [before, after] = [new Date(AT.getTime() - 1), new Date(AT.getTime() + 1)];
const request: RunRequest = {
  ...{ playId: 'p', companyId: 'c', flowId: 'f', version: 3, args: {}, idempotencyKey: 'k', dueAt: null },
  ...{ trigger: 'api', triggeredBy: 'u', serverNow: before, notAfter: AT },
};
const plan = [{ ref: 'a', kind: 'effect', stage: 0, onError: 'fail', retry: null }] as never;

function claimed(play: Play): Play {
  const start = { epoch: play.epoch, redelivered: false, isProofFresh: true, ownerId: 'w:1', at: before };
  const session = startSession(play, start, plan);
  if ('drop' in session) throw new Error(session.drop);
  const step = nextStep(session, { isProofFresh: true, isStopping: false, at: before });
  if (step.kind !== 'write' || step.purpose !== 'claim') throw new Error(`${step.kind} before the claim`);
  return applyWrite(play, step.write, before) as Play;
}

describe('a play that begins by a time or not at all', () => {
  it('ends as SKIP with the reason, and frees its key, when nobody has claimed it by then', () => {
    const play = acceptPlay(request);
    expect(tooLateWrite(play, AT)).toBeNull();
    const write = tooLateWrite(play, after);
    const ended = write && applyWrite(play, write, after);
    const error = { code: 'too_late', message: `The play had not begun by ${AT.toISOString()} (notAfter).`, ref: null };
    expect(ended).toMatchObject({ state: 'SKIP', error, epoch: 2, completedAt: after });
    for (const field of ['key', 'notAfter', 'strict', 'heartbeatAt']) expect(ended).not.toHaveProperty(field);
    expect(journal(ended as Play).at(-1)).toMatchObject({ type: 'play_complete', data: { final_status: 'SKIP' } });
  });

  it('has begun with the claim, which comes before any layer: it is never ended so afterwards, and the other way round', () => {
    const play = acceptPlay(request);
    const running = claimed(play);
    expect(running).not.toHaveProperty('notAfter');
    expect(tooLateWrite(running, after)).toBeNull();
    const late = tooLateWrite(play, after);
    // what a scheduler decided before the claim is refused after it
    expect(late && applyWrite(running, late, after)).toBeNull();
    const ended = (late && applyWrite(play, late, after)) as Play;
    expect(() => claimed(ended)).toThrow('final');
  });

  it('is not claimed later than that by the clock of the store, whatever a worker that was frozen believes', () => {
    const play = acceptPlay(request);
    const start = { epoch: play.epoch, redelivered: false, isProofFresh: true, ownerId: 'w:1', at: before };
    const session = startSession(play, start, plan) as Session;
    const step = nextStep(session, { isProofFresh: true, isStopping: false, at: before });
    const { write } = step as Extract<typeof step, { readonly kind: 'write' }>;
    expect(applyWrite(play, write, AT)).toMatchObject({ owner: 'w:1' });
    expect(applyWrite(play, write, after)).toBeNull();
    expect(onWriteRefused(session, 'claim', play).endReason).toBe('too_late');
    // a hold and a release: the next claim is judged anew
    expect(onWriteRefused(session, 'claim', { ...play, seq: play.seq + 2 }).endReason).toBeNull();
  });

  it('is claimed first also after a hold took its other mark', () => {
    const { strict: _strict, ...play } = acceptPlay(request);
    expect(claimed({ ...play, state: 'RUN' })).not.toHaveProperty('notAfter');
  });

  it('has its time also after it was due or let into its flow', () => {
    const play = acceptPlay({ ...request, dueAt: before });
    const due = applyWrite(play, dueWrite(play, before), before) as Play;
    expect(due).toMatchObject({ state: 'RUN', notAfter: AT });
    expect(tooLateWrite(due, after)?.set.state).toBe('SKIP');
  });

  it('is SKIP at once when its time is over when it is accepted', () => {
    const play = acceptPlay({ ...request, serverNow: after, skipped: true });
    expect(play).toMatchObject({ state: 'SKIP', error: { code: 'too_late' } });
    for (const field of ['key', 'notAfter', 'strict']) expect(play).not.toHaveProperty(field);
    // skipped for another reason
    expect(acceptPlay({ ...request, skipped: true })).not.toHaveProperty('error');
  });

  it('is retried without such a time', () => {
    const play = acceptPlay(request);
    const settings = { concurrency: null, timeoutMs: null, onMissing: 'fail', maxOutputBytes: null } as const;
    const again = retryOf(
      { ...play, state: 'FAIL' },
      { layers: [], settings },
      { playId: 'q', triggeredBy: null, serverNow: AT },
    );
    expect(again).not.toHaveProperty('notAfter');
  });
});
