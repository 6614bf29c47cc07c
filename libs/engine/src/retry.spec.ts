import { PLAY_STATES } from '@weft/contracts';
import { aLayer, aPlay } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import type { LayerDefinition } from './flow-version.js';
import { journal } from './journal.js';
import { AT } from '../model/build.js';
import type { LayerResult, Play } from './play.js';
import { decideRetry, payloadsOf, resultsTakenOver, retryOf } from './retry.js';
import { PROTOCOL_TIMES } from './times.js';

const SETTLE = PROTOCOL_TIMES.settleMs;
const later = (ms: number): Date => new Date(AT.getTime() + ms);

function layer(ref: string, fields: Partial<LayerDefinition> = {}): LayerDefinition {
  return aLayer(ref, { id: ref, ...fields });
}

function result(position: number, state: LayerResult['state'], fields: Partial<LayerResult> = {}): LayerResult {
  const ref = `layer${position}`;
  return {
    position,
    ref,
    name: ref,
    state,
    startedAt: AT,
    completedAt: AT,
    out: { position },
    outBytes: 14,
    attempts: 1,
    by: 'old-worker:1',
    ...(state === 'FAIL' && { error: { code: 'bad_status', message: '500' } }),
    ...fields,
  };
}

const settings = { concurrency: null, timeoutMs: 60_000, onMissing: 'fail', maxOutputBytes: null } as const;
const layers = [layer('a'), layer('b', { onError: 'continue' }), layer('c'), layer('d')];

function failed(results: readonly LayerResult[], fields: Partial<Play> = {}): Play {
  const accepted = aPlay({
    playId: 'old',
    companyId: 'company',
    flowId: 'flow',
    version: 7,
    args: { n: 1 },
    idempotencyKey: 'order-1',
    trigger: 'schedule',
    priority: 5,
    serverNow: AT,
  });
  const { key: _key, ...unbound } = accepted;
  return { ...unbound, state: 'FAIL', layers: results, cursor: results.length, completedAt: AT, ...fields };
}

const request = { playId: 'new', triggeredBy: 'user', serverNow: later(5_000) };

describe('whether a play is retried', () => {
  it.each(PLAY_STATES)('%s', (state) => {
    const decision = decideRetry({ state, completedAt: AT }, later(SETTLE));
    expect(decision.kind).toBe(state === 'FAIL' ? 'retry' : 'refuse');
  });

  it('waits until a worker that may have it unclaimed has called and found out, or has stopped', () => {
    expect(decideRetry({ state: 'FAIL', completedAt: AT }, later(SETTLE - 1))).toEqual({ kind: 'later', waitMs: 1 });
    expect(decideRetry({ state: 'FAIL', completedAt: AT }, later(SETTLE))).toEqual({ kind: 'retry' });
    const setBack = later(-3_600_000);
    expect(decideRetry({ state: 'FAIL', completedAt: AT }, setBack)).toEqual({ kind: 'later', waitMs: SETTLE });
  });
});

describe('what a retry takes over', () => {
  const positionsOf = (...results: LayerResult[]): number[] =>
    resultsTakenOver({ layers: results }, { layers }).map(({ position }) => position);

  it('is what was done, and not what failed', () => {
    expect(positionsOf(result(0, 'DONE'), result(2, 'FAIL'))).toEqual([0]);
  });

  it('is a failure that the flow went on with', () => {
    expect(positionsOf(result(0, 'DONE'), result(1, 'FAIL'), result(2, 'FAIL'))).toEqual([0, 1]);
  });

  it('is what was skipped or filtered by layers that are taken over', () => {
    expect(positionsOf(result(0, 'DONE', { skips: [1] }), result(1, 'SKIP'), result(2, 'FAIL'))).toEqual([0, 1]);
    expect(positionsOf(result(0, 'FILTERED'), result(2, 'FAIL'))).toEqual([0]);
  });

  it('is, of a stage, all but what failed, in the order in which it was recorded', () => {
    expect(positionsOf(result(3, 'DONE'), result(2, 'FAIL'), result(0, 'DONE'))).toEqual([3, 0]);
  });

  it('is everything of a play that was ended between two layers', () => {
    expect(positionsOf(result(0, 'DONE'), result(1, 'DONE'))).toEqual([0, 1]);
  });
});

describe('the new play', () => {
  it('has version, args, key and priority of the failed one, and names it', () => {
    const play = retryOf(failed([]), { layers, settings }, request);
    expect(play).toMatchObject({
      _id: 'new',
      company_id: 'company',
      flowId: 'flow',
      version: 7,
      args: { n: 1 },
      key: 'order-1',
      idempotencyKey: 'order-1',
      priority: 5,
      state: 'NEW',
      trigger: 'retry',
      triggeredBy: 'user',
      retryOf: 'old',
      createdAt: later(5_000),
      deadlineAt: later(65_000),
    });
  });

  it('begins anew: nothing of how the failed one was run goes over', () => {
    const old = failed([result(0, 'DONE'), result(2, 'FAIL')], {
      epoch: 9,
      crashes: 2,
      inbox: { 2: 'answer' },
      tries: { 2: 3 },
      error: { code: 'bad_status', message: '500', ref: 'c' },
      parentPlayId: 'parent',
    });
    const play = retryOf(old, { layers, settings }, request);
    expect(play).toMatchObject({ epoch: 1, crashes: 0, cursor: 1, layers: [result(0, 'DONE')] });
    for (const field of ['inbox', 'tries', 'error', 'completedAt', 'parentPlayId'])
      expect(play).not.toHaveProperty(field);
  });

  it('calls for the first play of its chain, also as the retry of a retry', () => {
    const first = retryOf(failed([]), { layers, settings }, request);
    expect(first.chain).toEqual({ first: 'old', nth: 1, at: AT, trigger: 'schedule' });
    const second = retryOf({ ...first, state: 'FAIL' }, { layers, settings }, { ...request, playId: 'newer' });
    expect(second).toMatchObject({ retryOf: 'new', chain: { first: 'old', nth: 2, at: AT } });
  });

  it('takes over what the loops of earlier plays of its chain have done, until they have ended', () => {
    const part = (count: number) => ({ count, text: `${count}` });
    const first = retryOf(failed([result(2, 'FAIL', { doneItems: part(1) })]), { layers, settings }, request);
    expect(first.doneItems).toEqual({ 2: part(1) });
    const ended = (results: readonly LayerResult[]): Play => ({ ...first, state: 'FAIL', layers: results });
    const next = (results: readonly LayerResult[]) => retryOf(ended(results), { layers, settings }, request).doneItems;
    expect(next([])).toEqual({ 2: part(1) });
    expect(next([result(2, 'FAIL')])).toEqual({ 2: part(1) });
    expect(next([result(2, 'FAIL', { doneItems: part(2) })])).toEqual({ 2: part(2) });
    expect(next([result(2, 'DONE'), result(3, 'FAIL', { doneItems: part(3) })])).toEqual({ 3: part(3) });
    expect(next([result(2, 'DONE')])).toBeUndefined();
  });

  it('refers to all that it took over of the payload store', () => {
    const ref = (name: string) => ({ $ref: name, bytes: 20_000 });
    const old = failed([
      result(0, 'DONE', { outRef: ref('out') }),
      result(2, 'FAIL', { doneItems: { count: 1, ref: ref('items') } }),
    ]);
    const play = retryOf({ ...old, argsRef: ref('args') }, { layers, settings }, request);
    expect(payloadsOf(play).map(({ $ref }) => $ref)).toEqual(['args', 'out', 'items']);
  });

  it('has no key where the failed one had none', () => {
    const { idempotencyKey: _key, ...keyless } = failed([]);
    const play = retryOf(keyless, { layers, settings }, request);
    expect(play).not.toHaveProperty('key');
  });

  it('tells watchers of no layer that it did not run itself', () => {
    const play = retryOf(failed([result(0, 'DONE'), result(2, 'FAIL')]), { layers, settings }, request);
    const own = result(2, 'DONE', { out: { own: true } });
    const after: Play = {
      ...play,
      layers: [...play.layers, own],
      log: [...play.log, { seq: 2, type: 'complete', layer: 2, state: 'DONE', at: AT }],
    };
    expect(journal(after)).toMatchObject([
      { seq: 1, type: 'layer_complete', data: { layer_id: 'new.2', output: { own: true } } },
    ]);
  });
});
