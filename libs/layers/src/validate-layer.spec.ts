import { describe, expect, it } from 'vitest';
import { readLayer } from './layer-reading.js';
import { hintsOf, stageFaults, validateLayer, type LayerInput } from './validate-layer.js';

const RETRY = { attempts: 3, backoff: 'fixed', delayMs: 1_000, maxDelayMs: 1_000 } as const;
const ARGS: Readonly<Record<string, LayerInput['args']>> = {
  'web-request': { url: 'http://a/' },
  'text-template': { template: 'x' },
  filter: { condition: '{{ .a.b }}' },
  branch: { cases: [{ when: true, refs: ['a'] }] },
  delay: { ms: 1 },
  'wait-event': { name: 'paid' },
  approval: { message: 'ok?' },
};

function layer(appId: string, fields: Partial<LayerInput> = {}): LayerInput {
  const none = { when: null, forEach: null, retry: null, timeoutMs: null, onInterrupted: 'repeat' } as const;
  return { appId, args: ARGS[appId] ?? {}, ...none, ...fields };
}

const faults = (saying: LayerInput): string[] => validateLayer(saying).map(({ code, path }) => `${code} ${path}`);
const hints = (saying: LayerInput): string[] =>
  hintsOf(saying, readLayer(saying)).map(({ code, path }) => `${code} ${path}`);
const repeat = { until: '{{ $repeat.out.json.done }}', max: 5, delayMs: 0 };
const paging = (paginate: object, more: Partial<LayerInput> = {}): LayerInput =>
  layer('web-request', { args: { url: 'http://a/', paginate }, ...more });
const forEach = { in: '{{ .a.list }}', concurrency: 4 };

describe('a layer that is saved', () => {
  it.each(Object.keys(ARGS))('may be %s with nothing but its arguments', (appId) => {
    expect(faults(layer(appId))).toEqual([]);
    expect(hints(layer(appId))).toEqual([]);
  });

  it('may say everything that an effect understands', () => {
    const all = layer('web-request', {
      when: '{{ .a.b }}',
      forEach,
      retry: RETRY,
      timeoutMs: 5,
      onInterrupted: 'fail',
    });
    expect([...faults(all), ...hints(all)]).toEqual([]);
  });

  it('may repeat, and go from page to page, by what expressions find', () => {
    const rounds = layer('web-request', { args: { url: 'http://a/{{ $repeat.index }}' }, repeat });
    const pages = paging({ cursor: { from: '{{ $page.json.next ? $page.json.next : .a.b }}', param: 'c' } });
    for (const one of [rounds, pages]) expect([...faults(one), ...hints(one)]).toEqual([]);
    expect(readLayer(pages).refs).toEqual([expect.objectContaining({ path: 'args.paginate.cursor.from', ref: 'a' })]);
  });

  it('hears which field of a page or of a round was meant', () => {
    const messages = [
      paging({ next: '{{ $page.jsn }}' }),
      layer('web-request', { repeat: { ...repeat, until: '{{ $repeat.inde = 1 }}' } }),
    ]
      .flatMap(validateLayer)
      .map(({ message }) => message);
    expect(messages.join()).toMatch(/did you mean json\?.*did you mean index\?/);
  });

  it.each<[LayerInput, readonly string[]]>([
    [layer('no-such'), ['unknown_app appId']],
    [
      layer('web-request', { args: { url: '{{ .a', headers: { b: '{{ }}' } } }),
      ['invalid_expression args.url', 'invalid_expression args.headers.b'],
    ],
    [layer('web-request', { when: '{{ .a.b > }}' }), ['invalid_expression when']],
    [layer('web-request', { when: '{{ .a.b }} > 1' }), ['invalid_expression when']],
    [layer('web-request', { when: 'yes' }), ['invalid_expression when']],
    [layer('web-request', { forEach: { in: '[1, 2]', concurrency: 1 } }), ['invalid_expression forEach.in']],
    [layer('web-request', { forEach: { in: 'true', concurrency: 1 } }), ['invalid_expression forEach.in']],
    [layer('filter', { args: { condition: '{{ .a.b }} > 1' } }), ['invalid_expression args.condition']],
    [layer('filter', { args: { condition: '{{ .a.b' } }), ['invalid_expression args.condition']],
    [layer('filter', { args: {} }), ['invalid_args args.condition']],
    [
      layer('branch', { args: { cases: [{ when: '1 > 0', refs: [] }, { refs: ['a'] }] } }),
      ['invalid_args args.cases.1.when', 'invalid_expression args.cases.0.when'],
    ],
    [layer('transform', { args: { expression: '$sum(.a.b' } }), ['invalid_expression args.expression']],
    [layer('transform', { args: { expression: '$eval(.a.b)' } }), ['invalid_expression args.expression']],
    [layer('transform', { args: { expression: 1 } }), ['invalid_args args.expression']],
    [layer('code', { args: { source: 'return 1', timeoutMs: 30_001 } }), ['invalid_args args.timeoutMs']],
    [
      layer('text-extraction', { args: { source: '{{ .a.b }}', kind: 'regex', pattern: '(?=a)' } }),
      ['invalid_args args.pattern'],
    ],
    [
      layer('text-extraction', { args: { source: 'x', kind: 'jsonpath', pattern: '$[' } }),
      ['invalid_args args.pattern'],
    ],
    [layer('text-extraction', { args: { source: 'x', kind: 'css', pattern: 'a:no' } }), ['invalid_args args.pattern']],
    [layer('delay', { args: {} }), ['invalid_args args']],
    [layer('delay', { args: { ms: 1, until: '2026-01-01T00:00:00Z' } }), ['invalid_args args']],
    [layer('delay', { args: { until: 'tomorrow' } }), ['invalid_args args.until']],
    [layer('wait-event', { args: { name: 'a', timeoutMs: 0 } }), ['invalid_args args.timeoutMs']],
    [layer('approval', { args: { message: 'm', onTimeout: 'ask' } }), ['invalid_args args.onTimeout']],
    [layer('web-request', { retry: { ...RETRY, maxDelayMs: 999 } }), ['invalid_options retry.maxDelayMs']],
    [
      layer('web-request', { retry: { ...RETRY, on: ['429', 'cancelled', '6xx'] } }),
      ['invalid_options retry.on.1', 'invalid_options retry.on.2'],
    ],
    [layer('delay', { repeat }), ['invalid_options repeat']],
    [layer('filter', { repeat }), ['invalid_options repeat']],
    [layer('web-request', { forEach, repeat }), ['invalid_options repeat']],
    [layer('web-request', { repeat: { ...repeat, until: 'soon' } }), ['invalid_expression repeat.until']],
    [layer('web-request', { repeat: { ...repeat, until: '{{ $repeat.outt }}' } }), ['invalid_expression repeat.until']],
    [layer('web-request', { args: { url: 'http://a/{{ $repeat.index }}' } }), ['invalid_expression args.url']],
    [paging({ next: 'http://a/2' }), ['invalid_expression args.paginate.next']],
    [paging({ next: '{{ $page.jsn }}' }), ['invalid_expression args.paginate.next']],
    [paging({ link: true, until: '{{ $page.json.done' }), ['invalid_expression args.paginate.until']],
    [paging({ cursor: { from: '{{ $pag.json }}', param: 'c' } }), ['invalid_expression args.paginate.cursor.from']],
    [layer('web-request', { args: { url: '{{ $page.json.next }}' } }), ['invalid_expression args.url']],
    [paging({ next: '{{ $page.json.next }}', link: true }), ['invalid_args args.paginate']],
    [paging({}), ['invalid_args args.paginate']],
    [paging({ link: false }), ['invalid_args args.paginate']],
    [paging({ cursor: { from: '{{ $page.json.c }}' } }), ['invalid_args args.paginate.cursor']],
    [paging({ link: true, maxPages: 10_001 }), ['invalid_args args.paginate.maxPages']],
    [paging({ link: true, pages: 5 }), ['invalid_args args.paginate.pages']],
    [paging({ link: true }, { forEach }), ['invalid_options args.paginate']],
    [paging({ link: true }, { repeat }), ['invalid_options args.paginate']],
    [layer('delay', { forEach }), ['invalid_options forEach']],
    [layer('approval', { retry: RETRY }), ['invalid_options retry']],
    [layer('wait-event', { retry: RETRY, forEach }), ['invalid_options forEach', 'invalid_options retry']],
    [layer('filter', { forEach }), ['invalid_options forEach']],
    [layer('branch', { forEach }), ['invalid_options forEach']],
  ])('is refused: %j', (saying, expected) => {
    expect(faults(saying)).toEqual(expected);
  });

  it.each([true, false, null, 0, 'true', 'false', '{{ .a.b ?? false }}'])('may have the condition %j', (condition) => {
    expect(faults(layer('filter', { args: { condition } }))).toEqual([]);
  });

  it.each<[LayerInput, readonly string[]]>([
    [layer('text-template', { retry: RETRY }), ['no_effect retry']],
    [layer('text-template', { timeoutMs: 1 }), ['no_effect timeoutMs']],
    [layer('delay', { timeoutMs: 1, onInterrupted: 'fail' }), ['no_effect onInterrupted', 'no_effect timeoutMs']],
    [layer('text-template', { args: { template: '{{ $item }}' } }), ['no_item args.template']],
    [layer('text-template', { args: { template: '{{ $item }} {{ $index }}' }, forEach }), []],
    [
      layer('text-template', { when: '{{ $item }}', forEach: { in: '{{ $item.x }}', concurrency: 1 } }),
      ['no_item when', 'no_item forEach.in'],
    ],
    [layer('web-request', { args: { url: 'http://a/', body: '{{ .a.l[ok] }}' } }), ['not_always_a_list args.body']],
    [layer('web-request', { args: { url: 'http://a/', body: '{{ [.a.l[ok]] }}' } }), []],
    [layer('text-template', { args: { template: 'T' }, forEach: { in: '{{ .a.l[ok] }}', concurrency: 1 } }), []],
    [layer('filter', { args: { condition: '{{ .a.l[ok] }}' } }), []],
  ])('is told what it says in vain: %j', (saying, expected) => {
    expect(hints(saying)).toEqual(expected);
  });
});

describe('what a layer reads and decides on', () => {
  it('is found in all of its expressions', () => {
    const { refs } = readLayer(
      layer('web-request', {
        args: { url: '{{ .first.url }}' },
        when: '{{ .ask.ok }}',
        forEach: { in: '{{ .list.items }}', concurrency: 1 },
      }),
    );
    expect(refs.map(({ path, ref }) => `${path} ${ref}`)).toEqual(['args.url first', 'when ask', 'forEach.in list']);
  });

  it('is every ref of a branch that is written out', () => {
    const args = {
      cases: [
        { when: true, refs: ['a', '{{ .x.ref }}'] },
        { when: true, refs: ['b'] },
      ],
      else: ['c'],
    };
    expect(readLayer(layer('branch', { args })).steers).toEqual([
      { path: 'args.cases.0.refs.0', ref: 'a' },
      { path: 'args.cases.1.refs.0', ref: 'b' },
      { path: 'args.else.0', ref: 'c' },
    ]);
  });
});

describe('stages', () => {
  const layers = (stages: string): { ref: string; stage: string | null }[] =>
    [...stages].map((stage, i) => ({ ref: `l${i}`, stage: stage === '-' ? null : stage }));

  it.each(['', '-', 'aa', '-aabb-', 'ab', 'aabbc'])('may be %j', (stages) => {
    expect(stageFaults(layers(stages))).toEqual([]);
  });

  it.each([
    ['a-a', ['layers.l2.stage']],
    ['aba', ['layers.l2.stage']],
    ['a-aa', ['layers.l2.stage']],
    ['abab', ['layers.l2.stage', 'layers.l3.stage']],
  ])('may not be %j', (stages, expected) => {
    expect(stageFaults(layers(stages)).map(({ path }) => path)).toEqual(expected);
  });
});
