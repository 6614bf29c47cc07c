import type { FlowVersion, LayerDefinition, LayerResult, PayloadRef, Play } from '@weft/engine';
import { aLayer, aPlay, aVersion, sandbox } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { digestOf, toLine } from '../loops/done-items.js';
import { webRequestArgs } from '../modules/web-request/args.js';
import { webPaging } from '../modules/web-request/paging.js';
import { layerInput, type LayerInput, type LayerInputRequest } from './layer-input.js';

type Layer = Partial<LayerDefinition> & Pick<LayerDefinition, 'ref' | 'args'>;

function versionOf(layers: readonly Layer[], fields: Partial<FlowVersion> = {}): FlowVersion {
  const definitions = layers.map((layer, index) => aLayer(layer.ref, { appId: 'web-request', index, ...layer }));
  return { ...aVersion(definitions, { flowId: 'flow', companyId: 'company', version: 3, name: 'Orders' }), ...fields };
}

interface Given {
  readonly layers: readonly Layer[];
  /** By ref. */
  readonly results?: Readonly<Record<string, Partial<LayerResult>>>;
  readonly play?: Partial<Play>;
  readonly version?: Partial<FlowVersion>;
  /** By `$ref`. */
  readonly stored?: Readonly<Record<string, unknown>>;
}

function inputOf(given: Given, ref: string, item?: number, more: Partial<LayerInputRequest> = {}): Promise<LayerInput> {
  const at = new Date('2026-01-01T00:00:00Z');
  const version = versionOf(given.layers, given.version);
  const layers = version.layers.flatMap((layer, position) => {
    const common = {
      position,
      ref: layer.ref,
      name: layer.ref,
      state: 'DONE',
      startedAt: at,
      completedAt: at,
    } as const;
    const result = { ...common, out: null, outBytes: 0, attempts: 1, by: 'spec', ...given.results?.[layer.ref] };
    return given.results?.[layer.ref] ? [result] : [];
  });
  const accepted = aPlay({ playId: 'play', companyId: 'company', flowId: 'flow', args: { n: 7 }, serverNow: at });
  const open = async (_company: string, { $ref }: PayloadRef) => {
    const text = given.stored?.[$ref];
    if (text === undefined) return null;
    const content = (async function* () {
      yield Buffer.from(typeof text === 'string' ? text : JSON.stringify(text));
    })();
    return { form: null, bytes: 1, content };
  };
  return layerInput({
    ...{ play: { ...accepted, state: 'FAIL', layers, ...given.play }, version, companyName: 'Acme', ref, item },
    ...{ secret: '[secret]', open, outputOf: async (result) => result.out, openFile: async () => null, sandbox },
    ...{ signal: new AbortController().signal, ...more },
  });
}

const failed: Partial<LayerResult> = { state: 'FAIL', error: { code: 'bad_status', message: 'a answered 422' } };
const inStore = (ref: string, bytes = 300_000): Partial<LayerResult> => ({
  outRef: { $ref: ref, bytes },
  outBytes: bytes,
});

describe('the input of a layer', () => {
  it('has a value for each expression, and says which one it was', async () => {
    const args = {
      url: 'https://a.test/{{ .get.json.id }}',
      body: { who: '{{ $prev.args.n }}', 'a/b~c': ['{{ .get.json.list[n > 1].n }}'], fixed: 'x' },
    };
    const get = { ref: 'get', args: { url: 'https://a.test' } };
    const results = { get: { out: { json: { id: 5, list: [{ n: 1 }, { n: 2 }] } } }, push: failed };
    const input = await inputOf({ layers: [get, { ref: 'push', args }], results }, 'push');
    expect(input).toEqual({
      args: { url: 'https://a.test/5', body: { who: 7, 'a/b~c': [2], fixed: 'x' } },
      expressions: {
        '/url': args.url,
        '/body/who': '{{ $prev.args.n }}',
        '/body/a~1b~0c/0': '{{ .get.json.list[n > 1].n }}',
      },
      unresolved: [],
      item: null,
      idempotencyKey: 'play.1',
    });
  });

  it('has chance and clock as they were: those of the call', async () => {
    const args = { template: '{{ $random() }} {{ $now() }}' };
    const given = { layers: [{ ref: 'tell', appId: 'text-template', args }], results: { tell: failed } };
    const [one, two] = [await inputOf(given, 'tell'), await inputOf(given, 'tell')];
    expect(one).toEqual(two);
    expect((one.args as { template: string }).template).toMatch(/^0\.\d+ 2026-01-01T00:00:00.000Z$/);
  });

  it('shows the others when one expression has no value, and the reason', async () => {
    const args = {
      url: 'https://a.test/{{ $prev.args.n }}',
      query: { id: '{{ $prev.args.id }}', bad: '{{ $error("no") }}' },
    };
    const input = await inputOf({ layers: [{ ref: 'push', args }], results: { push: failed } }, 'push');
    expect(input.args).toEqual({ url: 'https://a.test/7', query: { id: null, bad: null } });
    expect(input.unresolved).toEqual([
      { path: '/query/id', reason: expect.stringContaining('args has no field "id"') as string },
      { path: '/query/bad', reason: expect.stringContaining('no') as string },
    ]);
  });

  it('reads what is stored apart, and says what is not kept any more', async () => {
    const layers = [
      ...[
        { ref: 'kept', args: {} },
        { ref: 'gone', args: {} },
      ],
      {
        ref: 'push',
        args: { url: '{{ .kept.a }}', body: ['{{ .gone.b }}', '{{ $count(.gone.b) }}', '{{ $prev.args.x }}'] },
      },
    ];
    const results = { kept: inStore('kept'), gone: inStore('gone'), push: failed };
    const argsRef = { $ref: 'args', bytes: 100 };
    const stored = { kept: { a: 'A' }, args: { x: 'X' } };
    const input = await inputOf({ layers, results, stored, play: { args: {}, argsRef } }, 'push');
    expect(input.args).toEqual({ url: 'A', body: [null, null, 'X'] });
    expect(input.unresolved).toEqual(
      ['/body/0', '/body/1'].map((path) => ({ path, reason: 'The output of layer "gone" is not stored any more.' })),
    );
    const none = await inputOf({ layers, results, stored: { kept: { a: 'A' } }, play: { args: {}, argsRef } }, 'push');
    expect(none.unresolved.at(-1)).toEqual({
      ...{ path: '/body/2', reason: 'The args of this play are not stored any more.' },
    });
    const large = { args: {}, argsRef: { $ref: 'args', bytes: 17_000_000 } };
    expect((await inputOf({ layers, results, stored, play: large }, 'push')).unresolved.at(-1)?.reason).toContain(
      'have 17000000 bytes',
    );
    const erased = { layersErasedAt: new Date(), layers: [] };
    expect((await inputOf({ layers, play: { args: { x: 1 }, ...erased } }, 'push')).unresolved[0]?.reason).toContain(
      'Retention has deleted',
    );
  });

  it('shows neither fields of a link nor addresses that decide an approval', async () => {
    const ask = { ref: 'ask', appId: 'approval', args: { message: 'ok?' } };
    const args = {
      url: 'https://a.test',
      headers: { 'X-Key': 'k {{ $link.access_token }}' },
      body: '{{ $play.approvals.ask.url }}',
      auth: { integrationId: 'link' },
    };
    const given = { layers: [ask, { ref: 'push', args }], results: { push: failed } };
    expect((await inputOf(given, 'push')).args).toEqual({
      ...args,
      headers: { 'X-Key': 'k [secret]' },
      body: '[secret]',
    });
  });

  it.each<[string, Given['results'], string]>([
    ['skipped', { push: { state: 'SKIP' } }, 'was skipped'],
    ['not called by its condition', { push: { state: 'FILTERED', attempts: 0 } }, 'did not hold'],
    ['not reached', {}, 'has not begun'],
  ])('is nothing for a layer that was %s', async (_how, results, reason) => {
    const { args, unresolved } = await inputOf({ layers: [{ ref: 'push', args: { url: 'x' } }], results }, 'push');
    expect([args, unresolved]).toEqual([null, [{ path: '', reason: expect.stringContaining(reason) as string }]]);
  });

  it('refuses a layer and an item that are not there', async () => {
    const given = { layers: [{ ref: 'push', args: { url: 'x' } }], results: { push: failed } };
    await expect(inputOf(given, 'other')).rejects.toThrow(RangeError);
    await expect(inputOf(given, 'push', 1)).rejects.toThrow('no loop');
  });

  it('ends when its time is over', async () => {
    const args = { url: '{{ $count([1..3]) }}' };
    const given = { layers: [{ ref: 'push', args }], results: { push: failed } };
    const { args: found, unresolved } = await inputOf(given, 'push', undefined, { signal: AbortSignal.abort() });
    expect([(found as typeof args | null)?.url ?? null, unresolved[0]?.reason]).toEqual([
      null,
      'It took too long: the time is over.',
    ]);
  });
});

describe('the input of an item', () => {
  const push = {
    ref: 'push',
    args: { url: 'https://a.test/{{ $index }}', body: '{{ $item }}' },
    forEach: { in: '{{ $prev.args.list }}', concurrency: 1, onItemError: 'fail' },
  } as const;
  const play = { args: { list: ['a', 'b', 'c'] } };
  const results = { push: { ...failed, error: { code: 'bad_status', message: 'x', item: 1 } } };

  it('is that of the item which failed, or of the one that is asked for', async () => {
    const given = { layers: [push], play, results };
    expect(await inputOf(given, 'push')).toMatchObject({
      ...{ args: { url: 'https://a.test/1', body: 'b' }, item: 1, idempotencyKey: 'play.0.1' },
      expressions: { '/url': push.args.url, '/body': '{{ $item }}' },
    });
    expect((await inputOf(given, 'push', 2)).args).toEqual({ url: 'https://a.test/2', body: 'c' });
    await expect(inputOf(given, 'push', 3)).rejects.toThrow('The loop has 3 items');
    expect(
      (await inputOf({ ...given, play: { args: { list: [] } }, results: { push: {} } }, 'push')).unresolved,
    ).toEqual([{ path: '', reason: 'The list of the loop is empty: there was no call.' }]);
  });

  it('says why the item is not known, and shows the rest', async () => {
    const layers = [
      { ref: 'get', args: {} },
      { ...push, forEach: { ...push.forEach, in: '{{ .get.list }}' } },
    ];
    const input = await inputOf({ layers, results: { ...results, get: inStore('gone') } }, 'push');
    expect(input).toMatchObject({ args: { url: 'https://a.test/1', body: null } });
    expect(input.unresolved).toEqual([{ path: '/body', reason: 'The output of layer "get" is not stored any more.' }]);
  });
});

describe('the input of a round', () => {
  const push = {
    ref: 'push',
    args: { url: 'https://a.test/{{ $repeat.index }}', body: '{{ $repeat.out.json }}' },
    repeat: { until: '{{ $repeat.out.json.done }}', max: 9, delayMs: 0 },
  } as const;

  it('has the output of the round before, as long as it is kept', async () => {
    const doneItems = { count: 2, text: `[\n${toLine(1, digestOf(null), { json: { at: 1 } }, null)}\n]` };
    const given = {
      layers: [push],
      results: { push: { ...failed, error: { code: 'x', message: 'x', item: 2 }, doneItems } },
    };
    expect(await inputOf(given, 'push')).toMatchObject({
      ...{ args: { url: 'https://a.test/2', body: { at: 1 } }, item: 2, unresolved: [], idempotencyKey: 'play.0.2' },
    });
    const before = await inputOf(given, 'push', 1);
    expect(before.args).toEqual({ url: 'https://a.test/1', body: null });
    expect(before.unresolved).toEqual([
      { path: '/body', reason: 'The output of round 0 is not kept: that of a later round is.' },
    ]);
  });
});

describe('the input of a page', () => {
  const args = {
    url: 'https://a.test/list',
    query: { limit: '{{ $prev.args.n }}' },
    headers: { 'X-N': '{{ $prev.args.n }}' },
    paginate: { cursor: { from: '{{ $page.json.next }}', param: 'after' } },
  };
  const layers = [{ ref: 'pages', args }];
  const page = (next: string | null) => ({ statusCode: 200, headers: {}, json: { next } });
  const second = { ...args, query: { limit: 7, after: 'B' }, headers: { 'X-N': 7 } };

  it('follows from the pages before it, of which the output has all', async () => {
    const results = { pages: { out: { pages: [page('B'), page('C'), page(null)], count: 3 } } };
    expect(await inputOf({ layers, results }, 'pages', 1)).toEqual({
      ...{ args: second, expressions: { '/headers/X-N': '{{ $prev.args.n }}' }, unresolved: [], item: 1 },
      idempotencyKey: 'play.0.1',
    });
    expect((await inputOf({ layers, results }, 'pages')).args).toMatchObject({ query: { limit: 7 } });
    await expect(inputOf({ layers, results }, 'pages', 3)).rejects.toThrow('The answer has 3 pages');
  });

  it('follows from what the loop has stored when one has failed', async () => {
    const first = webRequestArgs.parse({ ...args, query: { limit: 7 }, headers: { 'X-N': 7 } });
    const line = toLine(0, digestOf(webPaging.identityOf(first)), page('B'), null);
    const error = { code: 'bad_status', message: 'x', item: 1 };
    const results = { pages: { ...failed, error, doneItems: { count: 1, text: `[\n${line}\n]` } } };
    expect(await inputOf({ layers, results }, 'pages')).toMatchObject({ args: second, item: 1 });
    const lost = await inputOf({ layers, results: { pages: { ...failed, error } } }, 'pages');
    expect([lost.args, lost.unresolved[0]?.reason]).toEqual([null, 'Page 0, from which page 1 follows, is not kept.']);
  });
});
