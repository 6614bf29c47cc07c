import { describe, expect, it } from 'vitest';
import { previewOfText, suggestionsAt, type Known } from './expression';

/** Of an output whose branches are trees again. */
const TREE = {
  properties: { text: { type: 'string' }, tree: { $ref: '#/$defs/tree' } },
  $defs: {
    tree: {
      allOf: [
        { $ref: '#/$defs/named' },
        { properties: { branches: { type: 'array', items: { $ref: '#/$defs/tree' } } } },
      ],
    },
    named: {
      properties: {
        name: { type: ['string', 'null'] },
        of: { oneOf: [{ properties: { a: {} } }, { properties: { b: {} } }] },
      },
    },
  },
};

const KNOWN: Known = {
  refs: [
    {
      ref: 'fetch',
      name: 'Fetch the order',
      shape: { properties: { statusCode: { type: 'integer' }, json: {} } },
      mayFail: true,
    },
    { ref: 'never-ran', name: 'never-ran', shape: TREE, mayFail: false },
  ],
  args: { order: { id: 'A-1', 'odd name': 1, lines: [{ sku: 'tea' }] } },
  argsShape: { properties: { order: { properties: { id: {}, note: {} } } } },
  outs: new Map<string, unknown>([['fetch', { statusCode: 200, json: { total: 12, none: null } }]]),
  isLoop: false,
};
const labels = (before: string, known = KNOWN, isProgram = false): string[] | undefined =>
  suggestionsAt(known, before, isProgram)?.options.map(({ label }) => label);

describe('what may come next', () => {
  it('is nothing outside of braces', () => {
    expect(suggestionsAt(KNOWN, 'Dear ')).toBeNull();
    expect(suggestionsAt(KNOWN, '{{ .fetch.x }} and ')).toBeNull();
    expect(labels('and .', KNOWN, true)).toEqual(['fetch', 'never-ran']);
  });

  it('is a ref, an argument or a variable', () => {
    expect(labels('{{ ')).toEqual([
      '.fetch',
      '.never-ran',
      '$prev.args',
      '$prev',
      '$play.id',
      '$play.trigger',
      '$play.idempotencyKey',
      '$play.scheduledFor',
      '$play.acceptedAt',
      '$play.labels',
      '$flow.name',
      '$flow.id',
      '$flow.key',
      '$flow.version',
      '$company.name',
      '$errors',
    ]);
    expect(labels('{{ $i', { ...KNOWN, isLoop: true })).toContain('$item');
    expect(labels('{{ $prev.')).toEqual(['args', 'fetch', 'never-ran']);
  });

  it('is a field that the last play had, with its value', () => {
    expect(suggestionsAt(KNOWN, 'Dear {{ .fetch.json.to')).toEqual({
      from: 'Dear {{ .fetch.json.'.length,
      options: [
        { label: 'total', detail: '12', goesOn: false },
        { label: 'none', detail: 'null', goesOn: false },
      ],
    });
    expect(labels('{{ $prev.args.order.')).toEqual(['id', '`odd name`', 'lines', 'note']);
    expect(labels('{{ $prev.args.order.lines[0].')).toEqual(['sku']);
    expect(labels('{{ 2 * .fetch.json.')).toEqual(['total', 'none']);
  });

  it('is the error of a layer after which the play goes on', () => {
    expect(labels('{{ $errors.')).toEqual(['fetch']);
    expect(labels('{{ $errors.fetch.')).toEqual(['code', 'message', 'attempts', 'statusCode', 'item']);
    expect(labels('{{ ', { ...KNOWN, refs: KNOWN.refs.filter(({ mayFail }) => !mayFail) })).not.toContain('$errors');
  });

  it('is a field that the module describes, where no play tells', () => {
    expect(suggestionsAt(KNOWN, '{{ .never-ran.')?.options).toEqual([
      { label: 'text', detail: 'string', goesOn: false },
      { label: 'tree', detail: '', goesOn: true },
    ]);
    const fields = ['name', 'of', 'branches'];
    expect(labels('{{ .never-ran.tree.')).toEqual(fields);
    expect(labels(`{{ .never-ran.tree${'.branches[0]'.repeat(50)}.`)).toEqual(fields);
    expect(labels('{{ .never-ran.tree.of.')).toEqual(['a', 'b']);
    expect(labels('{{ .never-ran.tree.branches.')).toEqual([]);
    expect(labels('{{ .never-ran.tree.name.')).toEqual([]);
  });
});

describe('the value of an expression', () => {
  it.each<[string, unknown]>([
    ['no expression', null],
    ['{{ .fetch.json.total }}', { state: 'value', value: 12 }],
    ['{{ .fetch.json }}', { state: 'value', value: { total: 12, none: null } }],
    [
      'Order {{ $prev.args.order.id }}: {{ .fetch.json.total }} {{ .fetch.json.none }}.',
      { state: 'value', value: 'Order A-1: 12 .' },
    ],
    ['{{ $prev.args.order.lines[0].sku }}', { state: 'value', value: 'tea' }],
    ['{{ $prev.args.order.`odd name` }}', { state: 'value', value: 1 }],
    ['{{ .fetch.json.gone }}', { state: 'missing', path: '.json.gone' }],
    ['{{ .fetch.json.gone ?? "x" }}', { state: 'value', value: 'x' }],
    ['{{ .fetch.json.none ?? 7 }}', { state: 'value', value: 7 }],
    ['{{ $sum(.fetch.json.x) }}', { state: 'computed' }],
    ['{{ .fetch.json.total * 2 }}', { state: 'computed' }],
    ['{{ $item.x }}', { state: 'computed' }],
    ['{{ .never-ran.text }}', { state: 'unknown' }],
    ['{{ .fetch.__proto__ }}', { state: 'missing', path: '.__proto__' }],
  ])('%s', (text, expected) => {
    expect(previewOfText(KNOWN, text)).toEqual(expected);
  });
});
