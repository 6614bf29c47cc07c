import { describe, expect, it } from 'vitest';
import { compileCondition, compileWhole, isTruthy } from './condition.js';
import { ExpressionSyntaxError } from './errors.js';
import { evaluate } from './evaluate.js';
import type { ExpressionScope } from './resolve.js';

const SCOPE: ExpressionScope = {
  layers: new Map<string, unknown>([
    ['check', { ok: true, items: [1, 2] }],
    ['left', null],
  ]),
  args: {},
  blueprint: { mode: 'on' },
  play: { id: 'p' },
  flow: { id: 'f1', name: 'f', key: null, version: 3 },
  company: { name: 'c' },
};

describe('a text that must be one expression', () => {
  it.each<[string, unknown]>([
    ['{{ .check.ok }}', true],
    ['  {{ .check.items }}\n', [1, 2]],
    ['{{ $blueprint.mode }}', 'on'],
    ['{{ .left.ok }}', null],
    ['{{ .check.none ?? false }}', false],
    ['{{ false }}', false],
  ])('reads %j with the type of its value', (text, value) => {
    expect(evaluate(compileWhole(text), SCOPE)).toEqual(value);
  });

  it.each([
    '',
    'true',
    '.check.ok',
    'yes {{ .check.ok }}',
    '{{ .check.ok }} > 1',
    '{{ check.n > 1 }}',
    '{{ .check.ok }}{{ .check.ok }}',
    '{{ .check.ok',
    '{{ !.check.ok }}',
  ])('refuses %j, which it would misunderstand', (text) => {
    expect(() => compileWhole(text)).toThrow(ExpressionSyntaxError);
  });
});

describe('a condition', () => {
  it('may be the word true or false, which a list may not', () => {
    expect(evaluate(compileCondition(' true '), SCOPE)).toBe('true');
    expect(evaluate(compileCondition('false'), SCOPE)).toBe('false');
    expect(evaluate(compileCondition('{{ .check.ok }}'), SCOPE)).toBe(true);
    expect(() => compileCondition('yes')).toThrow(/one expression in braces/);
  });

  it.each([[false], [null], [undefined], [0], [-0], [''], ['false']])('is not met by %j', (value) => {
    expect(isTruthy(value)).toBe(false);
  });

  it.each([[true], [1], [-1], ['0'], ['no'], ['true'], [[]], [{}]])('is met by %j', (value) => {
    expect(isTruthy(value)).toBe(true);
  });
});
