import { describe, expect, it } from 'vitest';
import { Bytes } from '../bytes.js';
import { nameOfType, readerOf, writeValue } from './values.js';

describe('values of PostgreSQL', () => {
  it.each([
    [20, '9223372036854775807', '9223372036854775807'],
    [1700, '1.10', '1.10'],
    [1700, 'NaN', 'NaN'],
    [701, '0.1', 0.1],
    [701, 'NaN', 'NaN'],
    [701, '-Infinity', '-Infinity'],
    [16, 't', true],
    [16, 'f', false],
    [3802, '{"a": [1, null]}', { a: [1, null] }],
    [3802, 'not json', 'not json'],
    [1184, '2026-11-28 22:32:45.476192+00', '2026-11-28T22:32:45.476192+00:00'],
    [1184, '2026-11-28 22:32:45+05:30', '2026-11-28T22:32:45+05:30'],
    [1184, 'infinity', 'infinity'],
    [1184, '0044-03-15 12:00:00+00 BC', '0044-03-15 12:00:00+00 BC'],
    [1114, '2026-11-28 22:32:45', '2026-11-28T22:32:45'],
    [1082, '2026-11-28', '2026-11-28'],
    [17, String.raw`\x00ff`, new Bytes(Buffer.from([0, 255]))],
    [1007, '{1,NULL,3}', [1, null, 3]],
    [1007, '{}', []],
    [
      1007,
      '{{1,2},{3,4}}',
      [
        [1, 2],
        [3, 4],
      ],
    ],
    [1007, '[0:1]={1,2}', [1, 2]],
    [1009, String.raw`{"a,b","c\"d","e\\f",NULL,"NULL",g}`, ['a,b', 'c"d', String.raw`e\f`, null, 'NULL', 'g']],
    [1009, '{a', '{a'],
    [1009, '{a}b', '{a}b'],
    [1009, '{{{{{{{{{{a}}}}}}}}}}', '{{{{{{{{{{a}}}}}}}}}}'],
    [3807, String.raw`{"{\"a\": 1}"}`, [{ a: 1 }]],
    [123_456, 'mood', 'mood'],
  ])('of the type %s: %s', (oid, text, value) => expect(readerOf(oid)(text)).toEqual(value));

  it('are named by their types', () => {
    expect([20, 1016, 123_456].map(nameOfType)).toEqual(['bigint', 'bigint[]', 'oid 123456']);
  });

  it.each([
    ['\\"', 16e6],
    ['x', 2e6],
    ['\\\\', 2e6],
  ])('of lists may be as long as a row may be (%s)', (sign, bytes) => {
    const count = bytes / sign.length;
    expect(readerOf(1009)(`{"${sign.repeat(count)}"}`)).toEqual([sign.at(-1)?.repeat(count)]);
  });

  it('keep every digit of large integers in JSON', () => {
    expect(readerOf(3802)('{"a": 7615917337495251231}')).toEqual({ a: 7615917337495251231n });
  });
});

describe('values of parameters', () => {
  it.each([
    [null, undefined, null],
    [true, 16, 'true'],
    [1.5, 701, '1.5'],
    ['x', 25, 'x'],
    [[1, null, 'a"b'], 1009, String.raw`{"1",NULL,"a\"b"}`],
    [
      [
        [1, 2],
        [3, 4],
      ],
      1007,
      '{{"1","2"},{"3","4"}}',
    ],
    [[1, 'a'], 3802, '[1,"a"]'],
    ['"a"', 3802, '"a"'],
    [7, 3802, '7'],
    [{ a: 1 }, 3802, '{"a":1}'],
    [7615917337495251231n, 20, '7615917337495251231'],
    [[{ a: '"' }], 3807, String.raw`{"{\"a\":\"\\\"\"}"}`],
  ])('%s for the type %s', (value, oid, text) => expect(writeValue(value, oid, 'params.a')).toBe(text));

  it('have no character that PostgreSQL cannot store', () => {
    expect(() => writeValue('a\0b', 25, 'params.a')).toThrow(/params\.a has a character/);
  });
});
