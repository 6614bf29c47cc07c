import fc from 'fast-check';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { BUILTINS } from './builtins.js';
import { runCode } from './code.js';
import { searchDocument } from './documents.js';
import { runExpressions } from './expressions.js';
import { TaskFailed, LimitExceeded } from './errors.js';

// Runs the interpreters in this process and without the sealed realm, so that a hole in them fails a test.
const CANARY = 'canary-in-the-global-scope';
const realm = globalThis as unknown as Record<string, unknown>;
realm.canary = { secret: CANARY };
afterAll(() => delete realm.canary);
// as in the program itself: a promise of an expression that nobody waits for may be rejected
const listeners = process.listeners('unhandledRejection');
process.removeAllListeners('unhandledRejection').on('unhandledRejection', () => undefined);
afterAll(() => {
  process.removeAllListeners('unhandledRejection');
  for (const listener of listeners) process.on('unhandledRejection', listener);
});

const PROTOTYPES = [Object, Array, String, Number, Function, RegExp, Date, Promise, Map, Error].map(
  (constructor) => constructor.prototype as object,
);
const stateOf = (): unknown => [
  PROTOTYPES.map((prototype) => Reflect.ownKeys(prototype).map((key) => [key, describeField(prototype, key)])),
  Reflect.ownKeys(globalThis).length,
];

function describeField(prototype: object, key: string | symbol): unknown {
  const field = Reflect.getOwnPropertyDescriptor(prototype, key);
  const value: unknown = field?.value;
  return typeof value === 'function' || field?.get ? 'function' : value;
}

const NAMES = fc.constantFrom(
  ...['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', '__defineGetter__', 'call'],
  ...['canary', 'secret', 'globalThis', 'process', 'polluted', 'length', 'a', 'then', 'sequence', '_jsonata_lambda'],
);

/** Random combinations of hostile pieces of expressions. */
const hostileExpression = fc.letrec<Record<'any' | 'path' | 'object' | 'call', string>>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    tie('path'),
    fc.constantFrom('$', '$$', '*', '**', '"x"', '1', 'null'),
    tie('object'),
    tie('call'),
  ),
  path: fc
    .tuple(
      fc.constantFrom('$prev', '$', '$$', '$sum', '$string', '(function($x) { $x })'),
      fc.array(NAMES, { maxLength: 4 }),
    )
    .map(([root, names]) => [root, ...names.map((name) => `\`${name}\``)].join('.')),
  object: fc
    .tuple(NAMES, tie('any'), NAMES)
    .map(([name, value, other]) => `{ "${name}": ${value}, "${other}x": { "${other}": 1 } }`),
  call: fc
    .tuple(
      fc.constantFrom(
        '$merge',
        '$keys',
        '$spread',
        '$clone',
        '$lookup',
        '$each',
        '$sift',
        '$map',
        '$reduce',
        '$string',
        '$eval',
      ),
      tie('any'),
      fc.option(
        fc.oneof(
          NAMES.map((name) => `"${name}"`),
          tie('any'),
        ),
      ),
    )
    .map(([name, value, other]) => `${name}(${other === null ? value : `${value}, ${other}`})`),
})).any;

const transformed = fc
  .tuple(hostileExpression, NAMES, hostileExpression)
  .map(([value, name, update]) => `$prev ~> |$|{ "${name}": ${update}, "b": ${value} }, ["${name}"]|`);

const PREV = '{"prev":{"a":[1,{"constructor":"c"}],"__proto__":{"polluted":"data"}}}';

/** The answer, or the message of a refusal. */
async function answerOf(run: () => Promise<string> | string): Promise<string> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof TaskFailed || error instanceof LimitExceeded || error instanceof RangeError)
      return error.message;
    throw error;
  }
}

describe('whatever is computed', () => {
  it('as an expression changes no prototype and reaches no global', async () => {
    const before = stateOf();
    await fc.assert(
      fc.asyncProperty(fc.oneof(hostileExpression, transformed), async (text) => {
        const task = { kind: 'expressions', texts: [text], variables: PREV, input: null, nowMs: 0, seed: '' } as const;
        const answer = await answerOf(() => runExpressions(task, 1_000));
        expect(answer).not.toContain(CANARY);
        expect(answer).not.toContain('native code');
        expect(stateOf()).toEqual(before);
        expect(({} as Record<string, unknown>).polluted).toBeUndefined();
      }),
      { numRuns: 150 },
    );
  });

  it('as a pattern ends by itself, also when there is no parent any more to end it', () => {
    const pattern = `p ${'div '.repeat(20)}`;
    const source = '<div>'.repeat(200);
    const task = { kind: 'extraction', how: 'css', pattern, source, group: 0, all: true } as const;
    expect(() => searchDocument(task, 50)).toThrow('It took longer than 50 ms.');
    expect(() => searchDocument({ ...task, pattern: 'p:nope' }, 5_000)).toThrow('nope');
    expect(searchDocument({ ...task, pattern: 'div' }, 5_000)).toContain('""');
  });

  it('of JSON with a large integer is parsed without a reviver, which would be called for each value', () => {
    const parse = vi.spyOn(JSON, 'parse');
    const task = { kind: 'extraction', how: 'jsonpath', pattern: '$[0]', source: '[7615917337495251231,1]' } as const;
    expect(searchDocument({ ...task, group: 0, all: true }, 5_000)).toBe('["7615917337495251231"]');
    expect(parse.mock.calls.map((given) => given.length)).toEqual([1, 1]);
    parse.mockRestore();
  });

  it('as code changes no prototype and reaches no global', async () => {
    const before = stateOf();
    const target = fc
      .tuple(
        fc.constantFrom('globalThis', 'this', 'input', '[]', '({})', '(() => 0)', 'Function'),
        fc.array(NAMES, { maxLength: 3 }),
      )
      .map(([root, names]) => [root, ...names.map((name) => `?.["${name}"]`)].join(''));
    const line = fc.oneof(
      fc.tuple(target, NAMES, target).map(([to, name, value]) => `(${to})["${name}"] = ${value};`),
      target.map((from) => `out.push(String(${from}), JSON.stringify(${from}));`),
      fc.constantFrom('out.push(Function("return this.canary")());', 'out.push((0, eval)("typeof canary"));'),
      fc.tuple(target, NAMES).map(([from, name]) => `delete (${from})["${name}"];`),
    );
    const source = fc
      .array(line, { minLength: 1, maxLength: 6 })
      .map(
        (lines) =>
          `const out = []; ${lines.map((each) => `try { ${each} } catch (e) { out.push(String(e)); }`).join(' ')} return out;`,
      );
    await fc.assert(
      fc.asyncProperty(source, async (text) => {
        const task = { kind: 'code', source: text, input: '{"a":1}', nowMs: 0, seed: '' } as const;
        expect(await answerOf(() => runCode(task, 1_000))).not.toContain(CANARY);
        expect(stateOf()).toEqual(before);
      }),
      { numRuns: 30 },
    );
  });
});

describe('the functions of JSONata', () => {
  const valueOf = async (text: string, prev: object = {}): Promise<unknown> => {
    const variables = JSON.stringify({ prev });
    const task = { kind: 'expressions', texts: [text], variables, input: null, nowMs: 0, seed: '' } as const;
    return (JSON.parse(await runExpressions(task, 1_000)) as unknown[][])[0]?.[0];
  };

  it.each([
    '{} ~> |$uppercase|{"implementation": function($x) { "planted" }}|',
    '{} ~> |[$uppercase]|{"implementation": function($x) { "planted" }}|',
    '{} ~> |{"a": 1}|{"b": 2}|',
    '($f := $uppercase ~> $lowercase; {} ~> |$f|{"body": 1}|)',
    '($box := {"a": 1}; {} ~> |$box|{"a": 2}|; $box.a)',
    '($clone := function($x) { $uppercase }; {} ~> |$|{"implementation": function($x) { "planted" }}|)',
    '($clone := function($x) { [$uppercase] }; {} ~> |$[0]|{"implementation": function($x) { "planted" }}|)',
    '$map([1], function($x) { {} ~> |$uppercase|{}, "signature"| })',
  ])('are out of reach of a transform: %s', async (text) => {
    await valueOf(text).catch((error: unknown) => expect(error).toBeInstanceOf(TaskFailed));
    expect(await valueOf('[$uppercase("a"), $lowercase("B"), ("a" ~> $uppercase ~> $lowercase)]')).toEqual([
      'A',
      'b',
      'a',
    ]);
  });

  it('leave no trace of where they were called in the next expression', async () => {
    const text = '$type($uppercase) & $string([1].($uppercase.token))';
    await valueOf('$uppercase("a")');
    expect(await valueOf(text).catch((error: unknown) => String(error))).not.toContain('uppercase"');
  });

  it('let a transform change what it was given', async () => {
    const prev = { items: [{ n: 1, old: true }, { n: 2 }, 'text'], name: 'x' };
    expect(await valueOf('$prev ~> |items[n = 2]|{"n": n + 1}|', prev)).toEqual({
      ...prev,
      items: [{ n: 1, old: true }, { n: 3 }, 'text'],
    });
    expect(await valueOf('$prev ~> |items|{}, "old"|', prev)).toEqual({ ...prev, items: [{ n: 1 }, { n: 2 }, 'text'] });
    expect(await valueOf('$prev ~> |$|{"name": $uppercase(name)}| ~> |**.n[$ = 9]|{}|', prev)).toMatchObject({
      name: 'X',
    });
    expect(await valueOf('($prev ~> |nothing|{"a": 1}|).name', prev)).toBe('x');
  });

  it('are all known here', async () => {
    const source = await readFile(createRequire(import.meta.url).resolve('jsonata'), 'utf8');
    const names = [...source.matchAll(/staticFrame\.bind\('(\w+)'/g)].map(([, name]) => name);
    expect([...BUILTINS, 'eval'].sort()).toEqual(names.sort());
  });
});
