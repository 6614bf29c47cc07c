import { describe, expect, it } from 'vitest';
import { jsonFault, MAX_JSON_NESTING } from './json-fault.js';

const nested = (levels: number): unknown => (levels === 0 ? 1 : { in: [nested(levels - 1)] });

describe('jsonFault', () => {
  it.each([
    ['a key with a NUL', { a: [{ 'b\0': 1 }] }, 'args.a.b\0'],
    ["the driver's own key", { a: { _bsontype: 'X' } }, 'args.a._bsontype'],
    ['a key that poisons', JSON.parse('{"a":{"__proto__":{}}}'), 'args.a.__proto__'],
    ['a constructor with a prototype', { constructor: { prototype: {} } }, 'args.constructor'],
  ])('names %s', (_what, value, path) => {
    expect(jsonFault(value, 'args')).toMatchObject({ path, code: 'forbidden_key' });
  });

  it('names what is nested too deep', () => {
    expect(jsonFault(nested(MAX_JSON_NESTING / 2), 'args')).toBeNull();
    expect(jsonFault(nested(MAX_JSON_NESTING / 2 + 1), 'args')).toMatchObject({ code: 'too_deep' });
  });

  it.each([[{ constructor: 'Bauer & Co', $set: { 'a.b': 1 } }], ['text\0'], [null], [[[]]]])('takes %j', (value) => {
    expect(jsonFault(value, 'args')).toBeNull();
  });
});
