import { describe, expect, it } from 'vitest';
import { compile } from './compile.js';

function of(text: string): unknown {
  const [expression] = compile(`{{ ${text} }}`).rich;
  return expression?.sequence ?? null;
}

describe('an expression gives a list only for several values', () => {
  it.each([
    '.cart.lines[price > 10]',
    '.cart.lines[price > 10].name',
    '$item[ok]',
    '$prev.args.orders[open] ?? []',
    '.list.items^(price)',
    '.list.(price * 2)',
    '.list.**',
    '$filter(.list, function($x) { $x.ok })',
    '.list ~> $map(function($x) { $x.id })',
    '$count(.list) > 1 ? $keys(.list) : []',
    '($ids := .list.id; .others[id in $ids])',
    '.list[0].lines[ok]',
  ])('by a filter: %s', (text) => {
    expect(of(text)).toBe('filter');
  });

  it.each(['.list.name ?? []', '.list[ok][0] & ""  = "" ? .list[0] : .other', '.list[ok][0].name', '$item[ok][-1]'])(
    'along a path: %s',
    (text) => {
      expect(of(text)).toBe('path');
    },
  );

  it.each([
    '[.cart.lines[price > 10]]',
    '.cart.lines[price > 10][]',
    '$sum(.cart.lines[price > 10].price)',
    '$count(.list[ok]) > 0',
    '{ "a": .list[ok] }',
    '.list{ id: name }',
    '$append(.list[ok], [])',
    '.a & .b',
    '"text"',
  ])('but not %s', (text) => {
    expect(of(text)).toBeNull();
  });

  it('is said of whole values', () => {
    const { sequencePaths } = compile({
      a: '{{ .l[ok] }}',
      b: ['{{ .l[ok] }}!', '{{ [.l[ok]] }}'],
      c: { d: '{{.l[x].y}}' },
    });
    expect(sequencePaths).toEqual(['a', 'c.d']);
  });
});
