import type { LayerResult, LogEntry, Play } from '@weft/engine';
import type { LedgerCall } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { callFaults } from './call-faults.js';
import { keyFaults } from './key-faults.js';
import { playFaults } from './play-faults.js';
import { chargedWithACrash, historyFaults, writesOf, type PlayChange } from './play-history.js';

const at = (ms: number): Date => new Date(1_800_000_000_000 + ms);

function result(position: number, ref: string, out: unknown): LayerResult {
  const times = { startedAt: at(position * 100), completedAt: at(position * 100 + 50) };
  return { position, ref, name: ref, state: 'DONE', ...times, out, outBytes: 1, attempts: 1, by: 'w:1' };
}

const LAYERS = [
  result(0, 'first', { json: { receipt: 'r1' } }),
  result(1, 'note', { text: '7 has receipt r1' }),
  result(2, 'second', {}),
];
const LOG: LogEntry[] = [
  { seq: 1, type: 'accepted', at: at(0) },
  { seq: 2, type: 'state', from: 'NEW', state: 'RUN', at: at(0) },
  { seq: 3, type: 'complete', layer: 0, state: 'DONE', at: at(50) },
  { seq: 4, type: 'complete', layer: 1, state: 'DONE', at: at(150) },
  { seq: 5, type: 'complete', layer: 2, state: 'DONE', at: at(250) },
  { seq: 6, type: 'state', from: 'RUN', state: 'DONE', at: at(250) },
  { seq: 7, type: 'end', state: 'DONE', at: at(250) },
];
const SOUND = {
  _id: 'p',
  state: 'DONE',
  epoch: 1,
  seq: 7,
  cursor: 3,
  layers: LAYERS,
  log: LOG,
  completedAt: at(260),
} as unknown as Play;

function call(key: string, body: string, ms: number): LedgerCall {
  return { method: 'POST', path: '/', headers: {}, idempotencyKey: key, body, at: at(ms) };
}
const CALLS = [call('p.0', '{"n":7}', 10), call('p.2', '7 has receipt r1', 210)];

const HISTORY: PlayChange[] = [
  { playId: 'p', set: { epoch: 1, seq: 1, state: 'NEW' } },
  { playId: 'p', set: { seq: 2, state: 'RUN', 'log.1': {} } },
  { playId: 'p', set: { epoch: 2 } },
  { playId: 'p', set: { seq: 4, state: 'DONE', 'log.2': {}, 'log.3': {} } },
];

describe('the oracles find nothing', () => {
  it('in a play that went well', () => {
    expect([...playFaults(SOUND), ...callFaults([SOUND], CALLS, 0), ...historyFaults(HISTORY)]).toEqual([]);
  });
});

describe('the play oracle finds', () => {
  it.each<[string, Partial<Play>, RegExp]>([
    ['an open play', { state: 'RUN', completedAt: undefined }, /is still RUN/],
    ['an end without its time', { completedAt: undefined }, /completedAt undefined/],
    ['an owner that stayed', { owner: 'w:1' }, /still has owner/],
    ['a lost log entry', { log: LOG.filter(({ seq }) => seq !== 4) }, /has seq 5/],
    ['an entry after the end', { log: [...LOG, { seq: 8, type: 'resumed', layer: 0, at: at(0) }], seq: 8 }, /goes on/],
    ['two ends', { log: [...LOG, { seq: 8, type: 'end', state: 'DONE', at: at(0) }], seq: 8 }, /2 ends/],
    ['a state that its log does not tell', { state: 'FAIL' }, /log ends in DONE, it is FAIL/],
    ['a result that is missing', { layers: LAYERS.slice(0, 2) }, /cursor 3 and 2 results/],
    ['results out of order', { layers: LAYERS.toReversed() }, /result 0 is of layer 2/],
    [
      'layers that ran at the same time',
      { layers: LAYERS.map((layer) => ({ ...layer, startedAt: at(-1_000) })) },
      /before the one before it/,
    ],
  ])('%s', (_what, change, fault) => {
    expect(playFaults({ ...SOUND, ...change }).join('\n')).toMatch(fault);
  });
});

describe('the ledger oracle finds', () => {
  it.each<[string, LedgerCall[], RegExp]>([
    ['a layer that was never called', CALLS.slice(0, 1), /never called/],
    ['a call too many', [...CALLS, call('p.0', '', 20)], /called 2 times for 1 attempts and 0 crashes/],
    ['a call after the end', [...CALLS, call('p.2', '7 has receipt r1', 900)], /after it was DONE/],
    [
      'a layer that was told an answer that is not stored',
      [CALLS[0], call('p.2', 'r2', 210)] as LedgerCall[],
      /told "r2"/,
    ],
    ['a call of nobody', [...CALLS, call('q.0', '', 20)], /no play that is known/],
  ])('%s', (_what, calls, fault) => {
    expect(callFaults([SOUND], calls, 0).join('\n')).toMatch(fault);
  });
});

describe('the key oracle finds', () => {
  const play = { _id: 'p', flowId: 'f', idempotencyKey: 'k' };
  const elsewhere = { _id: 'q', flowId: 'g', idempotencyKey: 'k' };

  it('nothing where each key has the play that its answer named', () => {
    expect(keyFaults([play, elsewhere, { _id: 'r', flowId: 'f' }], new Map())).toEqual([]);
    expect(keyFaults([play], new Map([['k', 'p']]))).toEqual([]);
  });

  it('two plays of one key, and an answer that named another play', () => {
    expect(keyFaults([play, { ...play, _id: 'q' }], new Map()).join()).toMatch(/has the plays p and q/);
    expect(keyFaults([play], new Map([['k', 'q']])).join()).toMatch(/named q, stored is p/);
  });
});

describe('the history oracle finds', () => {
  it.each<[string, PlayChange['set'], RegExp]>([
    ['a write on a final play', { 'layers.0': {} }, /was DONE and was written again/],
    ['an epoch that falls', { epoch: 1 }, /epoch fell from 2 to 1/],
    ['a seq that falls', { seq: 2 }, /seq fell from 4 to 2/],
    ['a move that is not allowed', { state: 'RUN' }, /moved from DONE to RUN/],
    ['an overwritten event', { 'log.1': {} }, /overwritten: 1/],
    ['a number without its event', { seq: 5 }, /moved by 1 with 0 log entries/],
    ['a replaced play', { replace: true }, /replaced or deleted/],
  ])('%s', (_what, set, fault) => {
    expect(historyFaults([...HISTORY, { playId: 'p', set }]).join('\n')).toMatch(fault);
  });

  it('a play that was taken for that of a dead worker', () => {
    expect(chargedWithACrash(HISTORY)).toEqual([]);
    expect(chargedWithACrash([...HISTORY, { playId: 'p', set: { crashes: 1 } }])).toEqual(['p']);
  });
});

it('what happened to a play is shown in the order of its writes, without what is in it', () => {
  const args = { playId: 'p', set: { args: { secret: 1 }, epoch: 2 } };
  expect(writesOf([...HISTORY, args, { playId: 'q', set: { epoch: 9 } }], 'p')).toBe(
    [
      '; its writes: {"epoch":1,"seq":1,"state":"NEW"} {"seq":2,"state":"RUN","log.1":"…"}',
      '{"epoch":2} {"seq":4,"state":"DONE","log.2":"…","log.3":"…"} {"args":"…","epoch":2}',
    ].join(' '),
  );
  expect(writesOf(HISTORY, 'q')).toBe('');
});
