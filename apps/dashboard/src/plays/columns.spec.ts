import { expect, it } from 'vitest';
import { COLUMNS, shownColumns, withColumn, type ColumnId } from './columns';
import { parseSearch, stringifySearch } from '../search-params';
import { readPlaysPageSearch, type PlaysPageSearch } from './plays-search';

const ids = (search: PlaysPageSearch) => shownColumns(search).map(({ id }) => id);
const reopened = (search: PlaysPageSearch) => readPlaysPageSearch(parseSearch(stringifySearch({ ...search })));

it('columns are added and taken away in the address, which says nothing of those that one sees first', () => {
  const first = ids({});
  const more = withColumn({ flowId: 'f' }, 'person');
  expect(ids(reopened(more))).toEqual(['labels', 'id', 'trigger', 'person', 'accepted', 'took', 'error']);
  expect(reopened(more).flowId).toBe('f');
  expect(withColumn(more, 'person')).toEqual({ flowId: 'f' });
  expect(first).not.toContain('person');
});

it('all columns may go', () => {
  const none = ids({}).reduce((search: PlaysPageSearch, id: ColumnId) => withColumn(search, id), {});
  expect(ids(reopened(none))).toEqual([]);
  expect(ids(reopened(withColumn(none, 'error')))).toEqual(['error']);
});

it('what is no column is left out', () => {
  expect(ids({ cols: ['error', 'nothing', 'labels'] })).toEqual(['labels', 'error']);
  expect(new Set(COLUMNS.map(({ id }) => id)).size).toBe(COLUMNS.length);
});
