import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseJson, withExactJson, writeJson } from './json.js';

const ID = '7615917337495251231';

describe('JSON of the client', () => {
  // the services of which other specs of this worker are write integers of any size; who uses the client does not
  const services = Object.getOwnPropertyDescriptor(BigInt.prototype, 'toJSON');
  beforeAll(() => void Reflect.deleteProperty(BigInt.prototype, 'toJSON'));
  afterAll(() => services && void Object.defineProperty(BigInt.prototype, 'toJSON', services));

  it.each([
    [ID, BigInt(ID)],
    [`-${ID}`, -BigInt(ID)],
    ['9007199254740992', 9_007_199_254_740_992n],
    ['9007199254740991', 9_007_199_254_740_991],
    ['1'.repeat(2_000), '1'.repeat(2_000)],
    ['12345678901234567.5', 12_345_678_901_234_568],
    ['1e20', 1e20],
    [`"${ID}"`, ID],
  ])('keeps every digit of integers: %s', (text, value) => {
    expect(parseJson(`{"a":[${text}],"b":1}`)).toEqual({ a: [value], b: 1 });
  });

  it('never gives the parser a reviver, which costs it seconds for some megabytes', () => {
    const parse = vi.spyOn(JSON, 'parse');
    expect(parseJson(`[1,{"a":"\\\\"},${ID}]`)).toEqual([1, { a: '\\' }, BigInt(ID)]);
    expect(parse.mock.calls.map((given) => given.length)).toEqual([1]);
    vi.restoreAllMocks();
  });

  it.each([`{${ID}:1}`, `[0${ID}]`, `[1 ${ID}]`, `["a"${ID}]`, `[+${ID}]`, `[${ID}`, `["\\",${ID}"`])(
    'refuses %s, as the parser does',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    },
  );

  it('keeps them beside texts with quotes, under names that objects have themselves, and in lists of one', () => {
    const text = String.raw`{"__proto__":${ID},"a\\":["${ID}"],"b":"\",${ID},\"","c":[[${ID}]],"d":{"constructor":[${ID}]}}`;
    const read = parseJson(text) as object;
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    expect(Object.entries(read)).toEqual([
      ['__proto__', BigInt(ID)],
      ['a\\', [ID]],
      ['b', `",${ID},"`],
      ['c', [[BigInt(ID)]]],
      ['d', { constructor: [BigInt(ID)] }],
    ]);
  });

  it('writes what it has read', () => {
    const text = `{"id":${ID},"list":[-${ID},1,"${ID}"]}`;
    expect(writeJson(parseJson(text))).toBe(text);
    expect(writeJson({ id: BigInt(ID) }, 2)).toBe(`{\n  "id": ${ID}\n}`);
    expect(writeJson(undefined)).toBeUndefined();
  });

  it('reads and writes everything else as the language does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect([writeJson(value), writeJson(parseJson(text))]).toEqual([text, text]);
      }),
    );
  });
});

describe('an answer', () => {
  it.each<Record<string, string>>([{ 'content-length': '35' }, {}])(
    'keeps every digit: headers %j',
    async (headers) => {
      const text = `{"args":{"id":${ID}}}`;
      const answer = withExactJson(new Response(text, { headers }));
      // by this openapi-fetch decides to ask for `json()`
      expect(answer.headers.get('content-length')).not.toBeNull();
      expect(await answer.json()).toEqual({ args: { id: BigInt(ID) } });
    },
  );

  it('without a text has no value', async () => {
    expect(await withExactJson(new Response('')).json()).toBeUndefined();
  });
});
