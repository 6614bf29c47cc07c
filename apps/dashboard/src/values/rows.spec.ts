import { describe, expect, it } from 'vitest';
import { columnsOf, rowsIn } from './rows';

const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id, name: 'n' }));

describe('the rows of a value', () => {
  it('are its longest list of objects', () => {
    expect(rowsIn({ json: { items: rows(3), errors: rows(2) }, rows: [1, 2, 3, 4] })).toMatchObject({
      path: ['json', 'items'],
      rows: [{ id: 0 }, { id: 1 }, { id: 2 }],
    });
    expect(rowsIn(rows(2))?.path).toEqual([]);
  });

  it.each([[null], ['text'], [[1, 2]], [rows(1)], [{ a: [[1], [2]] }], [[rows(2), rows(2)]]])(
    'are not there in %j',
    (value) => {
      expect(rowsIn(value)).toBeNull();
    },
  );

  it('are looked for in bounded time', () => {
    const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`f${i}`, {}]));
    expect(rowsIn({ ...wide, last: rows(9) })).toBeNull();
  });

  it('have the fields of the first ones as columns, the common ones first', () => {
    expect(columnsOf([{ b: 1 }, { a: 1, b: 2 }, { b: 3, c: 1 }])).toEqual(['b', 'a', 'c']);
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`c${i}`, i]));
    expect(columnsOf([many, many])).toHaveLength(12);
  });
});
