import { Button } from '@mantine/core';
import { useState } from 'react';
import { Table } from '../ui/table';
import { columnsOf, type Rows } from './rows';
import { isBranch, previewOf } from './tree-model';
import classes from './value-view.module.css';

const PORTION = 100;

/** A list of objects by its first rows; more on demand. */
export function RowsTable({ rows: { rows, path }, label }: { readonly rows: Rows; readonly label: string }) {
  const [shown, setShown] = useState(PORTION);
  const columns = columnsOf(rows);
  const first = rows.slice(0, shown);
  const name = path.length === 0 ? label : `${path.join('.')} of ${label}`;
  return (
    <div className={classes.view}>
      <Table
        caption={name}
        hideCaption
        columns={['#', ...columns]}
        rows={first.map((row, i) => ({
          key: String(i),
          cells: [
            <span key="#" className="soft num">
              {i}
            </span>,
            ...columns.map((column) => <Cell key={column} value={isBranch(row) ? row[column] : undefined} />),
          ],
        }))}
      />
      <div className={classes.line}>
        <span className="soft num">
          {first.length.toLocaleString()} of {rows.length.toLocaleString()} rows
        </span>
        {shown < rows.length && (
          <Button size="compact-sm" variant="default" onClick={() => setShown(shown + PORTION)}>
            Show {Math.min(PORTION, rows.length - shown)} more
          </Button>
        )}
      </div>
    </div>
  );
}

const MAX_CELL = 120;

function Cell({ value }: { readonly value: unknown }) {
  if (value === undefined) return null;
  const size = Array.isArray(value) ? value.length : isBranch(value) ? Object.keys(value).length : null;
  const text = typeof value === 'string' ? value.slice(0, MAX_CELL + 1) : previewOf(value, size);
  return <span dir="auto">{text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text}</span>;
}
