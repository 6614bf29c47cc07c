import { describe, expect, it } from 'vitest';
import { pathOfText, pathsUsed, previewOfText } from './expression';
import { KNOWN, LOOP } from './known.fixture';

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
    ['{{ $item.x }}', { state: 'unknown' }],
    ['{{ .never-ran.text }}', { state: 'unknown' }],
    ['{{ .fetch.__proto__ }}', { state: 'missing', path: '.__proto__' }],
  ])('%s', (text, expected) => {
    expect(previewOfText(KNOWN, text)).toEqual(expected);
  });
});

describe('the value of an expression in a loop', () => {
  it.each<[string, unknown]>([
    ['{{ $item.id }}', { state: 'value', value: 'a' }],
    ['{{ $item }}', { state: 'value', value: { id: 'a', tags: ['x', 'y'] } }],
    ['No. {{ $index }}: {{ $item.tags[1] }}', { state: 'value', value: 'No. 0: y' }],
    ['{{ $item.gone }}', { state: 'missing', path: '.gone' }],
    ['{{ $items.id }}', { state: 'computed' }],
  ])('is that for the first item: %s', (text, expected) => expect(previewOfText(LOOP, text)).toEqual(expected));
});

describe('paths in texts', () => {
  it('are counted with each of their parts, however they are spelled', () => {
    const text = JSON.stringify({ a: '{{ .fetch.json.id }} {{ $prev.fetch.json }}', program: '$sum($prev.`x y`.z)' });
    expect([...pathsUsed(text)]).toEqual([
      ['.fetch', 2],
      ['.fetch.json', 2],
      ['.fetch.json.id', 1],
      ['.`x y`', 1],
      ['.`x y`.z', 1],
    ]);
  });

  it.each([
    ['{{ .paid.value }}', ['paid', 'value']],
    ['{{ $prev.args.rows[0] }}', ['$prev', 'args', 'rows', 0]],
    ['{{ .a }} and {{ .b }}', null],
    ['{{ $map(.a, f) }}', null],
    ['no', null],
  ])('of one expression: %s', (text, path) => expect(pathOfText(text)).toEqual(path));
});
