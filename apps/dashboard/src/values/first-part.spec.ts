import { describe, expect, it } from 'vitest';
import { firstPart } from './first-part';

const WHOLE = { rows: [{ id: 1, note: 'a, "b" ]}\\' }, { id: 2, note: '' }, 'x'], count: 3, more: { deep: [[1, 2]] } };

describe('the beginning of a JSON text', () => {
  it('can be read wherever it is cut, and says nothing that the whole does not say', () => {
    const text = JSON.stringify(WHOLE);
    for (let length = 1; length <= text.length; length += 1) {
      const part = firstPart(text.slice(0, length));
      expect(WHOLE).toMatchObject(withoutLast(part) as object);
    }
    expect(firstPart(text)).toEqual(WHOLE);
    const at = text.indexOf('2]]');
    expect(firstPart(text.slice(0, at))).toEqual({ rows: WHOLE.rows, count: 3, more: { deep: [[1]] } });
  });

  it('has the text of a field as far as it goes, without half an escape', () => {
    const whole = { status: 200, body: '{"rows":["ä\u0001\\"]}' };
    const text = JSON.stringify(whole);
    for (let cut = text.indexOf('"{') + 1; cut < text.length; cut += 1) {
      const { status, body } = firstPart(text.slice(0, cut)) as Partial<typeof whole>;
      expect(status).toBe(200);
      expect(whole.body.startsWith(body ?? 'nothing')).toBe(true);
    }
    expect(firstPart('{"a":1,"body":"one, \\"two')).toEqual({ a: 1, body: 'one, "two' });
    expect(firstPart('{"body":"a\\u00')).toEqual({ body: 'a' });
    expect(firstPart('{"a":1,"bo')).toEqual({ a: 1 });
  });

  it('is read in one go, however deep it is', () => {
    const depth = 200_000;
    let at = firstPart('['.repeat(depth));
    let levels = 0;
    for (; Array.isArray(at); at = at[0] as unknown) levels += 1;
    expect(levels).toBe(depth);
  });

  it('is a text where the whole is one', () => {
    expect(firstPart('"long, [long')).toBe('long, [long');
  });
});

/** Lists that were cut are shorter, which a comparison of lists refuses. */
function withoutLast(value: unknown): unknown {
  if (Array.isArray(value)) return expect.anything();
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutLast(each)]));
}
