import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pathTree, placesOn, type JsonPath } from './json-paths.js';
import { JsonScanner } from './json-scanner.js';

function scan(text: string, { paths = [], chunk = 7, maxDepth = 64, maxBytes = 1_000_000 }: Scan = {}) {
  const wanted = pathTree(paths.map((steps) => ({ steps, throughLists: false })));
  const scanner = new JsonScanner({ maxDepth, wanted, maxBytes });
  const bytes = Buffer.from(text);
  for (let i = 0; i < bytes.byteLength; i += chunk) scanner.write(bytes.subarray(i, i + chunk));
  const valid = scanner.end();
  const values = paths.map((path) => {
    const found = scanner.found([...placesOn(wanted, path)].at(-1)![0]);
    if (!found) return undefined;
    return 'text' in found ? (JSON.parse(found.text.toString()) as unknown) : found;
  });
  return { valid, values };
}

interface Scan {
  readonly paths?: readonly JsonPath[];
  readonly chunk?: number;
  readonly maxDepth?: number;
  readonly maxBytes?: number;
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function* placesOf(value: unknown, path: JsonPath = []): Generator<readonly [JsonPath, unknown]> {
  yield [path, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) yield* placesOf(inner, [...path, name]);
}

/** Every place of it is read at once, byte by byte: the work grows with the square of its length. */
const SMALL_JSON = fc.json({ maxDepth: 5 }).filter((text) => text.length <= 500);

describe('a JSON text read in pieces', () => {
  it('gives at each path what parsing all of it gives', () => {
    fc.assert(
      fc.property(SMALL_JSON, fc.integer({ min: 1, max: 40 }), (text, chunk) => {
        // by path: of two ways to write one the first counts
        const places = new Map<string, readonly [JsonPath, unknown]>();
        for (const place of placesOf(JSON.parse(text) as unknown)) {
          const key = place[0].join('\0');
          if (!places.has(key)) places.set(key, place);
        }
        const wanted = [...places.values()];
        // all at once: nested ones are read in parallel
        const { valid, values } = scan(text, { chunk, paths: wanted.map(([path]) => path) });
        expect(valid).toBe(true);
        expect(values).toEqual(wanted.map(([, value]) => value));
      }),
      { numRuns: 50 },
    );
  });

  it('is valid exactly when it parses', () => {
    const mangled = fc
      .tuple(fc.json(), fc.nat(60), fc.constantFrom(...'{}[]",:0.-+eE\\u1tfn \n\t', ''), fc.boolean())
      .map(([text, at, letter, cut]) => text.slice(0, at) + letter + text.slice(cut ? at + 1 : at));
    fc.assert(
      fc.property(mangled, fc.integer({ min: 1, max: 9 }), (text, chunk) => {
        expect(scan(text, { chunk }).valid).toBe(parses(text));
      }),
      { numRuns: 1_000 },
    );
  });

  it.each(['', ' ', '01', '1.', '-', '1e', '1e+', '.5', '+1', 'nul', 'truex', '"\t"', '"\\x"', '"\\u12g4"', '[1,]'])(
    'refuses %j',
    (text) => {
      expect([scan(text).valid, parses(text)]).toEqual([false, false]);
    },
  );

  it.each(['{"a":1,}', '{,}', '{a:1}', '[1 2]', '{"a" 1}', '{"a":1]', '[1}', '1 2', '"', '[', '{"a"', '\ufeff\ufeff1'])(
    'refuses %j, too',
    (text) => {
      expect([scan(text).valid, parses(text)]).toEqual([false, false]);
    },
  );

  it('may begin with a byte order mark', () => {
    expect(scan('\ufeff {"a":1}', { paths: [['a']] })).toEqual({ valid: true, values: [1] });
  });

  it('counts of a name that is repeated the last, with all below it', () => {
    const text = '{"a":{"x":1,"y":2},"a":{"y":3},"b":1,"b":[1,2]}';
    const paths = [['a', 'x'], ['a', 'y'], ['b', 'length'], ['b']];
    expect(scan(text, { paths }).values).toEqual([undefined, 3, { count: 2 }, [1, 2]]);
  });

  it('knows names however they are written, and the length of lists, not of texts', () => {
    const text = '{"\\u0061\\n":[[],[1,{"c":null}]],"text":"abc","length":7}';
    const paths = [
      ['a\n', 1, 1, 'c'],
      ['a\n', 'length'],
      ['a\n', '1', '0'],
      ['text', 'length'],
      ['length'],
      ['a\n', 0],
    ];
    expect(scan(text, { paths, chunk: 1 }).values).toEqual([null, { count: 2 }, 1, undefined, 7, []]);
  });

  it('holds no more than it may, and says of which value that is', () => {
    const text = JSON.stringify({ large: 'x'.repeat(500), small: 1 });
    expect(scan(text, { paths: [['small'], ['large']], maxBytes: 100 }).values[1]).toEqual({ tooLarge: true });
    expect(scan(text, { paths: [['small']], maxBytes: 100 }).values).toEqual([1]);
  });

  it('is refused where it is too deep', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    expect([scan(nested(64)).valid, scan(nested(65)).valid]).toEqual([true, false]);
  });
});
