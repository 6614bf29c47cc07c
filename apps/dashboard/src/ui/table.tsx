import type { ReactNode } from 'react';
import classes from './table.module.css';

interface Row {
  readonly key: string;
  readonly cells: readonly ReactNode[];
}

interface TableProps {
  /** What it shows; a heading of the table. */
  readonly caption: string;
  readonly columns: readonly ReactNode[];
  readonly rows: readonly Row[];
  /** Shown when there are no rows. */
  readonly empty?: ReactNode;
  readonly hideCaption?: boolean;
}

/** A short table: long lists are virtual (`plays/`). On a narrow screen it scrolls by itself, not the page. */
export function Table({ caption, columns, rows, empty, hideCaption = false }: TableProps) {
  return (
    <div className={classes.scroll} tabIndex={0} role="region" aria-label={caption}>
      <table className={classes.table}>
        <caption className={hideCaption ? 'sr-only' : classes.caption}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, i) => (
              <th key={i} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, i) => (
                <td key={i}>{cell}</td>
              ))}
            </tr>
          ))}
          {rows.length === 0 && empty !== undefined && (
            <tr>
              <td colSpan={columns.length} className={classes.empty}>
                {empty}
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}
