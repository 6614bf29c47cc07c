/** Test only. Plays and sessions as the table specs want them: a few words, the rest as it usually is. */
import { isFinal, type PlayState } from '@weft/contracts';
import { acceptPlay } from '../src/accept.js';
import type { LayerWait } from '../src/layer-outcome.js';
import type { LayerPlan } from '../src/layer-plan.js';
import type { LayerResult, Play } from '../src/play.js';
import { startSession, type FailedCall, type SessionStart, type Session } from '../src/session/session.js';
import { planOf } from './scenario.js';

export const AT = new Date('2030-01-01T00:00:10.000Z');
export const ME = 'w:1';
const EVENT = { name: 'e', key: null };

export function playIn(state: PlayState, change: Partial<Play> = {}): Play {
  const play = acceptPlay({
    playId: 'p',
    companyId: 'c',
    flowId: 'f',
    version: 1,
    args: {},
    idempotencyKey: 'k',
    dueAt: null,
    trigger: 'api',
    triggeredBy: null,
    serverNow: new Date(AT.getTime() - 5_000),
  });
  const beats = state === 'NEW' || state === 'RUN';
  return {
    ...play,
    state,
    epoch: 4,
    seq: 7,
    heartbeatAt: beats ? play.heartbeatAt : undefined,
    ...(state === 'ON_HOLD' && { held: 'RUN', heldAt: play.createdAt }),
    ...(state === 'DEFERRED' && { dueAt: AT }),
    ...(isFinal(state) && { completedAt: AT }),
    ...change,
  };
}

export const plan = (layers: string): LayerPlan[] => planOf({ layers });

export function sessionOf(layers: string, change: Partial<Session> = {}, start: Partial<SessionStart> = {}): Session {
  const given = { epoch: 4, redelivered: false, isProofFresh: true, ownerId: ME, at: AT, ...start };
  const session = startSession(playIn('RUN'), given, plan(layers));
  if ('drop' in session) throw new Error(session.drop);
  return { ...session, ...change };
}

export function waitAt(position: number, change: Partial<LayerWait> = {}): LayerWait {
  return { position, ref: `r${position}`, kind: 'event', since: AT, until: null, event: EVENT, ...change };
}

export function failedAt(position: number, attempt = 1): FailedCall {
  return { position, message: 'It failed.', attempt, since: AT, at: AT };
}

/** The pause before the next attempt. */
export function pauseAt(position: number, until: Date): LayerWait {
  return { position, ref: `r${position}`, kind: 'retry', since: AT, until };
}

export function resultAt(position: number, change: Partial<LayerResult> = {}): LayerResult {
  return {
    position,
    ref: `r${position}`,
    name: `R ${position}`,
    state: 'DONE',
    startedAt: AT,
    completedAt: AT,
    out: null,
    outBytes: 4,
    attempts: 1,
    by: ME,
    ...change,
  };
}
