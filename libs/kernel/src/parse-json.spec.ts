import { afterEach, describe, expect, it, vi } from 'vitest';
import { asSeenByPrograms, hasBigIntegers, writeJson, writeJsonForPrograms } from './big-integers.js';
import { bsonBytes } from './bson-bytes.js';
import { assertJsonDepth, ExactIntegers, MAX_JSON_DEPTH, parseJson, parseStoredJson } from './parse-json.js';

afterEach(() => vi.restoreAllMocks());

const ID = '7615917337495251231';
const refusalOf = (read: () => unknown): string => {
  try {
    return `read ${String(read())}`;
  } catch (error) {
    return String(error);
  }
};
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

describe('parseJson', () => {
  it.each([
    ['lists', '['.repeat(100_000)],
    ['objects', '{"a":'.repeat(100_000)],
    ['both, after a value and texts with brackets and quotes', `{"x":"]}\\"}","y":[1],"z":${'[{"a":'.repeat(50)}`],
  ])('refuses %s that are nested too deep before they are parsed', (_what, text) => {
    const parse = vi.spyOn(JSON, 'parse');
    for (const source of [text, Buffer.from(text)]) expect(() => parseJson(source)).toThrow('deeper than 64 levels');
    expect(parse).not.toHaveBeenCalled();
  });

  it('takes what is as deep as the bounds, and brackets in texts', () => {
    expect(parseJson(nested(MAX_JSON_DEPTH))).toHaveLength(1);
    expect(() => parseJson(nested(MAX_JSON_DEPTH + 1))).toThrow(SyntaxError);
    expect(parseJson(nested(3), { maxDepth: 3 })).toEqual([[[]]]);
    const text = JSON.stringify({ text: `\\"${'['.repeat(1_000)}`, list: Array.from({ length: 100 }, () => [{}]) });
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });

  it('refuses what is too large, what is not JSON and what is not UTF-8', () => {
    expect(() => parseJson('[1,2]', { maxBytes: 4 })).toThrow('more than 4 bytes');
    for (const text of ['', '{', '[1]]', '"\\', ']'.repeat(9)]) expect(() => parseJson(text)).toThrow(SyntaxError);
    expect(() => parseJson(Buffer.from('{"a":"M\xfcller"}', 'latin1'))).toThrow('it is not UTF-8');
  });

  it.each(['1e400', '-1E+309', '{"a":[12.5e999]}', `${'9'.repeat(400)}.5`])(
    'refuses %s, which would be Infinity',
    (text) => {
      expect(() => parseJson(text)).toThrow(/^the number .* is larger than any that can be kept$/);
    },
  );

  it('takes what is large and fits, what is small, and what only looks like a number', () => {
    const text = '{"e1000":"1e400","a":[1e308,1e-400,1E+002,true,false]}';
    expect(parseJson(text)).toEqual({ e1000: '1e400', a: [1e308, 0, 100, true, false] });
  });

  it.each([
    ['different names', `{${Array.from({ length: 210_000 }, (_, i) => `"k${i}":1`).join()}}`, 'different names'],
    [
      'different names, one in each object',
      Array.from({ length: 210_000 }, (_, i) => `{"k${i}" : 1}`),
      'different names',
    ],
    ['objects', `[${'{},'.repeat(3_250_000)}{}]`, 'too many values'],
    ['lists', `[${'[],'.repeat(3_250_000)}[]]`, 'too many values'],
    ['numbers', `[${'1,'.repeat(16_000_100)}1]`, 'too many values'],
  ])('refuses too many %s before they are parsed', (_what, source, fault) => {
    const text = typeof source === 'string' ? source : `[${source.join()}]`;
    const parse = vi.spyOn(JSON, 'parse');
    // which is `parseJson` for any depth
    expect(() => parseStoredJson(text)).toThrow(fault);
    expect(parse).not.toHaveBeenCalled();
  });

  it('takes megabytes of records with the same names, and texts that look like names', () => {
    const record = '{"id":12345,"name":"abc,[{","a":{"b":[1]}}';
    expect(parseJson(`[${Array.from({ length: 200_000 }, () => record).join()}]`)).toHaveLength(200_000);
    const texts = Array.from({ length: 250_000 }, (_, i) => `"k${i}"`);
    expect(parseJson(`[${texts.join()}]`)).toHaveLength(250_000);
  });

  it('reads past a byte order mark', () => {
    for (const source of ['\ufeff{"a":1}', Buffer.from('\ufeff{"a":1}')]) expect(parseJson(source)).toEqual({ a: 1 });
  });

  it.each([
    [ID, BigInt(ID)],
    [`-${ID}`, -BigInt(ID)],
    ['9007199254740992', 9_007_199_254_740_992n],
    ['9007199254740991', 9_007_199_254_740_991],
    ['1'.repeat(80), BigInt('1'.repeat(80))],
    ['1'.repeat(2_000), '1'.repeat(2_000)],
    ['0.1234567890123456789', 0.12345678901234568],
    ['12345678901234567.5', 12_345_678_901_234_568],
    ['1e20', 1e20],
    [`"${ID}"`, ID],
  ])('keeps every digit of integers: %s', (text, value) => {
    expect(parseJson(`{"a":[${text}],"b":1}`)).toEqual({ a: [value], b: 1 });
  });

  it('never gives the parser a reviver, which costs it half a second for a megabyte', () => {
    const parse = vi.spyOn(JSON, 'parse');
    expect(parseJson(`[[],{"a":0},${ID},1e5]`)).toEqual([[], { a: 0 }, BigInt(ID), 100_000]);
    expect(parse.mock.calls.map((given) => given.length)).toEqual([1]);
  });

  it.each([
    `{${ID}:1}`,
    `{"a":1,${ID}}`,
    `[0${ID}]`,
    `[1 ${ID}]`,
    `[${ID}[1]]`,
    `["a"${ID}]`,
    `${ID}-${ID}`,
    `[${ID}.]`,
    `[-]${ID}`,
    `[+${ID}]`,
    `[${ID}`,
  ])('refuses %s, as the parser does', (text) => {
    const [ours, its] = [() => parseJson(text), () => JSON.parse(text) as unknown].map(refusalOf);
    expect(its).toMatch(/JSON/);
    expect(ours).toBe(its);
  });

  it('keeps them under names that objects have themselves, twice the same name, and beside texts in lists of one', () => {
    const text = `{"__proto__":${ID},"constructor":{"prototype":[${ID}]},"a":["${ID}"],"b":1,"b":[[${ID}]]}`;
    const read = parseJson(text) as object;
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    expect(Object.entries(read)).toEqual([
      ['__proto__', BigInt(ID)],
      ['constructor', { prototype: [BigInt(ID)] }],
      ['a', [ID]],
      ['b', [[BigInt(ID)]]],
    ]);
  });

  it('reads the integer that is all there is', () => {
    expect(parseJson(` -${ID} `)).toBe(-BigInt(ID));
  });
});

describe('assertJsonDepth', () => {
  it('judges JSON, and lets pass what no parser would read', () => {
    expect(() => assertJsonDepth(Buffer.from(` ${nested(33)}`), 32)).toThrow('deeper than 32 levels');
    for (const text of [nested(32), `<p>${nested(99)}`, '']) assertJsonDepth(Buffer.from(text), 32);
  });
});

describe('an integer with more digits than a number has', () => {
  const value = { id: BigInt(ID), list: [BigInt(ID), 1] };

  it('is a number in JSON, which says whether it has one', () => {
    expect(writeJson(value)).toEqual({ json: `{"id":${ID},"list":[${ID},1]}`, hasBigIntegers: true });
    expect(parseStoredJson(writeJson(value).json ?? '')).toEqual(value);
    expect(writeJson({ id: 1 })).toEqual({ json: '{"id":1}', hasBigIntegers: false });
    expect([hasBigIntegers(value), hasBigIntegers({ a: [{ b: 1 }], c: null })]).toEqual([true, false]);
  });

  it('is a text for programs, whose own large numbers stay numbers', () => {
    expect(writeJsonForPrograms({ ...value, computed: 1e20 })).toBe(
      `{"id":"${ID}","list":["${ID}",1],"computed":100000000000000000000}`,
    );
    expect(writeJsonForPrograms({ a: 1 })).toBe('{"a":1}');
    expect(asSeenByPrograms(value)).toEqual({ id: ID, list: [ID, 1] });
    expect(writeJson(value).json).toContain(`"id":${ID}`);
  });

  it('is written for programs without a replacer, which is called for each value', () => {
    const stringify = vi.spyOn(JSON, 'stringify');
    writeJsonForPrograms(value);
    expect(stringify.mock.calls.map((given) => given.length)).toEqual([1, 1]);
  });

  it('takes as many bytes in a document as its digits', () => {
    expect(bsonBytes({ id: BigInt(ID) })).toBe(bsonBytes({ id: ID }));
  });
});

describe('JSON that a library parses', () => {
  it('has its large integers afterwards, also those at the end of a line', () => {
    const integers = new ExactIntegers();
    const text = `{"a":[${ID},"${ID}",["x"],1],"b":-${ID}}`;
    const read: unknown = JSON.parse(integers.marked(text));
    expect(JSON.stringify(read)).not.toContain(`:-${ID}`);
    expect(integers.restored(read)).toEqual({ a: [BigInt(ID), ID, ['x'], 1], b: -BigInt(ID) });
    expect(integers.marked('{"a":1.5e3}')).toBe('{"a":1.5e3}');
    expect(integers.restored(JSON.parse(integers.marked(ID)))).toBe(BigInt(ID));
  });
});
