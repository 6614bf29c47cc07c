import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compile } from './compile.js';
import { EvaluationError, ExpressionSyntaxError, UnresolvedExpression } from './errors.js';
import { evaluate, type EvaluateOptions } from './evaluate.js';
import type { ExpressionScope } from './resolve.js';

const SCOPE: ExpressionScope = {
  layers: new Map([['fetch', { statusCode: 200, body: 'text', json: { id: 7, tags: ['a', 'b'] } }]]),
  args: { name: 'Ada', list: [1, 2] },
  blueprint: { region: 'eu' },
  play: { id: 'p1' },
  flow: { id: 'f1', name: 'My flow', key: null, version: 3 },
  company: { name: 'Acme' },
};

/** Whatever is to be computed elsewhere gives the args. */
function run(value: unknown, options?: EvaluateOptions, part?: Partial<ExpressionScope>): unknown {
  const compiled = compile(value);
  const scope = { ...SCOPE, ...part };
  const computed = new Map(compiled.rich.map((each) => [each, scope.args]));
  return evaluate(compiled, { ...scope, computed }, options);
}

describe('hostile paths and data', () => {
  const NAMES = [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'valueOf',
    'hasOwnProperty',
    '__defineGetter__',
    '__lookupGetter__',
    'apply',
    'call',
    'bind',
    'caller',
    'arguments',
    'map',
    'push',
    'at',
  ];
  const ROOTS = [
    '.fetch',
    '$prev.fetch',
    '$prev.args',
    '$blueprint',
    '.fetch.json',
    '.fetch.json.tags',
    '.fetch.body',
    '.fetch.statusCode',
  ];

  it('lead to nothing, whatever they are made of', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom(...NAMES), fc.boolean()), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.constantFrom(...ROOTS), steps, (root, names) => {
        const path = root + names.map(([name, dotted]) => (dotted ? `.${name}` : `["${name}"]`)).join('');
        expect(() => run(`{{ ${path} }}`)).toThrow(UnresolvedExpression);
        expect(run(`{{ ${path} }}`, { onMissing: 'null' })).toBeNull();
      }),
    );
  });

  it('make no layer of a name that every object has', () => {
    for (const name of NAMES) expect(run(`{{ $prev["${name}"].x }}`, { onMissing: 'null' })).toBeNull();
  });

  it('read such names where the data has them, as data', () => {
    const args: unknown = JSON.parse('{"__proto__": {"x": 1}, "constructor": "c"}');
    expect(run(['{{ $prev.args.__proto__.x }}', '{{ $prev.args.constructor }}'], {}, { args })).toEqual([1, 'c']);
    const made = run(JSON.parse('{"__proto__": {"polluted": "{{ $play.id }}"}}')) as Record<string, unknown>;
    expect(Object.keys(made)).toEqual(['__proto__']);
    expect(made.polluted).toBeUndefined();
    expect(Object.getPrototypeOf(made)).toBeNull();
  });

  it('leave Object.prototype as it is, for any value and any text', () => {
    const before = Object.getOwnPropertyNames(Object.prototype).sort();
    const token = fc.oneof(
      fc.constantFrom(
        '{{',
        '}}',
        '.',
        '$prev',
        '$item',
        '[',
        ']',
        '"',
        "'",
        '??',
        '\\',
        ' ',
        'null',
        '0',
        'fetch',
        'args',
      ),
      fc.constantFrom(...NAMES),
      fc.string({ maxLength: 4 }),
    );
    const text = fc.array(token, { maxLength: 12 }).map((tokens) => tokens.join(''));
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.integer(),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(token, tie('any'), { maxKeys: 3 }),
      ),
    })).any;
    fc.assert(
      fc.property(value, fc.jsonValue(), (template, args) => {
        try {
          run(template, { onMissing: 'empty' }, { args });
        } catch (error) {
          // any error other than its own is a defect
          if (!(error instanceof EvaluationError) && !(error instanceof ExpressionSyntaxError)) throw error;
        }
        expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(before);
        expect(({} as Record<string, unknown>).polluted).toBeUndefined();
      }),
      { numRuns: 500, examples: [['{{-.A}}', []]] },
    );
  });

  it('never change the type or the identity of a value that a whole expression reads', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom('{{ $prev.args.v }}', '{{.args.v}}', '{{ $prev["args"]["v"] }}'),
        (v, text) => {
          expect(run(text, {}, { args: { v } })).toBe(v);
        },
      ),
    );
  });

  it('leave a text without braces as it is', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes('{{')),
        (text) => {
          expect(run(text)).toBe(text);
          expect(run({ text, play: '{{ $play.id }}' })).toEqual({ text, play: 'p1' });
        },
      ),
    );
  });

  it('read any name that JSON can hold, in brackets', () => {
    const simple = fc
      .string()
      .filter((name) => [...name].every((char) => char >= ' ' && char !== '"' && char !== '\\'));
    fc.assert(
      fc.property(simple, (name) => {
        const args = Object.fromEntries([[name, 42]]);
        expect(run(`{{ $prev.args["${name}"] }}`, {}, { args })).toBe(42);
      }),
    );
  });
});
