import { describe, expect, it } from 'vitest';
import { compile } from './compile.js';
import { compileCondition, compileWhole } from './condition.js';
import { ExpressionSyntaxError } from './errors.js';
import { evaluate } from './evaluate.js';
import { parseProgram } from './parse-jsonata.js';
import type { ExpressionScope } from './resolve.js';

const scope: ExpressionScope = {
  layers: new Map([['a', { n: 1 }]]),
  args: { note: '{{ $link.password }}' },
  blueprint: {},
  play: { id: 'p' },
  flow: { id: 'f', name: 'F', key: null, version: 1 },
  company: { name: 'Acme' },
  link: { access_token: '<token>', username: '<user>', password: '<password>' },
};
const inHeaders = (value: unknown) => compile({ headers: value }, [], undefined, undefined, ['headers']);
const faultOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof ExpressionSyntaxError)
      return error.faults.map(({ path, message }) => `${path}: ${message}`).join();
    return (error as Error).message;
  }
  throw new Error('it was read');
};
const PLACES = 'header values and query values of a web-request that names its link in auth';

describe('$link', () => {
  it('is read in the values of a place, by itself or within a text, and data never becomes it', () => {
    const value = inHeaders({
      'X-Key': 'k {{ $link.access_token }} {{ .a.n }}',
      both: ['{{$link.username}}'],
      note: '{{ $prev.args.note }}',
    });
    expect(evaluate(value, scope)).toEqual({
      headers: { 'X-Key': 'k <token> 1', both: ['<user>'], note: '{{ $link.password }}' },
    });
    expect(value.rich).toEqual([]);
  });

  it.each([
    [
      'another field of the value',
      () => compile({ body: '{{ $link.access_token }}' }, [], undefined, undefined, ['headers']),
    ],
    ['the place as a whole', () => inHeaders('{{ $link.access_token }}')],
    ['a value without such places', () => compile({ headers: { a: '{{ $link.access_token }}' } })],
    ['a computation', () => inHeaders({ a: '{{ $base64encode($link.username & ":" & $link.password) }}' })],
    ['a part of a computation', () => inHeaders({ a: '{{ $link.access_token & "x" }}' })],
    ['a computation that reads all of it', () => inHeaders({ a: '{{ $string($link) }}' })],
    ['a condition', () => compileCondition('{{ $link.access_token }}')],
    ['a list of items', () => compileWhole('{{ $link.access_token }}')],
    ['a program', () => parseProgram('{ "k": $link.access_token }', 'expression')],
  ])('is refused in %s, and it is said where it may be read', (_where, work) => {
    expect(faultOf(work)).toContain(PLACES);
    expect(faultOf(work)).toContain('its fields are access_token, username, password');
  });

  it.each([
    ['{{ $link.acces_token }}', 'there is no $link.acces_token; did you mean access_token?'],
    ['{{ $link.key }}', 'of $link there are $link.access_token, $link.username, $link.password'],
    ['{{ $link }}', 'of $link there are $link.access_token'],
    ['{{ $link.access_token.length }}', 'of $link there are $link.access_token'],
    ['{{ $link.access_token ?? "none" }}', '$link takes no ??'],
  ])('%s is refused with what there is', (text, message) => {
    expect(faultOf(() => inHeaders({ a: text }))).toContain(message);
  });

  it('is not what a computation reads that gives the name to a value of its own', () => {
    const bound = inHeaders({ a: '{{ ($link := {"access_token": "mine"}; $link.access_token) }}' });
    expect(bound.rich).toHaveLength(1);
    expect(bound.rich[0]?.reads).toEqual([]);
  });
});
