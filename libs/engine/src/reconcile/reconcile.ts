/**
 * The reconciler's writes, to the filter: docs/protocol.md §6. It walks MongoDB, not Redis; each write is conditional on exactly
 * what was read, so that any number of reconcilers may do it side by side.
 */
import type { Play } from '../play.js';
import { numberEvents, type PlayEvent } from '../play-log.js';
import { awaitsTurns, joinWrite } from '../turns.js';
import { endWrite, withoutOutputs, type PlayField, type PlayWrite } from '../play-write.js';
import { playTooLargeError } from '../session/unstorable.js';
import { crashedRepeatedlyError } from '../session/writes.js';
import { CRASH_LIMIT } from '../times.js';

/** What a reconciler reads of a play: nothing that can be large. */
export type OpenPlay = Pick<
  Play,
  | '_id'
  | 'company_id'
  | 'flowId'
  | 'state'
  | 'epoch'
  | 'seq'
  | 'cursor'
  | 'owner'
  | 'heartbeatAt'
  | 'dueAt'
  | 'crashes'
  | 'priority'
  | 'ready'
  | 'lane'
  | 'laneStops'
  | 'limitKey'
  | 'queues'
  | 'turns'
  | 'requestId'
  | 'notAfter'
> & {
  /** Whether its layers wait for anything: what they wait for may take megabytes. */
  readonly waits?: Play['waits'] | true;
};

/** An unowned play whose job is gone: gives it a fresh epoch to be rung under. No crash is counted. */
export function reissueWrite(play: OpenPlay): PlayWrite {
  return {
    match: { epoch: play.epoch, seq: play.seq, states: ['NEW', 'RUN'], owner: null },
    set: { epoch: play.epoch + 1, strict: true },
    unset: [],
    touch: ['heartbeatAt'],
    layers: [],
    log: [],
  };
}

/** The same of a NEW play: it waits for room in its company's window, as if it had found none when it was accepted. */
export function waitWrite(play: OpenPlay): PlayWrite {
  const { match, set, ...rest } = reissueWrite(play);
  return { ...rest, match: { ...match, states: ['NEW'] }, set: { ...set, ready: true } };
}

/** A play whose owner is dead: takes it away from that owner, or FAILs it when it has killed often enough. */
export function reapWrite(play: OpenPlay, at: Date): PlayWrite {
  const crashes = play.crashes + 1;
  const match = {
    epoch: play.epoch,
    states: ['RUN'] as const,
    owner: play.owner ?? null,
    ...(play.heartbeatAt && { heartbeatAt: play.heartbeatAt }),
  };
  if (crashes < CRASH_LIMIT) {
    return {
      match,
      set: { epoch: play.epoch + 1, crashes, strict: true },
      unset: ['owner'],
      touch: ['heartbeatAt'],
      layers: [],
      log: [],
    };
  }
  const end = endWrite(play, crashedRepeatedlyError(null), at);
  return { ...end, match: { ...match, seq: play.seq }, set: { ...end.set, crashes } };
}

/** It is due and does not go on: it waits for its turns. */
export function joinsQueueWhenDue(play: OpenPlay): boolean {
  return awaitsTurns(play) && play.state === 'DEFERRED' && !play.waits && !play.ready;
}

/**
 * A DEFERRED play whose time has come, or a WAIT whose time is up: it goes on, and the worker asks its layer again, which
 * sees that. A delayed play that needs turns stays DEFERRED and joins its queue instead.
 */
export function dueWrite(play: OpenPlay, at: Date): PlayWrite {
  if (joinsQueueWhenDue(play)) return { ...joinWrite(play), unset: ['dueAt'] };
  return continueWrite(play, play.state === 'WAIT' ? 'WAIT' : 'DEFERRED', ['dueAt', 'ready'], at);
}

/** An open play whose time limit is over. */
export function timeLimitWrite(play: OpenPlay, at: Date): PlayWrite {
  const error = { code: 'play_timeout', message: 'The play took longer than its flow allows.', ref: null };
  return endWrite(play, error, at);
}

/** An open play whose document MongoDB refuses to grow by the next write. */
export function tooLargeWrite(play: OpenPlay, at: Date): PlayWrite {
  return endWrite(play, playTooLargeError(null), at);
}

/** The same where even that has no room: the outputs go, and with them the chance of a retry. */
export function tooLargeErasingWrite(play: OpenPlay, at: Date): PlayWrite {
  return withoutOutputs(tooLargeWrite(play, at), at);
}

function continueWrite(play: OpenPlay, from: 'WAIT' | 'DEFERRED', unset: readonly PlayField[], at: Date): PlayWrite {
  const events: PlayEvent[] = [{ type: 'state', from, state: 'RUN', at }];
  return {
    match: { epoch: play.epoch, seq: play.seq, states: [from] },
    set: { state: 'RUN', epoch: play.epoch + 1, seq: play.seq + events.length },
    unset,
    touch: ['heartbeatAt'],
    layers: [],
    log: numberEvents(play.seq, events),
  };
}
