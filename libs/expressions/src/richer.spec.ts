import { describe, expect, it } from 'vitest';
import { blueprintReads } from './blueprint-reads.js';
import { compile } from './compile.js';
import { variablesOf } from './computing.js';
import { ExpressionSyntaxError } from './errors.js';
import { evaluate, type EvaluateOptions } from './evaluate.js';
import { parseProgram } from './parse-jsonata.js';
import type { ExpressionScope } from './resolve.js';

const SCOPE: ExpressionScope = {
  layers: new Map<string, unknown>([
    ['cart', { json: { lines: [{ price: 2 }], secret: 's' }, body: 'large' }],
    ['skipped', null],
  ]),
  args: { n: 1, other: 2 },
  blueprint: { region: 'eu', tier: 'a' },
  play: { id: 'p' },
  flow: { id: 'f1', name: 'f', key: null, version: 3 },
  company: { name: 'c' },
};

const jsonataOf = (text: string): string[] => compile(text).rich.map(({ jsonata }) => jsonata.trim());
const faultOf = (text: string): string => {
  try {
    compile(text);
  } catch (error) {
    if (error instanceof ExpressionSyntaxError) return error.message;
    throw error;
  }
  return 'none';
};
/** The value as the sandbox would have computed it. */
const withValue = (text: string, value: unknown, options?: EvaluateOptions): unknown => {
  const compiled = compile(text);
  return evaluate(compiled, { ...SCOPE, computed: new Map(compiled.rich.map((each) => [each, value])) }, options);
};

describe('an expression that is more than a path', () => {
  it.each([
    ['{{ .a.b > 1 and .c }}', ['$prev.a.b > 1 and $prev.c']],
    ['{{ $sum(.a.b[.c = 1].d) }}', ['$sum($prev.a.b[$prev.c = 1].d)']],
    ['{{ .a ?? .b }} and {{ .c }} and {{ 1 + 1 }}', ['$prev.a ?? $prev.b', '1 + 1']],
    ['{{ { "a": { "b": .c } } }}', ['{ "a": { "b": $prev.c } }']],
    ['{{ "}}" & .a & \'.b }}\' }}', ['"}}" & $prev.a & \'.b }}\'']],
    ['{{ $replace(.a, /x{2}\\/./, ".") }}', ['$replace($prev.a, /x{2}\\/./, ".")']],
    ['{{ /* .a }} */ .b / .c * 1.5 }}', ['/* .a }} */ $prev.b / $prev.c * 1.5']],
    ['{{ [1..3].($ * $prev.args.n) }}', ['[1..3].($ * $prev.args.n)']],
    ['{{ $prev.`my-layer`.x - 1 }}', ['$prev.`my-layer`.x - 1']],
    ['{{ .a.**.b[*] }}', ['$prev.a.**.b[*]']],
    ['{{ .a in ["x", .b] ? .c : .d }}', ['$prev.a in ["x", $prev.b] ? $prev.c : $prev.d']],
    ['{{ $map(.a, function($v, $i) { $v.x + $i }) }}', ['$map($prev.a, function($v, $i) { $v.x + $i })']],
  ])('is JSONata: %s', (text, jsonata) => {
    expect(jsonataOf(text)).toEqual(jsonata);
  });

  it.each([
    '{{ .a }}',
    '{{ .my-layer.x }}',
    '{{ .a-1 }}',
    '{{ .a["b"] ?? "x" }}',
    '{{ "1 + 1" }}',
    '{{ -1 }}',
    '{{ .a[0].b }}',
  ])('is not what was a path before: %s', (text) => {
    expect(compile(text).rich).toEqual([]);
  });

  it('names the layers that it reads, the item of a loop, and variables', () => {
    const compiled = compile({
      a: '{{ $sum(.cart.json.lines.(price * $prev.tax.rate)) }}',
      b: ['{{ $map(.list.x, function($item, $index) { $item }) }}', '{{ $item.n * $index }}'],
      c: '{{ $blueprint.region & ($blueprint.tier ?? "a") & $string($blueprint) }}',
    });
    expect(compiled.refs.map(({ path, ref }) => `${path} ${ref}`)).toEqual(['a cart', 'a tax', 'b.0 list']);
    expect(compiled.itemPaths).toEqual(['b.1']);
    expect(compiled.expressionPaths).toEqual(['a', 'b.0', 'b.1', 'c']);
    expect(blueprintReads(compiled)).toEqual([
      { name: 'region', path: 'c', hasFallback: false },
      { name: 'tier', path: 'c', hasFallback: true },
    ]);
  });

  it('as a program reads its input as well', () => {
    const { jsonata, reads } = parseProgram('lines.(price * .tax.rate)', 'expression');
    expect([jsonata, reads.map(({ ref }) => ref)]).toEqual(['lines.(price * $prev.tax.rate)', ['tax']]);
  });

  it.each([
    ['{{ .a + }}', 'Unexpected end of expression (character 8)'],
    ['{{ 1 + total }}', 'write .total, or $prev.total (character 8)'],
    ['{{ 1 + .my-layer.x }}', 'in backticks: `…-layer` (character 12)'],
    ['{{ .a["b"] > 1 }}', 'write .`b` (character 9)'],
    ['{{ 1 + $nope }}', 'there is no $nope; there are $prev'],
    ['{{ $summ(.a) }}', 'did you mean $sum'],
    ['{{ $eval(.a) }}', 'there is no function $eval'],
    ['{{ $keys($prev) }}', '$prev is followed by'],
    ['{{ $prev.*.x }}', '$prev is followed by'],
    ['{{ ($p := $prev; $p.a) }}', '$prev is followed by'],
    ['{{ ($prev := 1; 2) }}', '$prev cannot be given another meaning'],
    ['{{ $play.state & "x" }}', 'of $play there are $play.id'],
    ['{{ $company & "x" }}', 'only $company.name'],
    ['{{ $index.x + 1 }}', 'no fields'],
    ['{{ total(.a) }}', 'names of functions begin with $'],
    ['{{ * }}', 'nothing here'],
    ['{{ $ > 1 }}', 'there is none here'],
    ['{{ $match(.a, /(?=b)/) }}', 'no look-around'],
    ['{{ $match(.a, /(b)\\1/) }}', 'no back references'],
    ['{{ .a && .b }}', 'it is written and'],
    ['{{ (.a }}', 'a bracket is not closed'],
    ['{{ .a > "x }}', 'no end'],
    ['{{ 1 + /a }}', 'no end'],
    ['{{ (.a || .b) > 1 }}', 'it is written or'],
    [`{{ 1 + .a${'.b'.repeat(70)} }}`, 'at most 64 parts'],
  ])('is refused on save, with what is wrong and where: %s', (text, message) => {
    expect(faultOf(text)).toContain(message);
  });

  it('may have as many defaults beside each other, and patterns before them, as one writes', () => {
    const fields = Array.from({ length: 100 }, (_, i) => `"field${i}": $prev.args.field${i} ?? "none"`);
    const found = '$match(.cart.body, /[a-z]/)[0].match ?? $replace(.cart.body, /x/, "") ?: "none"';
    for (const text of [`{{ {${fields.join(', ')}} }}`, `{{ ${found} }}`, `{{ .a${' ?? .b'.repeat(60)} }}`]) {
      expect(compile(text).rich).toHaveLength(1);
    }
  });

  it('has a bound, to which copies and patterns count as what they cost', () => {
    const nested = `{{ ${'('.repeat(20)}.a${' ?? .b)'.repeat(20)} }}`;
    for (const text of [nested, nested.replaceAll('??', '?:'), `{{ $match(.a, /${'\\pL'.repeat(5_000)}/) }}`]) {
      expect(faultOf(text)).toContain('at most 131072 characters: what stands before ?? and ?: counts three times');
    }
  });

  it('of one layer are bounded together, also where they cannot be read', () => {
    const nested = `{{ ${'('.repeat(7)}a${' ?? 1)'.repeat(7)} }}`;
    const args = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`arg${i}`, nested]));
    expect(() => compile(args)).toThrow(/arg0: a path begins with a dot.*at most 131072 characters/);
  });

  it('goes on behind a transform', () => {
    const [expression] = compile('{{ .cart ~> |$|{ "b": 2 }| .b / 2 / .cart.n }}').rich;
    expect(expression?.jsonata.trim()).toBe('$prev.cart ~> |$|{ "b": 2 }| .b / 2 / $prev.cart.n');
  });

  it('may not lie too deep', () => {
    expect(faultOf(`{{ ${'('.repeat(30_000)}1${')'.repeat(30_000)} }}`)).toContain('may not lie that deep');
  });

  it('is read at once, however it means harm', () => {
    const before = process.cpuUsage();
    for (const text of [
      `{{ ${'['.repeat(60_000)} }}`,
      `{{ 1${' + 1'.repeat(15_000)} }}`,
      `{{ 1${' ?? (1 ?: 1'.repeat(9)}${')'.repeat(9)} }}`,
      `{{ 1 + ${'-'.repeat(60_000)}1 }}`,
      `{{ "${'a'.repeat(60_000)} }}`,
      `{{ 1 + /${'(a*)*'.repeat(10_000)}/ }}`,
      `{{ 1 + /${'\\\\/'.repeat(20_000)}/ }}`,
      `{{ $f${'(1)'.repeat(15_000)} }}`,
      `{{ 1 + .a${'.%'.repeat(25_000)} }}`,
      `{{ ${'function($a){'.repeat(4_000)}1${'}'.repeat(4_000)} }}`,
      `{{ ${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)} }}`,
      `{{ 1${' ~> |$|{}|'.repeat(6_000)} }}`,
      `{{ ${'('.repeat(9)}.a${' ?? 1)'.repeat(9)} }}`.repeat(1_000),
      `{{ ${'1 ~> |'.repeat(9)}1${' ?? 1|{}|'.repeat(9)} }}`.repeat(700),
      `{{ $match("a", /[${'\\pL\\pN'.repeat(700)}]/i) }}`.repeat(15),
      '{{ 1+1 }}'.repeat(7_000),
    ]) {
      faultOf(text);
    }
    // quadratic work on any of these would take longer
    expect(process.cpuUsage(before).user).toBeLessThan(12_000_000);
  });
});

describe('what the sandbox is given', () => {
  it('is what the expressions name, and no more of it', () => {
    const { rich } = compile(
      '{{ $sum(.cart.json.lines.price) + $prev.args.n }}{{ .skipped.x & $blueprint.region & .none.x }}',
    );
    expect(JSON.parse(JSON.stringify(variablesOf(rich, SCOPE)))).toEqual({
      prev: { cart: { json: { lines: [{ price: 2 }] } }, args: { n: 1 }, skipped: null },
      blueprint: { region: 'eu' },
    });
  });

  it('is a whole output where the expression does not say which part', () => {
    const { rich } = compile('{{ $keys(.cart) }}{{ .cart.json[secret = "s"].lines }}');
    expect(variablesOf(rich, SCOPE).prev).toMatchObject({ cart: SCOPE.layers.get('cart') });
  });

  it('has names that are more elsewhere as data only', () => {
    const args: unknown = JSON.parse('{"__proto__":{"x":1},"y":2}');
    const { rich } = compile('{{ $prev.args.__proto__.x + $prev.args.constructor.y }}');
    const { prev } = variablesOf(rich, { ...SCOPE, args }) as { prev: { args: object } };
    expect(Object.getPrototypeOf(prev.args)).toBeNull();
    expect(JSON.stringify(prev)).toBe('{"args":{"__proto__":{"x":1}}}');
  });
});

describe('what was computed', () => {
  it('stands in the place of its expression, with its type, or as text among others', () => {
    expect([withValue('{{ 1 + 1 }}', 2), withValue('It is {{ 1 + 1 }}.', { a: 2 })]).toEqual([2, 'It is {"a":2}.']);
  });

  it('is never read as an expression again', () => {
    expect(withValue('{{ .cart.body & "" }}', '{{ $play.id }}')).toBe('{{ $play.id }}');
    expect(withValue('<{{ .cart.body & "" }}>', '{{ 1 + 1 }}')).toBe('<{{ 1 + 1 }}>');
  });

  it('is missing when it leads to nothing, as a path is', () => {
    const text = '{{ .cart.json.total * 2 }}';
    expect(() => withValue(text, undefined)).toThrow(/\.cart\.json\.total leads to nothing.*"lines"/);
    expect(withValue(text, undefined, { onMissing: 'null' })).toBeNull();
    expect(withValue(text, undefined, { onMissing: 'empty' })).toBe('');
    expect(() => withValue('{{ .cart.json.lines.nope * 2 }}', undefined)).toThrow(/\* 2 leads to nothing/);
  });

  it('is null where a layer that it reads was skipped', () => {
    expect(withValue('{{ .skipped.total * 2 }}', undefined)).toBeNull();
  });

  it('must have been computed', () => {
    expect(() => evaluate(compile('{{ 1 + 1 }}'), SCOPE)).toThrow(TypeError);
  });
});
