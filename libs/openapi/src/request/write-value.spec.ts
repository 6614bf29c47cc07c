import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Style, Writing } from '../operations/plan.js';
import { encoded, encodedButReserved } from './percent.js';
import { writeExpanded, writePairs } from './write-value.js';

const inPath = (style: Style, explode: boolean, value: unknown): string =>
  writeExpanded('color', value, { style, explode }, encoded, 'path.color');
const inQuery = (writing: Writing, value: unknown): string =>
  writePairs('color', value, writing, encoded, 'query.color')
    .map((pair) => pair.join('='))
    .join('&');

const LIST = ['blue', 'black', 'brown'];
const OBJECT = { R: 100, G: 200, B: 150 };

describe('the table of styles of OpenAPI', () => {
  it.each([
    ['matrix', false, ';color', ';color=blue', ';color=blue,black,brown', ';color=R,100,G,200,B,150'],
    ['matrix', true, ';color', ';color=blue', ';color=blue;color=black;color=brown', ';R=100;G=200;B=150'],
    ['label', false, '.', '.blue', '.blue,black,brown', '.R,100,G,200,B,150'],
    ['label', true, '.', '.blue', '.blue.black.brown', '.R=100.G=200.B=150'],
    ['simple', false, '', 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
    ['simple', true, '', 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
  ] as const)('holds in paths: %s, explode %s', (style, explode, ...expected) => {
    expect(['', 'blue', LIST, OBJECT].map((value) => inPath(style, explode, value))).toEqual(expected);
  });

  it.each([
    ['form', false, 'color=', 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
    ['form', true, 'color=', 'color=blue', 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
    [
      'spaceDelimited',
      false,
      'color=',
      'color=blue',
      'color=blue%20black%20brown',
      'color=R%20100%20G%20200%20B%20150',
    ],
    ['pipeDelimited', false, 'color=', 'color=blue', 'color=blue%7Cblack%7Cbrown', 'color=R%7C100%7CG%7C200%7CB%7C150'],
    [
      'deepObject',
      true,
      'color=',
      'color=blue',
      'color%5B0%5D=blue&color%5B1%5D=black&color%5B2%5D=brown',
      'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150',
    ],
  ] as const)('holds in queries: %s, explode %s', (style, explode, ...expected) => {
    expect(['', 'blue', LIST, OBJECT].map((value) => inQuery({ style, explode }, value))).toEqual(expected);
  });
});

describe('a value', () => {
  it('that is deeper than its style goes is JSON; deepObject goes as deep as the value', () => {
    const value = { a: { b: [1, { c: true }] }, none: null };
    expect(decodeURIComponent(inQuery({ style: 'form', explode: true }, value))).toBe('a={"b":[1,{"c":true}]}');
    expect(decodeURIComponent(inQuery({ style: 'deepObject', explode: true }, value))).toBe(
      'color[a][b][0]=1&color[a][b][1][c]=true',
    );
  });

  it('with a content type is written as that', () => {
    const writing: Writing = { style: 'form', explode: true, content: 'application/json' };
    expect(inQuery(writing, { a: 'x y' })).toBe('color=%7B%22a%22%3A%22x%20y%22%7D');
    expect(inQuery({ ...writing, content: 'text/plain' }, 'x y')).toBe('color=x%20y');
    expect(writeExpanded('a', [1], { style: 'simple', explode: false, content: 'application/json' }, encoded, '')).toBe(
      '%5B1%5D',
    );
  });

  it('that is missing or null is left out, an integer keeps every digit', () => {
    expect(inQuery({ style: 'form', explode: true }, null)).toBe('');
    expect(inQuery({ style: 'form', explode: true }, ['a', null, 9_007_199_254_740_993n])).toBe(
      'color=a&color=9007199254740993',
    );
    expect(inQuery({ style: 'form', explode: false }, [])).toBe('');
  });

  it('keeps reserved characters where they are allowed, except those that end its part of the address', () => {
    expect(encodedButReserved('a/b?c#d&e=f+g [h] %2F%zz', '#[]&=+')).toBe('a/b?c%23d%26e%3Df%2Bg%20%5Bh%5D%20%2F%25zz');
    expect(encoded("!'()*~-_.é\ud800")).toBe('%21%27%28%29%2A~-_.%C3%A9%EF%BF%BD');
  });
});

/** What a server does that knows the style, and nothing of how this library writes. */
const decode = {
  commas: (text: string): string[] => text.split(',').map(decodeURIComponent),
  exploded: (text: string, between: string): [string, string][] =>
    text.split(between).map((pair) => pair.split('=').map(decodeURIComponent) as [string, string]),
  flat: (items: readonly string[]): Record<string, string> =>
    Object.fromEntries(items.flatMap((item, i) => (i % 2 === 0 ? [[item, items[i + 1] ?? '']] : []))),
};

const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }).map((each) => each.toWellFormed());
const list = fc.array(text, { minLength: 1, maxLength: 5 });
const object = fc.dictionary(text, text, { minKeys: 1, maxKeys: 4 });
/** A style that joins by a sign cannot carry the sign in a value. */
const without =
  (sign: string) =>
  (value: unknown): boolean =>
    !JSON.stringify(value).includes(sign);

describe('any value', () => {
  it('is read back by a server that knows the style', () => {
    fc.assert(
      fc.property(list, object, (items, fields) => {
        expect(decode.commas(inPath('simple', false, items))).toEqual(items);
        expect(decode.flat(decode.commas(inPath('simple', false, fields)))).toEqual({ ...fields });
        expect(Object.fromEntries(decode.exploded(inPath('simple', true, fields), ','))).toEqual({ ...fields });
        expect(decode.commas(inPath('label', false, items).slice(1))).toEqual(items);
        expect(decode.commas(inPath('matrix', false, items).slice(';color='.length))).toEqual(items);
        expect(decode.exploded(inPath('matrix', true, items).slice(1), ';')).toEqual(
          items.map((item) => ['color', item]),
        );
        expect(Object.fromEntries(decode.exploded(inPath('matrix', true, fields).slice(1), ';'))).toEqual({
          ...fields,
        });
        const repeated = new URLSearchParams(inQuery({ style: 'form', explode: true }, items));
        expect(repeated.getAll('color')).toEqual(items);
        const joined = inQuery({ style: 'form', explode: false }, items).slice('color='.length);
        expect(decode.commas(joined)).toEqual(items);
        expect(Object.fromEntries(new URLSearchParams(inQuery({ style: 'form', explode: true }, fields)))).toEqual({
          ...fields,
        });
        const deep = new URLSearchParams(inQuery({ style: 'deepObject', explode: true }, fields));
        expect(Object.fromEntries([...deep].map(([name, value]) => [name.slice('color['.length, -1), value]))).toEqual({
          ...fields,
        });
      }),
    );
  });

  it('without the sign that joins is read back of the styles that join by a sign', () => {
    fc.assert(
      fc.property(
        list.filter(without(' ')),
        list.filter(without('|')),
        list.filter(without('.')),
        (spaced, piped, dotted) => {
          const value = (query: string): string => new URLSearchParams(query).get('color') ?? '';
          expect(value(inQuery({ style: 'spaceDelimited', explode: false }, spaced)).split(' ')).toEqual(spaced);
          expect(value(inQuery({ style: 'pipeDelimited', explode: false }, piped)).split('|')).toEqual(piped);
          expect(inPath('label', true, dotted).slice(1).split('.').map(decodeURIComponent)).toEqual(dotted);
        },
      ),
    );
  });

  it('leaves an address that every reader takes as it is', () => {
    fc.assert(
      fc.property(text, (value) => {
        const address = `https://x.example/a/${inPath('simple', false, `v${value}`)}?${inQuery({ style: 'form', explode: true }, value)}`;
        expect(new URL(address).href).toBe(address);
      }),
    );
  });
});
