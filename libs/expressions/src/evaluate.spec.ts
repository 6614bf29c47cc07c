import { describe, expect, it } from 'vitest';
import { compile } from './compile.js';
import { EvaluationTooLarge, UnresolvedExpression } from './errors.js';
import { evaluate, type EvaluateOptions } from './evaluate.js';
import type { ExpressionScope } from './resolve.js';

const scope = (part: Partial<ExpressionScope> = {}): ExpressionScope => ({
  layers: new Map<string, unknown>([
    ['fetch', { statusCode: 200, body: 'text', json: { id: 7, tags: ['a', 'b'], 'odd key': { x: true }, none: null } }],
    ['two-words', { text: 'hello' }],
    ['skipped', null],
  ]),
  args: { name: 'Ada', list: [1, 2], nested: { deep: [{ x: 1 }] } },
  blueprint: { region: 'eu' },
  play: { id: 'p1' },
  flow: { id: 'f1', name: 'My flow', key: null, version: 3 },
  company: { name: 'Acme' },
  ...part,
});

const run = (value: unknown, options?: EvaluateOptions, part?: Partial<ExpressionScope>): unknown =>
  evaluate(compile(value), scope(part), options);

function unresolvedOf(value: unknown, part?: Partial<ExpressionScope>): UnresolvedExpression {
  try {
    run(value, undefined, part);
  } catch (error) {
    if (error instanceof UnresolvedExpression) return error;
    throw error;
  }
  throw new Error('it resolved');
}

describe('evaluate', () => {
  it.each<[string, unknown]>([
    ['{{ .fetch.statusCode }}', 200],
    ['{{ $prev.fetch.statusCode }}', 200],
    ['{{.fetch.statusCode}}', 200],
    ['{{\n  .fetch.json.id\t}}', 7],
    ['{{ .two-words.text }}', 'hello'],
    ['{{ $prev["two-words"]["text"] }}', 'hello'],
    ['{{ .fetch.json.tags[1] }}', 'b'],
    ['{{ .fetch.json.tags.1 }}', 'b'],
    ['{{ .fetch.json.tags[ 0 ] }}', 'a'],
    ['{{ .fetch.json.tags.length }}', 2],
    ['{{ .fetch.json["odd key"].x }}', true],
    ["{{ .fetch.json['odd key'] }}", { x: true }],
    ['{{ .fetch.json.none }}', null],
    ['{{ $prev.args.name }}', 'Ada'],
    ['{{ .args.name }}', 'Ada'],
    ['{{ $prev.args }}', scope().args],
    ['{{ $prev.args.nested.deep[0].x }}', 1],
    ['{{ $blueprint.region }}', 'eu'],
    ['{{ $play.id }}', 'p1'],
    ['{{ $flow.name }}', 'My flow'],
    ['{{ $company.name }}', 'Acme'],
    ['{{ .skipped }}', null],
    ['{{ .skipped.any.field[3] }}', null],
    ['{{ .skipped.x ?? "default" }}', 'default'],
    ['{{ .fetch.json.none ?? 5 }}', 5],
    ['{{ .fetch.nope ?? -1.5e2 }}', -150],
    ["{{ .nope.x ?? 'it\\'s' }}", "it's"],
    ['{{ .nope ?? true }}', true],
    ['{{ .nope ?? false }}', false],
    ['{{ .nope ?? null }}', null],
    ['{{ .nope ?? "}}" }}', '}}'],
    ['{{ .fetch.statusCode ?? 1 }}', 200],
    ['{{ "{{" }}', '{{'],
    ['{{ 5 }}', 5],
    ['{{ null }}', null],
  ])('reads %s', (text, expected) => {
    expect(run(text)).toEqual(expected);
  });

  it('reads item and index inside forEach', () => {
    expect(run(['{{ $item.x }}', '{{ $item }}', '{{ $index }}'], {}, { item: { x: 1 }, index: 0 })).toEqual([
      1,
      { x: 1 },
      0,
    ]);
    expect(unresolvedOf('{{ $item }}').message).toContain('inside forEach only');
  });

  it.each<[string, string]>([
    ['{{ .fetch.statusCode }} {{ .fetch.body }}', '200 text'],
    ['a{{ .fetch.json.tags }}b', 'a["a","b"]b'],
    ['{{ .fetch.json["odd key"] }}{{ .fetch.json["odd key"].x }}', '{"x":true}true'],
    ['<{{ .skipped.x }}>', '<>'],
    [' {{ .fetch.body }}', ' text'],
    ['{{ .fetch.body }}\n', 'text\n'],
    ['{{ "{{" }} and }}', '{{ and }}'],
    ['{"a":{{ .fetch.json.id }}}', '{"a":7}'],
  ])('joins %j as text', (text, expected) => {
    expect(run(text)).toBe(expected);
  });

  it('evaluates inside objects and lists and passes constants on uncopied', () => {
    const constant = { a: [1, { b: 'c' }] };
    const result = run({ constant, list: ['{{ $prev.args.list }}', 1], '{{ key }}': '{{ $play.id }}' }) as Record<
      string,
      unknown
    >;
    expect({ ...result }).toEqual({ constant, list: [[1, 2], 1], '{{ key }}': 'p1' });
    expect(result.constant).toBe(constant);
    expect(evaluate(compile(constant), scope())).toBe(constant);
  });

  it('never reads a value as an expression, once put in', () => {
    const part = { args: { x: '{{ .secret.token }}', y: '{{' }, layers: new Map([['secret', { token: 's3cret' }]]) };
    expect(run('{{ $prev.args.x }}', {}, part)).toBe('{{ .secret.token }}');
    expect(run('{{ $prev.args.y }} .secret.token }}', {}, part)).toBe('{{ .secret.token }}');
    expect(run('{{ $blueprint.x }}!', {}, { blueprint: { x: '{{ $prev.secret }}' } })).toBe('{{ $prev.secret }}!');
  });

  it.each<[string, string, readonly string[], string]>([
    ['{{ .fetch.bdoy }}', '.fetch.bdoy', ['body'], 'fetch has no field "bdoy"; did you mean "body"?'],
    [
      '{{ $prev.fech.body }}',
      '$prev.fech.body',
      ['fetch'],
      'no earlier layer has the ref "fech"; did you mean "fetch"?',
    ],
    ['{{ .zzz }}', '.zzz', [], 'there are "fetch", "two-words", "skipped"'],
    ['{{ $prev.args.Name }}', '$prev.args.Name', ['name'], 'args has no field "Name"; did you mean "name"?'],
    ['{{ .fetch.json.tags[2] }}', '.fetch.json.tags[2]', [], 'fetch.json.tags has no position 2'],
    [
      '{{ .fetch.json.tags.name }}',
      '.fetch.json.tags.name',
      [],
      'fetch.json.tags is a list and has no field "name"; [.fetch.json.tags.name] is the list of those of its entries',
    ],
    ['{{ .fetch.body.length }}', '.fetch.body.length', [], 'fetch.body is a text and has no fields'],
    ['{{ .fetch.json.none.x }}', '.fetch.json.none.x', [], 'fetch.json.none is null'],
    ['{{ $blueprint.regio }}', '$blueprint.regio', ['region'], 'did you mean "region"?'],
  ])('says of %s what is missing and what is near', (text, path, nearest, message) => {
    const error = unresolvedOf({ url: text });
    expect(error).toMatchObject({ code: 'expression_unresolved', path, at: 'url', nearest });
    expect(error.message).toContain(`${path} in url leads to nothing`);
    expect(error.message).toContain(message);
  });

  it('never tells values when it tells what is missing', () => {
    expect(unresolvedOf('{{ .fetch.json.id.x.y }}').message).not.toContain('7');
    expect(unresolvedOf('{{ $prev.args.name.x }}').message).not.toContain('Ada');
  });

  it('reads what a failed layer left, and null of one that did not fail', () => {
    const error = { code: 'bad_status', message: 'a answered 422', attempts: 2, statusCode: 422, item: null };
    const part = { errors: new Map([['fetch', error]]) };
    expect(run('{{ $errors.fetch }}', undefined, part)).toEqual(error);
    expect(run('{{ $errors.fetch.code }}: {{ $errors["fetch"].statusCode }}', undefined, part)).toBe('bad_status: 422');
    expect(run('{{ $errors.two-words.code }}', undefined, part)).toBeNull();
    expect(run('{{ $errors.fetch.item ?? "none" }}', undefined, part)).toBe('none');
    expect(run('{{ $errors.skipped }}')).toBeNull();
    expect(unresolvedOf('{{ $errors.fetsh.code }}', part).message).toContain('did you mean "fetch"?');
  });

  it('does as told with what is missing', () => {
    expect(run('{{ .nope.x }}', { onMissing: 'null' })).toBeNull();
    expect(run('{{ .nope.x }}', { onMissing: 'empty' })).toBe('');
    expect(run('<{{ .fetch.nope }}>', { onMissing: 'null' })).toBe('<>');
    expect(run('{{ .nope ?? 1 }}', { onMissing: 'null' })).toBe(1);
    expect(() => run('{{ .nope }}', { onMissing: 'fail' })).toThrow(UnresolvedExpression);
  });

  it('stops when a short template would make a huge text', () => {
    const layers = new Map([['big', { text: 'x'.repeat(1_000_000) }]]);
    const error: unknown = (() => {
      try {
        return run('{{ .big.text }}'.repeat(4_000), {}, { layers });
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(EvaluationTooLarge);
    expect(error).toMatchObject({ code: 'output_too_large' });
    expect(run('{{ .big.text }}', {}, { layers })).toHaveLength(1_000_000);
  });
});
