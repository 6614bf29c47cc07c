import { SegmentedControl } from '@mantine/core';
import { lazy, Suspense, useMemo, useState, type ComponentProps } from 'react';
import { rowsIn } from './rows';
import { ValueTree } from './value-tree';
import classes from './value-view.module.css';

const RowsTable = lazy(async () => ({ default: (await import('./rows-table')).RowsTable }));

/** A value as a tree; a list of objects in it also as a table. */
export function ValueView(props: ComponentProps<typeof ValueTree>) {
  const { value, label } = props;
  const rows = useMemo(() => rowsIn(value), [value]);
  const [isTable, setTable] = useState(false);
  if (!rows) return <ValueTree {...props} />;
  return (
    <div className={classes.view}>
      <SegmentedControl
        aria-label={`How to show: ${label}`}
        size="xs"
        style={{ alignSelf: 'flex-start' }}
        data={[
          { value: 'tree', label: 'Tree' },
          { value: 'table', label: `Table of ${rows.path.at(-1) ?? 'rows'}` },
        ]}
        value={isTable ? 'table' : 'tree'}
        onChange={(next) => setTable(next === 'table')}
      />
      {isTable ? (
        <Suspense>
          <RowsTable rows={rows} label={label} />
        </Suspense>
      ) : (
        <ValueTree {...props} />
      )}
    </div>
  );
}
