import { describe, expect, it } from 'vitest';
import { compile } from './compile.js';
import { ExpressionSyntaxError } from './errors.js';

const faultsOf = (value: unknown): readonly { path: string; message: string }[] => {
  try {
    compile(value);
  } catch (error) {
    if (error instanceof ExpressionSyntaxError) return error.faults;
    throw error;
  }
  return [];
};

describe('compile', () => {
  it('finds the layers that are read, with their place', () => {
    const compiled = compile({
      url: 'https://{{ $prev.args.host }}/{{ .first.json.id }}',
      headers: { 'X-A': '{{ $prev["second-one"].text ?? "none" }}', plain: 'text' },
      body: ['{{ $prev.third }}'],
    });
    expect(compiled.constant).toBe(false);
    expect(compiled.refs).toEqual([
      { path: 'url', expression: '.first.json.id', ref: 'first', steps: ['json', 'id'] },
      { path: 'headers.X-A', expression: '$prev["second-one"].text', ref: 'second-one', steps: ['text'] },
      { path: 'body.0', expression: '$prev.third', ref: 'third', steps: [] },
    ]);
    expect(compiled.expressionPaths).toEqual(['url', 'headers.X-A', 'body.0']);
  });

  it('finds the errors that are read, which are no outputs', () => {
    const { refs } = compile({ a: '{{ $errors.x.code }}', b: '{{ $errors.x.code = "timeout" and .x.text }}' });
    expect(refs).toEqual([
      { path: 'a', expression: '$errors.x.code', ref: 'x', ofError: true },
      { path: 'b', expression: '$errors.x.code = "timeout" and .x.text', ref: 'x', ofError: true },
      { path: 'b', expression: '$errors.x.code = "timeout" and .x.text', ref: 'x' },
    ]);
  });

  it.each([
    ['{{ $errors }}', 'followed by the ref'],
    ['{{ $errors.x.statuscode }}', 'did you mean statusCode?'],
    ['{{ $errors.x.zzz = 1 }}', 'there are code, message, attempts, statusCode, item'],
    ['{{ $errros.x }}', 'did you mean $errors'],
  ])('refuses %s', (text, why) => {
    expect(() => compile(text)).toThrow(why);
  });

  it('tells where the item of a loop is read, each place once', () => {
    expect(compile({ a: '{{ $item.name }} {{ $index }}', b: ['{{ $item }}', '{{ .c.d }}'] }).itemPaths).toEqual([
      'a',
      'b.0',
    ]);
  });

  it.each([[null], [1], ['text'], ['} }} {'], [{ a: ['b', { c: 1 }] }], [[]], [{}]])(
    'takes %j as constant',
    (value) => {
      expect(compile(value)).toMatchObject({ constant: true, refs: [], expressionPaths: [] });
    },
  );

  it('names every fault with its place in the value', () => {
    const faults = faultsOf({ a: '{{ .x', b: ['fine', '{{ $nope.x }}'], c: '{{ .ok.x }}' });
    expect(faults.map(({ path }) => path)).toEqual(['a', 'b.1']);
    expect(() => compile({ a: '{{ }}' })).toThrow(/^a: .*\(character \d+\)$/);
  });

  it.each([
    ['{{', 'path like'],
    ['{{ }}', 'path like'],
    ['{{ fetch.body }}', 'write .fetch'],
    ['{{ . }}', 'ref of a layer'],
    ['{{ .a. }}', 'after a dot'],
    ['{{ .a..b }}', 'after a dot'],
    ['{{ .a[ }}', 'in brackets'],
    ['{{ .a[1 }}', 'not closed'],
    ['{{ .a["b] }}', 'no end'],
    ['{{ .a["\\q"] }}', 'Unsupported escape'],
    ['{{ .a ?? }}', 'after ??'],
    ['{{ .a | upper }}', 'ends with }}'],
    ['{{ .a() }}', 'a is no function'],
    ['{{ {{ .a }} }}', 'Expected ":"'],
    ['{{{ .a }}}', 'Expected ":"'],
    ['{{ $ }}', 'there is none here'],
    ['{{ $prev }}', 'ref of a layer'],
    ['{{ $prev[0] }}', 'ref of a layer'],
    ['{{ $blueprnt.x }}', 'did you mean $blueprint'],
    ['{{ $play.state }}', 'of $play there are $play.id, $play.trigger, $play.idempotencyKey, $play.scheduledFor'],
    ['{{ $play.idempotencykey }}', 'did you mean idempotencyKey?'],
    ['{{ $play }}', 'of $play there are $play.id'],
    ['{{ $play.labels.a.b }}', '$play.labels.<key>'],
    ['{{ $play.id.x }}', 'of $play there are $play.id'],
    ['{{ $foo(1) }}', 'there is no function $foo; the nearest names are $f'],
    ['{{ $summ([1]) }}', 'there is no function $summ; did you mean $sum'],
    ['{{ $company.id }}', 'only $company.name'],
    ['{{ $flow.name.length }}', 'of $flow there are $flow.id, $flow.name, $flow.key, $flow.version'],
    ['{{ $index.x }}', 'no fields'],
    ['{{ .a ?? nul }}', 'write .nul'],
    ['{{ .a ?? "x }}', 'no end'],
    ['{{ .a ?? \'x" }}', 'no end'],
    ['{{ $process.env }}', 'there is no $process'],
    ['{{ this.constructor }}', 'write .this'],
  ])('refuses %j', (text, message) => {
    expect(faultsOf(text)).toEqual([{ path: '', message: expect.stringContaining(message) as string }]);
  });

  it('limits bytes of a template, parts of a path and depth of a value', () => {
    const template = (fill: string): string => `{{ .a.b }}${fill}`;
    expect(faultsOf(template('x'.repeat(65_526)))).toEqual([]);
    expect(faultsOf(template('x'.repeat(65_527)))[0]?.message).toContain('65536 bytes');
    expect(faultsOf(template('€'.repeat(21_843)))[0]?.message).toContain('65536 bytes');
    expect(compile('x'.repeat(1_000_000)).constant).toBe(true);

    expect(faultsOf(`{{ .a${'.b'.repeat(63)} }}`)).toEqual([]);
    expect(faultsOf(`{{ .a${'.b'.repeat(64)} }}`)[0]?.message).toContain('64 parts');

    const nest = (levels: number): unknown => (levels === 0 ? 'x' : [nest(levels - 1)]);
    expect(faultsOf(nest(32))).toEqual([]);
    expect(faultsOf(nest(33))[0]?.message).toContain('32 deep');
  });

  it('answers hostile templates at once', () => {
    const before = process.cpuUsage();
    for (const text of [
      '{'.repeat(1_000_000),
      '{{'.repeat(30_000),
      '{{ '.repeat(20_000),
      `{{ .a${'['.repeat(60_000)}`,
      `{{ "${'\\\\'.repeat(30_000)}`,
      `{{ ${'1'.repeat(60_000)}x }}`,
      `{{ .${'a-'.repeat(30_000)}! }}`,
      `{{ .a ${' '.repeat(60_000)}x`,
      '{{ .a }}'.repeat(8_000) + '{{',
    ]) {
      expect(faultsOf(text)).toHaveLength(1);
    }
    // quadratic work on any of these would take longer
    expect(process.cpuUsage(before).user).toBeLessThan(6_000_000);
  });
});
