import type { LayerDefinition, LayerResult, LogEntry, Play } from '@weft/engine';
import { aLayer, aVersion } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { toPlayLayerViews, toPlayView, WHOLE_OUTPUT_BYTES } from './play.view.js';

const at = (ms: number): Date => new Date(Date.UTC(2026, 0, 1) + ms);

function layer(ref: string, index: number): LayerDefinition {
  return aLayer(ref, { id: `layer-${ref}`, name: ref.toUpperCase(), index });
}

const version = aVersion([layer('a', 0), layer('b', 5)], { version: 3 });

function result(position: number, fields: Partial<LayerResult> = {}): LayerResult {
  const { ref, name } = version.layers[position] as LayerDefinition;
  return {
    position,
    ref,
    name,
    state: 'DONE',
    startedAt: at(10),
    completedAt: at(20),
    out: { text: 'x' },
    outBytes: 12,
    attempts: 1,
    by: 'w',
    ...fields,
  };
}

function play(fields: Partial<Play> = {}): Play {
  return {
    _id: 'p',
    schemaVersion: 1,
    company_id: 'c',
    flowId: 'f',
    version: 3,
    state: 'NEW',
    epoch: 1,
    seq: 1,
    cursor: 0,
    crashes: 0,
    layers: [],
    log: [{ seq: 1, type: 'accepted', at: at(0) }],
    args: { n: 1 },
    trigger: 'api',
    triggeredBy: 'u',
    priority: 0,
    createdAt: at(0),
    ...fields,
  };
}

const toRun: LogEntry = { seq: 2, type: 'state', from: 'NEW', state: 'RUN', at: at(5) };
const startOfB: LogEntry = { seq: 3, type: 'start', layer: 1, ref: 'b', name: 'B', at: at(21) };

describe('toPlayView', () => {
  it('shows a new play with every field, null where there is nothing yet', () => {
    expect(toPlayView(play())).toEqual({
      id: 'p',
      flowId: 'f',
      state: 'NEW',
      startedAt: null,
      completedAt: null,
      duration: null,
      company_id: 'c',
      version: 3,
      args: { n: 1 },
      idempotencyKey: null,
      trigger: 'api',
      triggeredBy: 'u',
      priority: 0,
      dueAt: null,
      createdAt: '2026-01-01T00:00:00.000Z',
      error: null,
      retryOf: null,
      parentPlayId: null,
      retrying: false,
      retriedBy: null,
      lane: null,
      failureHandledBy: null,
      handlesFailureOf: null,
      labels: {},
    });
  });

  it('counts the duration from the first move to RUN', () => {
    const again: LogEntry = { seq: 9, type: 'state', from: 'WAIT', state: 'RUN', at: at(900) };
    const view = toPlayView(play({ state: 'DONE', log: [toRun, again], completedAt: at(1_000) }));
    expect(view).toMatchObject({ startedAt: at(5).toISOString(), duration: 995 });
  });

  it('never shows an end before the beginning, whatever the clocks said', () => {
    const view = toPlayView(play({ state: 'DONE', log: [toRun], completedAt: at(2) }));
    expect(view).toMatchObject({ startedAt: at(2).toISOString(), completedAt: at(2).toISOString(), duration: 0 });
  });

  it('leaves args out where they were not read', () => {
    const { args: _, ...head } = play();
    expect(toPlayView(head)).not.toHaveProperty('args');
  });
});

describe('toPlayLayerViews', () => {
  it('lists every layer of the version, those not reached as NEW', () => {
    const [first, second] = toPlayLayerViews(play({ state: 'RUN', layers: [result(0)] }), version);
    expect(first).toEqual({
      id: 'p.0',
      ref: 'a',
      state: 'DONE',
      startedAt: at(10).toISOString(),
      completedAt: at(20).toISOString(),
      out: { text: 'x' },
      name: 'A',
      appId: 'text-template',
      index: 0,
      attempts: 1,
      error: null,
      progress: null,
      outBytes: 12,
    });
    expect(second).toMatchObject({
      id: 'p.1',
      ref: 'b',
      index: 5,
      state: 'NEW',
      startedAt: null,
      out: null,
      attempts: 0,
    });
  });

  const eventWait = { position: 1, ref: 'b', kind: 'event', since: at(21), until: null } as const;
  const delayWait = { ...eventWait, kind: 'delay', until: at(9_000) } as const;

  it.each([
    [{ state: 'RUN' }, 'RUN', null],
    [{ state: 'WAIT', waits: { 1: eventWait } }, 'WAIT', null],
    [{ state: 'WAIT', waits: { 1: { ...eventWait, kind: 'approval' } } }, 'WAIT', null],
    [{ state: 'DEFERRED', waits: { 1: delayWait } }, 'DEFERRED', null],
    [{ state: 'ON_HOLD', held: 'WAIT', waits: { 1: eventWait } }, 'WAIT', null],
    [{ state: 'ON_HOLD', held: 'RUN' }, 'RUN', null],
    [{ state: 'RUN', waits: { 1: eventWait }, inbox: { 1: { kind: 'event' } } }, 'RUN', null],
    [
      { state: 'FAIL', completedAt: at(50), error: { code: 'cancelled', message: 'by u', ref: null } },
      'FAIL',
      'cancelled',
    ],
  ] as const)('shows a started layer of a play in %o as %s', (fields, state, code) => {
    const log = [toRun, startOfB];
    const second = toPlayLayerViews(play({ ...fields, log, layers: [result(0)] }), version)[1];
    expect(second).toMatchObject({ state, startedAt: at(21).toISOString(), attempts: 1 });
    expect(second?.error?.code ?? null).toBe(code);
  });

  it('blames a layer that waited in a stage for nothing that another one did', () => {
    const error = { code: 'timeout', message: 'late', ref: 'a' };
    const ended = play({ state: 'FAIL', completedAt: at(50), error, log: [toRun, startOfB], layers: [result(0)] });
    expect(toPlayLayerViews(ended, version)[1]).toMatchObject({
      state: 'FAIL',
      error: { code: 'cancelled', message: 'The play ended over the layer "a".' },
    });
  });

  it('shows a layer that pauses before its next attempt as DEFERRED, with the attempts made so far', () => {
    const failed: LogEntry = { seq: 4, type: 'error', layer: 1, ref: 'b', message: 'x', retries: 0, at: at(30) };
    const waits = { 1: { ...delayWait, kind: 'retry' } } as const;
    const paused = play({ state: 'DEFERRED', log: [toRun, startOfB, failed], layers: [result(0)], waits });
    expect(toPlayLayerViews(paused, version)[1]).toMatchObject({ state: 'DEFERRED', attempts: 1 });
  });

  it('finds results by position, in whatever order they were recorded', () => {
    const views = toPlayLayerViews(play({ state: 'RUN', layers: [result(1), result(0)] }), version);
    expect(views.map(({ ref, state }) => [ref, state])).toEqual([
      ['a', 'DONE'],
      ['b', 'DONE'],
    ]);
  });

  it('counts failed attempts of a layer in work', () => {
    const failed: LogEntry = { seq: 4, type: 'error', layer: 1, ref: 'b', message: 'x', retries: 0, at: at(30) };
    const log = [toRun, startOfB, failed];
    expect(toPlayLayerViews(play({ state: 'RUN', log, layers: [result(0)] }), version)[1]?.attempts).toBe(2);
  });

  it('gives a skipped layer no start', () => {
    const skipped = result(0, { state: 'SKIP', out: null, attempts: 0 });
    expect(toPlayLayerViews(play({ layers: [skipped] }), version)[0]).toMatchObject({ state: 'SKIP', startedAt: null });
  });

  it('refers to outputs that are too large, and shows stored ones that were fetched', () => {
    const reference = { $ref: '/api/v1/plays/p/layers/a/out', bytes: WHOLE_OUTPUT_BYTES + 1 };
    const outBytes = WHOLE_OUTPUT_BYTES + 1;
    const stored = result(0, { out: null, outRef: { $ref: 'x', bytes: outBytes }, outBytes });
    expect(toPlayLayerViews(play({ layers: [stored] }), version)[0]?.out).toEqual(reference);
    expect(toPlayLayerViews(play({ layers: [result(0, { outBytes })] }), version)[0]?.out).toEqual(reference);
    const fetched = new Map([[0, { text: 'large' }]]);
    expect(toPlayLayerViews(play({ layers: [stored] }), version, fetched)[0]?.out).toEqual({ text: 'large' });
  });
});
