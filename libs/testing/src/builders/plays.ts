/** Plays and writes for the contract of play stores. */
import { acceptPlay, numberEvents, type Play, type PlayKey, type PlayWrite } from '@weft/engine';
import { createIdSource } from '@weft/kernel';

export const newId = createIdSource(() => Date.now(), Math.floor(Math.random() * 2 ** 32));
export const LONG_AGO = new Date('2020-01-01T00:00:00.000Z');

export interface Where {
  readonly companyId?: string;
  readonly flowId?: string;
  readonly key?: string | null;
}

export function newPlay({ companyId = newId(), flowId = newId(), key = null }: Where = {}): Play {
  return acceptPlay({
    playId: newId(),
    companyId,
    flowId,
    version: 1,
    args: { text: '$owner', 'a.b': [null, 1.5, { $set: true }] },
    idempotencyKey: key,
    dueAt: null,
    trigger: 'api',
    triggeredBy: null,
    serverNow: LONG_AGO,
  });
}

export function playKeyOf(play: Play): PlayKey {
  return { playId: play._id, companyId: play.company_id, flowId: play.flowId };
}

export interface Change {
  readonly match?: Partial<PlayWrite['match']>;
  readonly set?: PlayWrite['set'];
  readonly unset?: PlayWrite['unset'];
  readonly touch?: PlayWrite['touch'];
  readonly inbox?: PlayWrite['inbox'];
}

/** A write on the given state of the play, with one event. */
export function change(play: Play, { match, set, unset = [], touch = [], inbox }: Change): PlayWrite {
  const at = new Date('2030-01-01T00:00:00.000Z');
  return {
    match: { epoch: play.epoch, seq: play.seq, states: ['NEW', 'RUN'], ...match },
    set: { seq: play.seq + 1, ...set },
    unset,
    touch,
    layers: [],
    log: numberEvents(play.seq, [{ type: 'state', from: play.state, state: 'RUN', at }]),
    ...(inbox && { inbox }),
  };
}

export const claim = (play: Play, owner: string, match: Change['match'] = { owner: null }): PlayWrite =>
  change(play, { match, set: { state: 'RUN', owner }, unset: ['strict'], touch: ['heartbeatAt'] });

export const fail = (play: Play): PlayWrite =>
  change(play, { set: { state: 'FAIL' }, unset: ['owner', 'heartbeatAt', 'dueAt'], touch: ['completedAt'] });
