import type { EgressClient, EgressRequest } from '@weft/egress';
import { aLayer, aPlay, aVersion, SETTINGS, sandbox } from '@weft/testing';
import { shownOutput, type DoneItems, type LayerDefinition, type LayerWait, type Play } from '@weft/engine';
import { bsonBytes } from '@weft/kernel';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { InlineBudget } from '../memory/inline-budget.js';
import { LayerFailure } from '../layer-module.js';
import { UnloadedOutput, type LayerCall } from './layer-call.js';
import type { IntegrationSource } from './integration-source.js';
import { LayerRunner, type LayerEnd } from './layer-runner.js';
import { MemoryPayloads } from '../stored/memory-payloads.fixture.js';
import { prepareVersion } from './prepared-version.js';

const NOW = new Date('2026-01-01T00:00:00Z');

interface Fixture {
  readonly layer: Partial<LayerDefinition>;
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly maxOutputBytes?: number;
  readonly call?: Partial<LayerCall>;
  readonly answer?: (request: EgressRequest) => Promise<number> | number;
  readonly nowMs?: () => number;
  readonly payloads?: MemoryPayloads;
  /** The peer's answer as a stream. */
  readonly stream?: Buffer;
  readonly heldBytes?: number;
  readonly integrations?: IntegrationSource;
}

function fixture({
  layer,
  outputs = {},
  args = {},
  maxOutputBytes,
  call,
  answer = () => 200,
  nowMs,
  payloads = new MemoryPayloads(),
  heldBytes,
  integrations,
  stream,
}: Fixture) {
  const definition = aLayer('layer', { id: 'id', name: 'Layer', ...layer });
  const settings = { ...SETTINGS, maxOutputBytes: maxOutputBytes ?? null };
  const version = aVersion([definition], { flowId: 'flow', companyId: 'company', settings });
  const play = aPlay({ playId: 'play', companyId: 'company', flowId: 'flow', args, serverNow: NOW });
  const requests: EgressRequest[] = [];
  const http: EgressClient = {
    async request(request) {
      requests.push(request);
      const statusCode = await answer(request);
      if (!stream) return { statusCode, headers: {}, body: Buffer.from(request.url), url: request.url };
      const headers = { 'content-type': 'application/json' };
      return { statusCode, headers, body: Buffer.alloc(0), stream: Readable.from([stream]), url: request.url };
    },
    close: async () => undefined,
  };
  const serverNow = nowMs ?? (() => NOW.getTime());
  const runner = new LayerRunner({ http, payloads, sandbox, serverNow, heldBytes, integrations });
  const calls: LayerCall = {
    play,
    prepared: prepareVersion(version, 'Acme'),
    position: 0,
    attempt: 1,
    wait: null,
    answer: null,
    outputs: new Map(Object.entries(outputs)),
    errors: new Map(),
    inlineBudget: new InlineBudget(),
    by: 'me',
    signal: new AbortController().signal,
    ...call,
  };
  const run = (more: Partial<LayerCall> = {}): Promise<LayerEnd> => runner.run({ ...calls, ...more });
  const discard: LayerRunner['discard'] = (of, result) => runner.discard(of, result);
  return { run, requests, payloads, play, discard, check: () => runner.check(calls) };
}

function resultOf({ outcome }: LayerEnd) {
  if (outcome.kind !== 'result') throw new Error(`it waits for ${outcome.wait.kind}`);
  return outcome.result;
}

function waitOf({ outcome }: LayerEnd): LayerWait {
  if (outcome.kind !== 'wait') throw new Error(`it ended ${outcome.result.state}`);
  return outcome.wait;
}

const template = (text: string) => ({ appId: 'text-template', args: { template: text } });
const request = (fields: Partial<LayerDefinition> = {}) => ({
  appId: 'web-request',
  args: { url: 'http://a/{{ $item }}' },
  forEach: { in: '{{ $prev.args.list }}', concurrency: 3 },
  ...fields,
});
const RETRY = { attempts: 3, backoff: 'fixed', delayMs: 0, maxDelayMs: 0 } as const;

describe('a failure', () => {
  it('says which status was refused, and which item failed', async () => {
    const one = fixture({ layer: { appId: 'web-request', args: { url: 'http://a/' } }, answer: () => 422 });
    expect(resultOf(await one.run()).error).toEqual({
      ...{ code: 'bad_status', message: 'a answered 422', statusCode: 422 },
    });
    const answer = ({ url }: EgressRequest) => (url.endsWith('/2') ? 404 : 200);
    const loop = fixture({ layer: request(), args: { list: [1, 2, 3] }, answer });
    expect(resultOf(await loop.run()).error).toMatchObject({ code: 'bad_status', statusCode: 404, item: 1 });
  });
});

describe('a layer whose play may be another worker’s by now', () => {
  it('calls nobody', async () => {
    const { run, requests } = fixture({ layer: { appId: 'web-request', args: { url: 'http://a/' } } });
    const end = await run({ proven: () => Promise.resolve(false) });
    expect(resultOf(end)).toMatchObject({ state: 'FAIL', error: { code: 'cancelled' } });
    expect(requests).toEqual([]);
    expect(resultOf(await run({ proven: () => Promise.resolve(true) })).state).toBe('DONE');
  });

  it('goes on with no item of its loop', async () => {
    const forEach = { in: '{{ $prev.args.list }}', concurrency: 1 };
    const { run, requests } = fixture({ layer: request({ forEach }), args: { list: [1, 2, 3, 4] } });
    const end = await run({ proven: () => requests.length < 2 || Promise.resolve(false) });
    expect(resultOf(end)).toMatchObject({ state: 'FAIL', error: { code: 'cancelled' } });
    expect(requests).toHaveLength(2);
  });
});

describe('a layer of a retry', () => {
  const keysOf = (requests: readonly EgressRequest[]) => requests.map(({ headers }) => headers?.['Idempotency-Key']);
  const chain = { first: 'first', nth: 1, at: new Date('2025-12-24T00:00:00Z') };

  it('sends the idempotency keys of the first play of its chain', async () => {
    const one = fixture({ layer: { appId: 'web-request', args: { url: 'http://a/' } } });
    await one.run({ play: { ...one.play, chain } });
    expect(keysOf(one.requests)).toEqual(['first.0']);
    const loop = fixture({ layer: request({ retry: null }), args: { list: [1, 2] } });
    await loop.run({ play: { ...loop.play, chain } });
    expect(keysOf(loop.requests)).toEqual(['first.0.0', 'first.0.1']);
  });

  it('computes what that play computed: its clock and its chance', async () => {
    const { run, play } = fixture({ layer: template('{{ $now() }} {{ $random() }}') });
    const [first, other] = [await run({ play: { ...play, _id: 'first', createdAt: chain.at } }), await run()];
    expect(resultOf(first).state).toBe('DONE');
    expect(resultOf(await run({ play: { ...play, chain } })).out).toEqual(resultOf(first).out);
    expect(resultOf(other).out).not.toEqual(resultOf(first).out);
  });

  it('reads how that play was started, and what the flow is', async () => {
    const facts = '{{ $play.trigger }} {{ $play.scheduledFor }} {{ $play.acceptedAt }} {{ $play.labels.tier }}';
    const all = `${facts} {{ $string($play.labels) }} {{ $flow.id }} {{ $flow.version }}`;
    const { run, play } = fixture({ layer: template(all) });
    const slot = '2026-11-24T09:00:00.000Z';
    const idempotencyKey = `schedule:job:${slot}`;
    const of = { ...play, idempotencyKey, labels: ['tier:gold'] };
    const first = await run({ play: { ...of, trigger: 'schedule', createdAt: chain.at } });
    const at = chain.at.toISOString();
    expect(resultOf(first).out).toEqual({ text: `schedule ${slot} ${at} gold {"tier":"gold"} flow 1` });
    const retry = { ...of, trigger: 'retry' as const, chain: { ...chain, trigger: 'schedule' as const } };
    expect(resultOf(await run({ play: retry })).out).toEqual(resultOf(first).out);
    const old = await run({ play: { ...retry, chain } });
    expect(resultOf(old).out).toMatchObject({ text: expect.stringMatching(/^ {2}/) as string });
  });
});

describe('a condition on a layer', () => {
  it('filters the layer out before anything of it is evaluated', async () => {
    const { run, check } = fixture({
      layer: { ...template('{{ .nobody.x }}'), when: '{{ .ask.ok }}' },
      outputs: { ask: { ok: 0 } },
    });
    const end = await run();
    expect(resultOf(end)).toMatchObject({ state: 'FILTERED', out: null, outBytes: 0, attempts: 0 });
    expect(end.out).toBeNull();
    expect(await check()).toEqual(end);
  });

  it('lets it run, and reads a skipped layer as no', async () => {
    const skipped = { layer: { ...template('x'), when: '{{ .ask.ok }}' }, outputs: { ask: null } };
    expect(resultOf(await fixture(skipped).run()).state).toBe('FILTERED');
    const asked = fixture({ ...skipped, outputs: { ask: { ok: 'yes' } } });
    expect(await asked.check()).toBeNull();
    expect(resultOf(await asked.run())).toMatchObject({ state: 'DONE', out: { text: 'x' }, attempts: 1 });
  });

  it('fails the layer when it leads to nothing', async () => {
    const { run, check } = fixture({ layer: { ...template('x'), when: '{{ .ask.ok }}' } });
    expect(resultOf(await run())).toMatchObject({ state: 'FAIL', error: { code: 'expression_unresolved' } });
    expect(await check()).toEqual(await run());
  });
});

describe('a loop', () => {
  const list = [0, 1, 2, 3, 4, 5, 6];

  it('calls its module for each item, some at a time, and keeps the order', async () => {
    let running = 0;
    let most = 0;
    const gates: (() => void)[] = [];
    const answer = async (): Promise<number> => {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((open) => {
        gates.push(open);
        if (gates.length === 3 || (gates.length === 1 && requests.length === list.length))
          for (const gate of gates.splice(0).reverse()) gate();
      });
      running -= 1;
      return 200;
    };
    const { run, requests } = fixture({ layer: request(), args: { list }, answer });
    const { out } = await run();
    expect(most).toBe(3);
    expect((out as { body: string }[]).map(({ body }) => body)).toEqual(list.map((item) => `http://a/${item}`));
    expect(requests.map(({ headers }) => headers?.['Idempotency-Key']).sort()).toEqual(list.map((i) => `play.0.${i}`));
  });

  it('gives an empty list for an empty list', async () => {
    expect(resultOf(await fixture({ layer: request(), args: { list: [] } }).run())).toMatchObject({
      state: 'DONE',
      out: [],
    });
  });

  it('of 10,000 pure items keeps their order', async () => {
    const many = Array.from({ length: 10_000 }, (_, i) => i);
    const layer = {
      ...template('{{ $index }}:{{ $item }}'),
      forEach: { in: '{{ $prev.args.list }}', concurrency: 100 },
    };
    const { out } = await fixture({ layer, args: { list: many } }).run();
    expect(out).toEqual(many.map((i) => ({ text: `${i}:${i}` })));
  });

  it('tells how many of its items are done', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const told: unknown[] = [];
    const answer = () => {
      vi.advanceTimersByTime(400);
      return 200;
    };
    const layer = { ...request(), forEach: { in: '{{ $prev.args.list }}', concurrency: 1 } };
    await fixture({ layer, args: { list }, answer, call: { attempt: 2, progress: (one) => told.push(one) } }).run();
    expect(told).toEqual([
      { position: 0, attempt: 2, percent: 14, status: '1 of 7' },
      { position: 0, attempt: 2, percent: 42, status: '3 of 7' },
      { position: 0, attempt: 2, percent: 71, status: '5 of 7' },
    ]);
  });

  it.each<[unknown, RegExp]>([
    ['abc', /must give a list.*string/],
    [null, /must give a list.*null/],
    [{ length: 1 }, /must give a list/],
    [Array.from({ length: 10_001 }, () => 0), /at most 10000 items, not 10001/],
  ])('cannot run over %.20j', async (what, message) => {
    const { run, requests } = fixture({ layer: request(), args: { list: what } });
    const { error } = resultOf(await run());
    expect(error?.code).toBe('invalid_args');
    expect(error?.message).toMatch(message);
    expect(requests).toEqual([]);
  });

  it('fails with the item that failed, begins no further one, and calls none again without retry', async () => {
    const answer = ({ url }: EgressRequest): number => (url.endsWith('/2') ? 500 : 200);
    const layer = request({ forEach: { in: '{{ $prev.args.list }}', concurrency: 1 } });
    const { run, requests } = fixture({ layer, args: { list }, answer });
    const end = await run();
    // what the item was answered is kept, except where later layers read the output of the loop
    expect(resultOf(end)).toMatchObject({ state: 'FAIL', out: { statusCode: 500 }, attempts: 1 });
    const goesOn = fixture({ layer: { ...layer, onError: 'continue' }, args: { list }, answer });
    expect(resultOf(await goesOn.run())).toMatchObject({ state: 'FAIL', out: null, error: { item: 2 } });
    expect(resultOf(end).error).toMatchObject({ code: 'bad_status', message: 'item 2: a answered 500' });
    expect(requests).toHaveLength(3);
  });

  it('calls an item again in its place, as often as its retry says', async () => {
    let failures = 2;
    const flaky = ({ url }: EgressRequest): number => (url.endsWith('/4') && (failures -= 1) >= 0 ? 503 : 200);
    const mended = fixture({ layer: request({ retry: RETRY }), args: { list }, answer: flaky });
    expect(resultOf(await mended.run()).state).toBe('DONE');
    expect(mended.requests).toHaveLength(list.length + 2);
    const broken = fixture({ layer: request({ retry: RETRY }), args: { list: [0] }, answer: () => 503 });
    expect(resultOf(await broken.run())).toMatchObject({ state: 'FAIL', attempts: 3 });
    expect(broken.requests).toHaveLength(3);
    expect(resultOf(await broken.run({ attempt: 3 }))).toMatchObject({ state: 'FAIL', attempts: 3 });
    expect(broken.requests).toHaveLength(4);
  });

  it('leaves a long pause to the layer, and then calls only the items that have no output yet', async () => {
    const retry = { ...RETRY, delayMs: 10_000, maxDelayMs: 10_000 };
    let isDown = true;
    const answer = ({ url }: EgressRequest): number => (isDown && url.endsWith('/3') ? 503 : 200);
    const { run, requests } = fixture({ layer: request({ retry }), args: { list }, answer });
    expect(resultOf(await run())).toMatchObject({ state: 'FAIL', attempts: 1, error: { code: 'bad_status' } });
    const before = requests.length;
    isDown = false;
    const end = await run({ attempt: 2 });
    expect(resultOf(end)).toMatchObject({ state: 'DONE', attempts: 2 });
    expect(end.out).toHaveLength(list.length);
    expect(new Set(requests.map(({ url }) => url)).size).toBe(list.length);
    expect(requests).toHaveLength(list.length + 1);
    expect(before).toBeGreaterThan(3);
  });

  it('does not call again for what another call would only repeat', async () => {
    const args = { url: 'http://a/', timeoutMs: '{{ $item }}' };
    const { run, requests } = fixture({ layer: request({ args, retry: RETRY }), args: { list: ['soon'] } });
    const { error } = resultOf(await run());
    expect(error?.code).toBe('invalid_args');
    expect(error?.message).toMatch(/^item 0: timeoutMs must be [^\n]+$/);
    expect(requests).toEqual([]);
  });

  it('ends when the worker loses the play', async () => {
    const abort = new AbortController();
    const answer = (): number => {
      abort.abort(new Error('lost'));
      return 200;
    };
    const { run, requests } = fixture({
      layer: request({ forEach: { in: '{{ $prev.args.list }}', concurrency: 1 } }),
      args: { list },
      answer,
    });
    expect(resultOf(await run({ signal: abort.signal })).error?.code).toBe('cancelled');
    expect(requests).toHaveLength(1);
  });

  it('fails when its outputs together are too large, and puts large ones away', async () => {
    const tight = fixture({ layer: request(), args: { list }, maxOutputBytes: 300 });
    expect(resultOf(await tight.run()).error?.code).toBe('output_too_large');
    const layer = { ...template('x'.repeat(200)), forEach: { in: '{{ $prev.args.list }}', concurrency: 1 } };
    const roomy = fixture({ layer, args: { list: Array.from({ length: 100 }, () => 0) } });
    const { outRef, out, outBytes } = resultOf(await roomy.run());
    expect(out).toBeNull();
    expect(roomy.payloads.bytes.get(outRef?.$ref ?? '')?.byteLength).toBe(outBytes);
  });
});

describe('an output with a credential', () => {
  const secret = JSON.stringify({ access_key_id: 'id', secret_access_key: 'key' });
  const settings = { region: 'eu-central-1', service: 's3' };
  const connection = async () => ({ type: 's3', endpoint: null, kind: 'aws_sigv4', secret, settings }) as const;
  const of = (op: string, more: Partial<LayerDefinition> = {}) =>
    fixture({
      layer: { appId: 's3', args: { integrationId: 'i', op, bucket: 'reports', key: 'a' }, ...more },
      args: { list: [1, 2] },
      integrations: { connection },
    });
  const signed = expect.objectContaining({ url: expect.stringContaining('X-Amz-Signature=') as string }) as unknown;

  it('is stored as a large one is, so that events refer to it, and is read by later layers', async () => {
    for (const [more, expected] of [
      [{}, signed],
      [{ forEach: { in: '{{ $prev.args.list }}', concurrency: 1 } }, [signed, signed]],
    ] as const) {
      const { run, payloads } = of('presign', more);
      const end = await run();
      const result = resultOf(end);
      expect(end.out).toEqual(expected);
      expect(JSON.parse(payloads.bytes.get(result.outRef?.$ref ?? '')?.toString() ?? 'null')).toEqual(expected);
      expect(result.out).toBeNull();
      expect(shownOutput('play', result)).toEqual({
        $ref: '/api/v1/plays/play/layers/layer/out',
        bytes: result.outBytes,
      });
    }
    expect(shownOutput('play', resultOf(await of('head').run()))).toMatchObject({ key: 'a' });
  });
});

describe('a loop that failed for good', () => {
  const list = ['a', 'b', 'c', 'd', 'e'];
  const one = { in: '{{ $prev.args.list }}', concurrency: 1 };
  const paths = (requests: readonly EgressRequest[]) => requests.map(({ url }) => url.slice(-1));
  const failsAt = (bad: string) => (sent: EgressRequest) => (sent.url.endsWith(bad) ? 503 : 200);

  /** The done items with which a retry runs after this loop failed at `bad`; and the failure. */
  async function left(bad: string, more: Partial<Fixture> = {}) {
    const failing = fixture({ layer: request({ forEach: one }), args: { list }, answer: failsAt(bad), ...more });
    const failed = resultOf(await failing.run());
    expect(failed.state).toBe('FAIL');
    return { ...failing, failed, doneItems: failed.doneItems ? { 0: failed.doneItems } : undefined };
  }

  async function retried(doneItems: Play['doneItems'], more: Partial<Fixture> = {}) {
    const again = fixture({ layer: request({ forEach: one }), args: { list }, ...more });
    return { ...again, result: resultOf(await again.run({ play: { ...again.play, doneItems } })) };
  }

  it('leaves the outputs that it has to a retry, which calls for the other items only', async () => {
    const { doneItems } = await left('d');
    expect(doneItems?.[0].count).toBe(3);
    const { requests, result } = await retried(doneItems);
    expect(paths(requests)).toEqual(['d', 'e']);
    expect(result).toMatchObject({ state: 'DONE', out: list.map((item) => ({ body: `http://a/${item}` })) });
    expect(result.outBytes).toBe(Buffer.byteLength(JSON.stringify(result.out)));
  });

  it('leaves to the next retry what all before it have done, also of items that were done out of turn', async () => {
    const forEach = { in: '{{ $prev.args.list }}', concurrency: 2 };
    const { doneItems } = await left('a', { layer: request({ forEach }) });
    expect(doneItems?.[0].count).toBe(1);
    const again = await retried(doneItems, { answer: failsAt('d') });
    expect(paths(again.requests)).toEqual(['a', 'c', 'd']);
    const last = await retried({ 0: again.result.doneItems! });
    expect([paths(last.requests), last.result.state]).toEqual([['d', 'e'], 'DONE']);
  });

  it('puts many of them away, and reads them from there in pieces', async () => {
    const items = Array.from({ length: 3_000 }, (_, i) => `ö${i}`);
    const more = { args: { list: [...items, 'bad'] }, payloads: new MemoryPayloads(7) };
    const { doneItems } = await left('bad', more);
    expect(doneItems?.[0]).toMatchObject({ count: 3_000, ref: { $ref: 'payload-0' } });
    const { requests, result } = await retried(doneItems, more);
    expect([requests.length, result.state]).toEqual([1, 'DONE']);
    const { outRef, outBytes } = result;
    const outs = JSON.parse(more.payloads.bytes.get(outRef?.$ref ?? '')?.toString() ?? '') as { body: string }[];
    expect(outs.map(({ body }) => body.slice('http://a/'.length))).toEqual([...items, 'bad']);
    expect(outBytes).toBe(more.payloads.bytes.get(outRef?.$ref ?? '')?.byteLength);
  });

  it('has not done an item that is another one now', async () => {
    const { doneItems } = await left('d');
    const { requests, result } = await retried(doneItems, { args: { list: ['a', 'x', 'c', 'd'] } });
    expect([paths(requests), result.state]).toEqual([['x', 'd'], 'DONE']);
  });

  it('does not call all of its items again because what it did is not stored any more', async () => {
    const { requests, result } = await retried({ 0: { count: 4, ref: { $ref: 'gone', bytes: 100 } } });
    expect([requests.length, result.error?.code]).toEqual([0, 'expression_unresolved']);
  });

  it('leaves nothing where a retry has no use for it', async () => {
    const lost = new AbortController();
    const losing = (sent: EgressRequest): number => {
      if (sent.url.endsWith('d')) lost.abort();
      return 200;
    };
    const { failed } = await left('a');
    const ofLost = await left('d', { answer: losing, call: { signal: lost.signal } });
    const ofCaught = await left('d', { layer: request({ forEach: one, onError: 'continue' }) });
    const ofTried = await left('d', {
      layer: request({ forEach: one, retry: { ...RETRY, delayMs: 60_000, maxDelayMs: 60_000 } }),
    });
    for (const { doneItems } of [failed, ofLost.failed, ofCaught.failed, ofTried.failed])
      expect(doneItems).toBeUndefined();
  });

  it('lets go of what it left when it is called again after all', async () => {
    const items = Array.from({ length: 3_000 }, (_, i) => `${i}`);
    const { failed, discard, payloads, play } = await left('bad', { args: { list: [...items, 'bad'] } });
    await discard({ play, inlineBudget: new InlineBudget() }, failed);
    expect(payloads.bytes.size).toBe(0);
  });
});

describe('a loop that collects the failures of its items', () => {
  const forEach = { in: '{{ $prev.args.list }}', concurrency: 1, onItemError: 'collect' } as const;
  const list = ['a', 'b', 'c'];
  const failsAt =
    (bad: string, status: number) =>
    ({ url }: EgressRequest) =>
      url.endsWith(bad) ? status : 200;

  it('runs all of them, and says of each how it ended', async () => {
    const { run, requests } = fixture({
      layer: request({ forEach, retry: RETRY }),
      args: { list },
      answer: failsAt('b', 503),
    });
    const result = resultOf(await run());
    expect(result).toMatchObject({ state: 'DONE', attempts: 1 });
    const ok = (item: string) => ({ ok: true, out: { statusCode: 200, body: `http://a/${item}` }, error: null });
    const error = { code: 'bad_status', message: 'a answered 503', statusCode: 503 };
    expect(result.out).toMatchObject([ok('a'), { ok: false, out: { statusCode: 503 }, error }, ok('c')]);
    expect(requests.map(({ headers }) => headers?.['Idempotency-Key'])).toEqual([
      ...['play.0.0', 'play.0.1', 'play.0.1', 'play.0.1', 'play.0.2'],
    ]);
  });

  it('goes on with the others before an item that must wait for long', async () => {
    const retry = { ...RETRY, delayMs: 60_000, maxDelayMs: 60_000 };
    const { run, requests } = fixture({
      layer: request({ forEach, retry }),
      args: { list },
      answer: failsAt('a', 503),
    });
    const path = () => requests.splice(0).map(({ url }) => url.at(-1));
    expect(resultOf(await run())).toMatchObject({ state: 'FAIL', attempts: 1, error: { item: 0 } });
    expect(path()).toEqual(['a', 'b', 'c']);
    expect(resultOf(await run({ attempt: 2 }))).toMatchObject({ state: 'FAIL', attempts: 2 });
    expect(resultOf(await run({ attempt: 3 }))).toMatchObject({
      state: 'DONE',
      out: [{ ok: false }, { ok: true }, {}],
    });
    expect(path()).toEqual(['a', 'a']);
  });

  it('collects what an item’s own arguments do wrong', async () => {
    const layer = request({ forEach, args: { url: '{{ $item.url }}' } });
    const { out } = resultOf(await fixture({ layer, args: { list: [{ url: 'http://a/1' }, {}] } }).run());
    expect(out).toMatchObject([
      { ok: true },
      { ok: false, out: null, error: { code: 'expression_unresolved', statusCode: null } },
    ]);
  });

  it('does not take the loss of the play for the failure of an item', async () => {
    const { run, requests } = fixture({ layer: request({ forEach }), args: { list } });
    const end = resultOf(await run({ proven: () => Promise.resolve(false) }));
    expect(end).toMatchObject({ state: 'FAIL', error: { code: 'cancelled' } });
    expect(requests).toEqual([]);
  });

  it('ends when its output is full, and calls no further item', async () => {
    const { run, requests } = fixture({ layer: request({ forEach }), args: { list }, maxOutputBytes: 200 });
    expect(resultOf(await run())).toMatchObject({ state: 'FAIL', error: { code: 'output_too_large' } });
    expect(requests.length).toBeLessThan(3);
  });
});

describe('a loop that takes long', () => {
  const list = ['a', 'bad', 'c', 'last'];
  const forEach = { in: '{{ $prev.args.list }}', concurrency: 1, onItemError: 'collect' } as const;
  const paths = (requests: readonly EgressRequest[]) => requests.map(({ url }) => url.slice('http://a/'.length));

  /** What was stored of the loop when its last item was running. */
  async function kept(more: Partial<Fixture> = {}): Promise<DoneItems> {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const stored = Promise.withResolvers<DoneItems>();
    const answer = async ({ url }: EgressRequest): Promise<number> => {
      if (url.endsWith('last')) {
        vi.advanceTimersByTime(1_000);
        await stored.promise;
      }
      return url.endsWith('bad') ? 422 : 200;
    };
    const keep = async (items: DoneItems) => {
      stored.resolve(items);
      return true;
    };
    await fixture({ layer: request({ forEach }), args: { list }, answer, ...more, call: { keep } }).run();
    return stored.promise;
  }

  async function goesOn(items: DoneItems, playId: string, more: Partial<Fixture> = {}) {
    const again = fixture({ layer: request({ forEach }), args: { list }, ...more });
    const chain = { first: 'play', nth: 1, at: NOW };
    const end = await again.run({ play: { ...again.play, _id: playId, chain, doneItems: { 0: items } } });
    return { calls: paths(again.requests), result: resultOf(end) };
  }

  it('stores what it has done, and the next worker goes on from there', async () => {
    const items = await kept();
    expect(items).toMatchObject({ count: 3, of: 4 });
    const { calls, result } = await goesOn(items, 'play');
    expect(calls).toEqual(['last']);
    expect(result.out).toMatchObject([{ ok: true }, { ok: false, error: { statusCode: 422 } }, {}, { ok: true }]);
    expect(result.outBytes).toBe(Buffer.byteLength(JSON.stringify(result.out)));
  });

  it('has a retry call those that failed', async () => {
    expect((await goesOn(await kept(), 'retry')).calls).toEqual(['bad', 'last']);
  });

  it('stores each part once, and reads all parts', async () => {
    const many = [...Array.from({ length: 3_000 }, (_, i) => `${i}`), 'bad', 'last'];
    const payloads = new MemoryPayloads();
    const more = { args: { list: many }, payloads };
    const items = await kept(more);
    expect(items).toMatchObject({ count: 3_001, ref: { $ref: 'payload-0' } });
    expect((await goesOn(items, 'play', more)).calls).toEqual(['last']);
    const next = vi.fn(async (_items: DoneItems) => true);
    const layer = request({ forEach: { ...forEach, onItemError: undefined } });
    const answer = ({ url }: EgressRequest) => (url.endsWith('last') ? 500 : 200);
    const failing = fixture({ layer, answer, ...more, call: { keep: next } });
    const play = { ...failing.play, _id: 'retry', doneItems: { 0: items } };
    expect(resultOf(await failing.run({ play })).doneItems).toMatchObject({
      count: 3_001,
      ref: items.ref,
      text: /bad/,
    });
  });

  it('writes nothing when it is short', async () => {
    const keep = vi.fn(async () => true);
    await fixture({ layer: request({ forEach }), args: { list }, call: { keep } }).run();
    expect(keep).not.toHaveBeenCalled();
  });
});

describe('a layer that steers', () => {
  it('filters out everything left when its filter does not pass', async () => {
    const { outcome } = await fixture({
      layer: { appId: 'filter', args: { condition: '{{ $prev.args.n }}' } },
      args: { n: 0 },
    }).run();
    expect(outcome).toMatchObject({
      result: { state: 'FILTERED', out: { passed: false } },
      then: { filterRest: true },
    });
    const passed = await fixture({
      layer: { appId: 'filter', args: { condition: '{{ $prev.args.n }}' } },
      args: { n: 1 },
    }).run();
    expect(passed.outcome).toMatchObject({ result: { state: 'DONE', out: { passed: true } } });
    expect(passed.outcome).not.toHaveProperty('then');
  });

  it.each([
    [{ a: true, b: true }, ['x', 'y'], ['z', 'w']],
    [{ a: false, b: 'yes' }, ['y', 'z'], ['x', 'w']],
    [{ a: 0, b: '' }, ['w'], ['x', 'y', 'z']],
  ])('takes the first case that holds: %j', async (args, taken, skip) => {
    const cases = [
      { when: '{{ $prev.args.a }}', refs: ['x', 'y'] },
      { when: '{{ $prev.args.b }}', refs: ['y', 'z'] },
    ];
    const { outcome } = await fixture({ layer: { appId: 'branch', args: { cases, else: ['w'] } }, args }).run();
    expect(outcome).toMatchObject({ result: { state: 'DONE', out: { taken } }, then: { skip } });
  });
});

describe('a layer that waits', () => {
  it('says what it waits for, keeps since and until, and ends when its time is up', async () => {
    let nowMs = NOW.getTime();
    const { run } = fixture({ layer: { appId: 'delay', args: { ms: 1_000 } }, nowMs: () => nowMs });
    const wait = waitOf(await run());
    expect(wait).toEqual({
      position: 0,
      ref: 'layer',
      kind: 'delay',
      since: NOW,
      until: new Date(NOW.getTime() + 1_000),
    });
    nowMs += 400;
    expect(waitOf(await run({ wait }))).toEqual(wait);
    nowMs += 600;
    expect(resultOf(await run({ wait }))).toMatchObject({ state: 'DONE', startedAt: NOW, out: { waitedMs: 1_000 } });
  });

  it('is not asked for its condition again', async () => {
    const layer = { appId: 'wait-event', args: { name: 'paid' }, when: '{{ .ask.ok }}' };
    const wait: LayerWait = { position: 0, ref: 'layer', kind: 'event', since: NOW, until: null };
    const { run } = fixture({ layer, outputs: { ask: { ok: false } } });
    const answer = { payload: { kind: 'event', payload: { sum: 3 }, receivedAt: NOW.toISOString() } };
    expect(resultOf(await run({ wait, answer }))).toMatchObject({
      out: { payload: { sum: 3 }, receivedAt: NOW.toISOString() },
    });
    expect(resultOf(await run({ answer })).state).toBe('FILTERED');
  });

  it('keeps the decision of a rejection', async () => {
    const { run } = fixture({ layer: { appId: 'approval', args: { message: 'ok?' } } });
    const decision = { decision: 'reject', by: 'user', comment: 'too much', at: NOW.toISOString() };
    const result = resultOf(
      await run({ wait: waitOf(await run()), answer: { payload: { kind: 'approval', ...decision } } }),
    );
    expect(result).toMatchObject({
      state: 'FAIL',
      out: decision,
      error: { code: 'rejected', message: 'it was rejected: too much' },
    });
  });
});

describe('the outputs of layers that run beside each other', () => {
  // small as JSON, five times as large in the play
  const layer = { appId: 'code', args: { source: `return Array(7000).fill(1)` } };

  it('take no more room in the play together than there is; the others are put away', async () => {
    const { run, payloads } = fixture({ layer });
    const ends = await Promise.all(Array.from({ length: 20 }, () => run()));
    const inline = ends.filter((end) => resultOf(end).outRef === undefined);
    expect(bsonBytes(inline.map((end) => resultOf(end).out))).toBeLessThan(1024 * 1024 + 1_000);
    expect(inline.length).toBeGreaterThan(5);
    expect(payloads.bytes.size).toBe(20 - inline.length);
  });

  it('that are not stored after all make room again, and are not kept', async () => {
    const inlineBudget = new InlineBudget();
    const { run, payloads, play, discard } = fixture({ layer, call: { inlineBudget } });
    const ends = await Promise.all(Array.from({ length: 20 }, () => run()));
    for (const end of ends) await discard({ play, inlineBudget }, resultOf(end));
    expect(payloads.bytes.size).toBe(0);
    expect(resultOf(await run()).outRef).toBeUndefined();
  });
});

describe('the message of a failure', () => {
  it.each([
    ['ASCII', 'x', 4_096],
    ['characters of several bytes', '😀', 4_095],
  ])('is cut after 4 KB: %s', async (_what, unit, bytes) => {
    const answer = () => Promise.reject(new LayerFailure('code_failed', unit.repeat(100_000)));
    const { run } = fixture({ layer: request({ args: { url: 'http://a' }, forEach: null }), answer });
    const { error } = resultOf(await run());
    expect(Buffer.byteLength(error?.message ?? '')).toBe(bytes);
    expect(error?.message.endsWith('…')).toBe(true);
  });
});

describe('an output that comes as a stream', () => {
  const content = JSON.stringify({ items: Array.from({ length: 30_000 }, (_, id) => ({ id, name: `item ${id}` })) });
  const fetching = { appId: 'web-request', args: { url: 'https://api.example/' } };
  const streaming = async (more: Partial<Fixture> = {}) => {
    const made = fixture({ layer: fetching, stream: Buffer.from(content), ...more });
    return { ...made, end: await made.run() };
  };

  it('is stored as it came, and read by later layers where it lies', async () => {
    const { end, payloads } = await streaming();
    const { outRef, out, outBytes, state } = resultOf(end);
    expect([state, out, end.out]).toEqual(['DONE', null, new UnloadedOutput(outRef!)]);
    expect(payloads.bytes.get(outRef!.$ref)?.toString()).toBe(content);
    // the body counts once, although two fields read it
    expect(outBytes - content.length).toBeLessThan(200);

    const args = {
      template: '{{ .fetch.json.items[29999].name }} of {{ .fetch.json.items.length }}: {{ .fetch.statusCode }}',
    };
    const next = fixture({ layer: { args }, outputs: { fetch: end.out }, payloads });
    expect((await next.run()).out).toEqual({ text: 'item 29999 of 30000: 200' });
    const wrong = fixture({
      layer: { args: { template: '{{ .fetch.json.nothing }}' } },
      outputs: { fetch: end.out },
      payloads,
    });
    expect(resultOf(await wrong.run()).error).toMatchObject({
      code: 'expression_unresolved',
      message: expect.stringContaining('the output of "fetch" has nothing there') as unknown,
    });
  });

  it('is kept also of a layer that fails because of its status', async () => {
    const { end, payloads } = await streaming({ answer: () => 500 });
    const { outRef, state, error } = resultOf(end);
    expect([state, error?.code]).toEqual(['FAIL', 'bad_status']);
    expect(payloads.bytes.get(outRef!.$ref)?.byteLength).toBe(content.length);
  });

  it('is nothing to later layers when it could not be kept', async () => {
    // the content fits, and the fields written with it do not
    const { end } = await streaming({ answer: () => 500, maxOutputBytes: content.length + 10 });
    expect([resultOf(end).error?.code, resultOf(end).outRef, end.out]).toEqual(['bad_status', undefined, null]);
  });

  it('fails past the limit of its flow, and nothing of it is kept', async () => {
    const { end, payloads } = await streaming({ maxOutputBytes: content.length - 1 });
    expect(resultOf(end).error?.code).toBe('output_too_large');
    expect(payloads.bytes.size).toBe(0);
  });

  it('is held as a whole in a loop, where it is a part of the loop’s output', async () => {
    const { end, requests, payloads } = await streaming({
      layer: { ...fetching, forEach: { in: '{{ $prev.args.list }}', concurrency: 1 } },
      args: { list: [1] },
    });
    expect(requests[0]?.streamPast).toBe(65_536);
    const stored = payloads.bytes.get(resultOf(end).outRef!.$ref);
    expect(JSON.parse(String(stored))).toMatchObject([{ statusCode: 200, body: content.toString() }]);
  });

  it('fails what joins more of it than can be held, by name', async () => {
    const payloads = new MemoryPayloads(1_048_576);
    const upload = payloads.upload();
    await upload.write(Readable.from(Array.from({ length: 34 }, () => Buffer.alloc(1_000_000, 'x'))));
    const ref = await upload.finish({ outline: '{}', content: { body: 'text' } });
    const args = { template: 'all of it: {{ .fetch.body }}' };
    const { error } = resultOf(
      await fixture({ layer: { args }, outputs: { fetch: new UnloadedOutput(ref) }, payloads }).run(),
    );
    expect(error).toMatchObject({
      code: 'output_too_large',
      message: expect.stringContaining('fetch.body') as unknown,
    });
  });

  it('is held no longer than its layer runs, however that ends', async () => {
    const payloads = new MemoryPayloads(65_536);
    const upload = payloads.upload();
    await upload.write(Readable.from([Buffer.alloc(300_000, 'x')]));
    const outputs = { one: new UnloadedOutput(await upload.finish({ outline: '{}', content: { body: 'text' } })) };
    const layer = { ...template('Hello'), when: '{{ .one.body }}' };
    const reading = fixture({ layer, outputs, payloads, heldBytes: 2_000_000 });
    // a company may hold a quarter of the bytes
    for (let i = 0; i < 3; i += 1) {
      expect(resultOf(await reading.run()).state).toBe('DONE');
      expect(await reading.check()).toBeNull();
    }
  });

  it('is held by loops in a room of their own: layers without one do not wait for them', async () => {
    const payloads = new MemoryPayloads(65_536);
    const upload = payloads.upload();
    await upload.write(Readable.from([Buffer.alloc(300_000, 'x')]));
    const outputs = { one: new UnloadedOutput(await upload.finish({ outline: '{}', content: { body: 'text' } })) };
    const { promise: goesOn, resolve: goOn } = Promise.withResolvers<number>();
    const when = '{{ .one.body }}';
    const both = fixture({
      ...{ layer: request({ when, args: { url: 'http://a/1' } }), args: { list: [1] }, outputs, payloads },
      ...{ heldBytes: 1_400_000, answer: () => goesOn },
    });
    const loops = [both.run(), both.run()];
    await vi.waitFor(() => expect(both.requests).toHaveLength(1), { timeout: 60_000 });
    // the second loop waits for the first one, and this layer for neither
    const plain = aVersion([aLayer('layer', { ...template('Hello'), when })], { flowId: 'flow', companyId: 'company' });
    expect(resultOf(await both.run({ prepared: prepareVersion(plain, 'Acme') })).state).toBe('DONE');
    goOn(200);
    for (const loop of loops) expect(resultOf(await loop).state).toBe('DONE');
  });

  it('is read together with others up to the same bound', async () => {
    const payloads = new MemoryPayloads(1_048_576);
    const stored = async () => {
      const upload = payloads.upload();
      await upload.write(Readable.from(Array.from({ length: 17 }, () => Buffer.alloc(1_000_000, 'x'))));
      return new UnloadedOutput(await upload.finish({ outline: '{}', content: { body: 'text' } }));
    };
    const outputs = { one: await stored(), other: await stored() };
    const args = { template: '{{ .one.body }}{{ .other.body }}' };
    const { error } = resultOf(await fixture({ layer: { args }, outputs, payloads }).run());
    expect(error?.message).toMatch(/^other\.body is more than the expressions of a layer may read/);
  });
});

describe('an answer whose payload lies in the payload store', () => {
  const layer = { appId: 'wait-event', args: { name: 'e' } };
  const receivedAt = '2026-01-01T00:00:01.000Z';

  it('is given to the layer as if it lay in the play', async () => {
    const payloads = new MemoryPayloads();
    const payloadRef = await payloads.put(null, Buffer.from('{"amount":12}'));
    const { run } = fixture({ layer, payloads });
    const answer = { payload: { kind: 'event', receivedAt, payloadRef } };
    expect(resultOf(await run({ answer })).out).toEqual({ payload: { amount: 12 }, receivedAt });
  });

  it('fails the layer when it is gone', async () => {
    const answer = { payload: { kind: 'event', receivedAt, payloadRef: { $ref: 'gone', bytes: 1 } } };
    expect(resultOf(await fixture({ layer }).run({ answer })).error?.code).toBe('expression_unresolved');
  });
});

describe('args that lie in the payload store', () => {
  it('are read when an expression may name them, and once for all layers of the play', async () => {
    const payloads = new MemoryPayloads();
    const argsRef = await payloads.put(null, Buffer.from('{"name":"Ada"}'));
    const reading = fixture({ layer: template('Hello {{ $prev.args.name }}'), payloads });
    const play = { ...reading.play, argsRef };
    expect((await reading.run({ play })).out).toEqual({ text: 'Hello Ada' });
    expect((await reading.run({ play })).out).toEqual({ text: 'Hello Ada' });
    expect(payloads.opened).toHaveLength(1);
    await fixture({ layer: template('Hello'), payloads, call: { play: { ...play } } }).run();
    expect(payloads.opened).toHaveLength(1);
  });

  it('fail the layer that names them when they are gone', async () => {
    const reading = fixture({ layer: template('{{ $prev.args.name }}') });
    const play = { ...reading.play, argsRef: { $ref: 'gone', bytes: 20_000 } };
    expect(resultOf(await reading.run({ play })).error?.code).toBe('expression_unresolved');
  });
});
