import { type FlowVersion, type LayerDefinition } from '@weft/engine';
import { aLayer, aPlay, aVersion, SETTINGS, sandbox } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { MemoryPayloads } from '../stored/memory-payloads.fixture.js';
import { InlineBudget } from '../memory/inline-budget.js';
import { LayerRunner } from './layer-runner.js';
import type { FileSource } from './layer-files.js';
import { prepareVersion } from './prepared-version.js';

const ACCEPTED = new Date('2026-01-05T10:00:00Z');
const CART = {
  json: {
    lines: [
      { price: 20, count: 2 },
      { price: 5, count: 1 },
    ],
  },
  body: '{{ $play.id }}',
};
const TOTAL = '{{ $sum(.cart.json.lines.(price * count)) }}';

interface Fixture {
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly settings?: Partial<FlowVersion['settings']>;
  readonly blueprintVars?: Readonly<Record<string, string>>;
  readonly playId?: string;
  readonly signal?: AbortSignal;
  readonly files?: FileSource;
}

/** How the layer ended. */
async function run(layer: Partial<LayerDefinition>, fixture: Fixture = {}) {
  const {
    outputs = { cart: CART, skipped: null },
    args = {},
    settings = {},
    blueprintVars = {},
    playId = 'play',
  } = fixture;
  const definition = aLayer('layer', { id: 'id', name: 'Layer', ...layer });
  const version = aVersion([definition], { settings: { ...SETTINGS, ...settings }, blueprintVars });
  const play = aPlay({ playId, args, serverNow: ACCEPTED });
  const http = { request: () => Promise.reject(new Error('nobody is called')), close: async () => undefined };
  const runner = new LayerRunner({
    http,
    payloads: Object.assign(new MemoryPayloads(), fixture.files && { files: fixture.files }),
    sandbox,
    serverNow: () => ACCEPTED.getTime(),
  });
  const call = { play, prepared: prepareVersion(version, 'Acme'), position: 0, attempt: 1, wait: null, answer: null };
  const signal = fixture.signal ?? new AbortController().signal;
  const end = await runner.run({
    ...call,
    outputs: new Map(Object.entries(outputs)),
    errors: new Map(),
    inlineBudget: new InlineBudget(),
    by: 'me',
    signal,
  });
  if (end.outcome.kind !== 'result') throw new Error('it waits');
  const { state, out, error } = end.outcome.result;
  return { state, out, error };
}

const tell = (template: unknown, more: Partial<LayerDefinition> = {}) => ({ args: { template }, ...more });
const textOf = async (template: unknown, fixture?: Fixture): Promise<unknown> =>
  ((await run(tell(template), fixture)).out as { text?: unknown } | null)?.text;
const transform = (expression: string, input?: unknown) => ({ appId: 'transform', args: { expression, input } });

/** Files of the company, by their ids. */
function filesOf(
  texts: Readonly<Record<string, { readonly content: Buffer; readonly contentType: string; readonly bytes?: number }>>,
) {
  const opened: string[] = [];
  const source: FileSource = {
    open: async (companyId, id) => {
      opened.push(`${companyId} ${id}`);
      const file = texts[id];
      if (!file) return null;
      const { content, contentType, bytes = content.byteLength } = file;
      const read = async function* () {
        for (let at = 0; at < content.byteLength; at += 5) yield content.subarray(at, at + 5);
      };
      return { $ref: `/api/v1/payloads/${id}`, bytes, contentType, filename: null, sha256: '', read };
    },
    store: () => Promise.reject(new Error('nothing is stored')),
  };
  return { source, opened };
}

describe('files in expressions', () => {
  const id = (n: number) => String(n).padStart(24, '0');
  const file = (n: number) => ({ $ref: `/api/v1/payloads/${id(n)}`, bytes: 1 });
  const { source: files, opened } = filesOf({
    [id(1)]: { content: Buffer.from('\ufeffid,name\n1,Zoë\n2,Bö'), contentType: 'text/csv' },
    [id(2)]: { content: Buffer.from('Grüße', 'latin1'), contentType: 'text/plain' },
    [id(3)]: { content: Buffer.from('{"a":[1,2]}'), contentType: 'application/json' },
    [id(4)]: { content: Buffer.from([0xff, 0xfe, 0x00]), contentType: 'image/png' },
    [id(5)]: { content: Buffer.from('x'), contentType: 'text/plain', bytes: 8_388_609 },
  });
  const outputs = {
    up: { all: [file(1), file(2), file(3)], one: file(1), image: file(4), large: file(5), gone: file(6) },
  };
  const play = { outputs, files };

  it('are read as texts, tables and JSON, also several at once and where their texts decide', async () => {
    expect(await textOf('{{ $csv(.up.one)[id = "2"].name & $text("!") }}', play)).toBe('Bö!');
    expect(await textOf('{{ $join([$prev.up.all.($string($length($text($))))], " ") }}', play)).toBe('18 5 11');
    expect(await textOf('{{ $toCsv($parseXml("<a><b x=\\"1\\"/><b x=\\"2\\"/></a>").a.b) }}', play)).toBe(
      '@x\r\n1\r\n2',
    );
    expect(await textOf('{{ $sum($parseJson($text(.up.all[2])).a) }}', play)).toBe('3');
    expect(await textOf('{{ $text(.up.all[1]) = "Grüße" ? $csv(.up.one)[0].name : "" }}', play)).toBe('Zoë');
    expect((await run({ ...tell('x'), when: '{{ $contains($text(.up.one), "Zoë") }}' }, play)).state).toBe('DONE');
    expect((await run(transform('$count($csv($prev.up.one))'), play)).out).toMatchObject({ value: 2 });
    expect(new Set(opened.map((each) => each.split(' ')[0])).size).toBe(1);
  });

  it.each([
    ['is no text', '$text(.up.image)', 'expression_failed', 'a file of the type image/png is not a text'],
    ['is too large', '$text(.up.large)', 'sandbox_limit', 'expressions can read 8388608 bytes of files together'],
    ['is not kept', '$text(.up.gone)', 'invalid_args', 'refers to a file that is not kept'],
    ['is none', '$text($prev.up)', 'expression_failed', '$text takes a file or a text'],
  ])('fail the layer where one %s', async (_what, expression, code, message) => {
    const { state, error } = await run(tell(`{{ ${expression} }}`), play);
    expect([state, error?.code]).toEqual(['FAIL', code]);
    expect(error?.message).toContain(message);
  });

  it('are not read where there are none, and 50 at most', async () => {
    const { error } = await run(tell('{{ $text(.up.one) }}'), { outputs });
    expect(error?.message).toContain('Files can be read in the arguments and conditions of layers.');
    const all = Array.from({ length: 51 }, (_, i) => file(100 + i));
    const many = await run(tell('{{ $join([$prev.up.all.($text($))]) }}'), { outputs: { up: { all } }, files });
    expect(many.error).toMatchObject({ code: 'sandbox_limit' });
    const names = await run(tell('{{ $join([1..200000].($text({ "$ref": $string($) }))) }}'), { outputs, files });
    expect(names.error).toMatchObject({ code: 'sandbox_limit', message: '$text: it reads more than 50 files.' });
  });
});

describe('a layer with richer expressions', () => {
  it('reads outputs, args, variables and names of the flow', async () => {
    const template = `${TOTAL} {{ $uppercase($prev.args.who) }} {{ $blueprint.region & $flow.name & $company.name }} {{ $play.id & "!" }}`;
    const fixture = { args: { who: 'ada' }, blueprintVars: { region: 'eu' } };
    expect(await textOf(template, fixture)).toBe('45 ADA euFlowAcme play!');
  });

  it('is decided on by them', async () => {
    const states = [
      '{{ $count(.cart.json.lines) > 1 }}',
      '{{ .cart.json.lines[0].price > 30 }}',
      '{{ .skipped.n > 1 }}',
    ].map(async (when) => (await run(tell('x', { when }))).state);
    expect(await Promise.all(states)).toEqual(['DONE', 'FILTERED', 'FILTERED']);
    expect(await run({ appId: 'filter', args: { condition: '{{ 1 > 2 }}' } })).toMatchObject({ state: 'FILTERED' });
    const cases = [
      { when: '{{ $exists(.cart.json.lines[price > 30]) }}', refs: ['a'] },
      { when: '{{ 1 = 1 }}', refs: ['b'] },
    ];
    expect((await run({ appId: 'branch', args: { cases, else: [] } })).out).toEqual({ taken: ['b'] });
  });

  it('loops over what they give, and computes for each item', async () => {
    const forEach = { in: '{{ .cart.json.lines[price > 1].price }}', concurrency: 2 };
    const { out } = await run(tell('{{ $index & ": " & ($item * 2) }}', { forEach }));
    expect(out).toEqual([{ text: '0: 40' }, { text: '1: 10' }]);
  });

  it.each([
    ['.cart.json.lines[price > 99]', []],
    ['.cart.json.lines[price > 9]', ['0: 20']],
    ['.cart.json.lines[price > 9] ?? []', ['0: 20']],
    ['$filter(.cart.json.lines, function($line) { $line.price > 9 })', ['0: 20']],
    ['$map([], function($line) { $line })', []],
    ['.skipped.lines[price > 1]', []],
    ['[.cart.json.lines[price > 9]]', ['0: 20']],
  ])('loops over few or none, too: %s', async (list, texts) => {
    const forEach = { in: `{{ ${list} }}`, concurrency: 2 };
    const { state, out } = await run(tell('{{ $index & ": " & $item.price }}', { forEach }));
    expect(state).toBe('DONE');
    expect(out).toEqual(texts.map((text) => ({ text })));
  });

  it.each([
    ['.csv.rows[$[1] = "open"]', ['a,open']],
    ['$filter(.csv.rows, function($row) { $row[1] = "open" })', ['a,open']],
    ['.csv.rows[$[1] = "sent"]', ['b,sent', 'c,sent']],
    ['.csv.rows[$[1] = "late"] ?? []', []],
    ['.csv.none > 1 ? [] : .csv.rows[$[1] = "open"]', ['a,open']],
    ['.csv.rows[0]', ['a', 'open']],
  ])('loops over rows, also when there is one: %s', async (list, texts) => {
    const rows = [
      ['a', 'open'],
      ['b', 'sent'],
      ['c', 'sent'],
    ];
    const forEach = { in: `{{ ${list} }}`, concurrency: 2 };
    const { out } = await run(tell('{{ $join($item, ",") }}', { forEach }), { outputs: { csv: { rows, none: 0 } } });
    expect(out).toEqual(texts.map((text) => ({ text })));
  });

  it.each(['{ "a": 1 }', '.cart.body & "x"', '$sum(.cart.json.lines.price)', 'null ?? null'])(
    'loops over no single value that is computed: %s',
    async (value) => {
      const { error } = await run(tell('x', { forEach: { in: `{{ ${value} }}`, concurrency: 1 } }));
      expect(error).toMatchObject({ code: 'invalid_args' });
    },
  );

  it('never takes data for an expression', async () => {
    const blueprintVars = { x: '{{ $prev.cart.body }}' };
    expect(await textOf('{{ .cart.body & $blueprint.x }}', { outputs: { cart: CART }, blueprintVars })).toBe(
      '{{ $play.id }}{{ $prev.cart.body }}',
    );
    const said = await run(transform('$prev.cart.body & text', { text: '{{ .cart.body }}' }));
    expect(said.out).toEqual({ value: '{{ $play.id }}{{ $play.id }}' });
  });

  it('follows onMissing, and names what is not there', async () => {
    const failed = await run(tell('{{ .cart.json.total * 2 }}'));
    expect(failed).toMatchObject({ state: 'FAIL', error: { code: 'expression_unresolved' } });
    expect(failed.error?.message).toContain('.cart.json.total in template leads to nothing');
    expect(await textOf('<{{ .cart.json.total * 2 }}>', { settings: { onMissing: 'empty' } })).toBe('<>');
    expect(await textOf('<{{ .skipped.total * 2 }}>')).toBe('<>');
  });

  it('fails with the place where it cannot be computed', async () => {
    const { error } = await run(tell(`{{ 1 + 1 }} {{ .cart.body * 2 }}`));
    expect(error).toMatchObject({ code: 'expression_failed' });
    expect(error?.message).toMatch(/^\.cart\.body \* 2 in template: .*must evaluate to a number/);
  });

  it('gives the same when it is computed again, with the time of its play', async () => {
    const template = '{{ $now() }} {{ $random() }} {{ $join($shuffle(["a", "b", "c", "d", "e", "f"])) }}';
    const first = await textOf(template);
    expect(first).toContain('2026-01-05T10:00:00.000Z 0.');
    expect(await textOf(template)).toBe(first);
    expect(await textOf(template, { playId: 'other' })).not.toBe(first);
  });

  it('names what is too large to compute with', async () => {
    const outputs = { cart: { body: 'x'.repeat(9_000_000) }, small: 'y' };
    const { error } = await run(tell('{{ .small & .cart.body }}'), { outputs });
    expect(error).toMatchObject({ code: 'sandbox_limit' });
    expect(error?.message).toMatch(/\$prev\.cart has 9000\d\d\d characters of JSON; 8388608/);
  });

  it('is not begun, or ended at once, when its play is cancelled', async () => {
    const cancel = new AbortController();
    const endless = run(tell('{{ ($f := function($x) { $f($x) }; $f(1)) }}'), { signal: cancel.signal });
    cancel.abort();
    expect(await endless).toMatchObject({ state: 'FAIL', error: { code: 'cancelled' } });
  });
});

describe('the modules that compute', () => {
  it('give nothing that is nested deeper than can be stored', async () => {
    const source = (levels: number) =>
      `let list = []; for (let i = 1; i < ${levels}; i += 1) list = [list]; return list`;
    // the value is one level below the output
    expect((await run({ appId: 'code', args: { source: source(65) } })).state).toBe('DONE');
    for (const levels of [66, 300]) {
      const { state, error } = await run({ appId: 'code', args: { source: source(levels) } });
      expect([levels, state, error?.code]).toEqual([levels, 'FAIL', 'invalid_output']);
    }
    const wide = await run({ appId: 'transform', args: { expression: '[[1..200].{"a": [$]}]' } });
    expect(wide.state).toBe('DONE');
  });

  it('transform starts from its input, and may read what expressions read', async () => {
    const input = '{{ .cart.json }}';
    expect(
      (await run(transform('$sum(lines.(price * count)) + $prev.args.fee', input), { args: { fee: 1 } })).out,
    ).toEqual({ value: 46 });
    expect((await run(transform('$sum($prev.cart.json.lines.price)'))).out).toEqual({ value: 25 });
    expect((await run(transform('nothing.here', {}))).out).toEqual({ value: null });
    expect((await run(transform('$map(lines, function($line) {{ "p": $line.price }})', input))).out).toEqual({
      value: [{ p: 20 }, { p: 5 }],
    });
    const failed = await run(transform('lines * 2', input));
    expect(failed.error).toMatchObject({ code: 'expression_failed' });
  });

  it('code takes its source as it is', async () => {
    const source = 'const f = () => {{ return "{{ .cart.body }}" }}; console.log(input.n); return f();';
    const { out } = await run({ appId: 'code', args: { source, input: { n: '{{ .cart.json.lines[0].price }}' } } });
    expect(out).toEqual({ value: '{{ .cart.body }}', logs: ['20'] });
    expect((await run({ appId: 'code', args: { source: 'throw new TypeError("no")' } })).error).toEqual({
      code: 'code_failed',
      message: 'TypeError: no (line 1)',
    });
    const endless = { appId: 'code', args: { source: 'for (;;) {}', timeoutMs: 50 } };
    expect((await run(endless)).error).toEqual({ code: 'sandbox_limit', message: 'The code took longer than 50 ms.' });
  });

  it.each([
    [
      { source: '{{ .cart.json }}', kind: 'jsonpath', pattern: '$.lines[?@.price > 10]' },
      { text: '{"price":20,"count":2}', matches: [{ price: 20, count: 2 }] },
    ],
    [
      { source: '{"a":[1,2]}', kind: 'jsonpath', pattern: '$.a[*]', all: true },
      { text: '1', matches: [1, 2] },
    ],
    [
      { source: 'a1b22', kind: 'regex', pattern: '([a-z])([0-9]+)', group: 2, all: true },
      { text: '1', matches: ['1', '22'] },
    ],
    [
      { source: '<b>x</b><b>y</b>', kind: 'css', pattern: 'b' },
      { text: 'x', matches: ['x'] },
    ],
    [
      { source: { a: 1 }, kind: 'regex', pattern: '"a":1' },
      { text: '"a":1', matches: ['"a":1'] },
    ],
    [
      { source: null, kind: 'regex', pattern: 'x', all: true },
      { text: null, matches: [] },
    ],
  ])('text-extraction finds what %j means', async (args, out) => {
    expect((await run({ appId: 'text-extraction', args })).out).toEqual(out);
  });
});
