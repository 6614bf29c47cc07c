import type { ReactNode } from 'react';
import classes from './table.module.css';

interface Row {
  readonly key: string;
  readonly cells: readonly ReactNode[];
  /** Where j and k are. */
  readonly isCursor?: boolean;
}

interface TableProps {
  /** What it shows; a heading of the table. */
  readonly caption: string;
  readonly columns: readonly ReactNode[];
  readonly rows: readonly Row[];
  /** Shown when there are no rows. */
  readonly empty?: ReactNode;
  readonly hideCaption?: boolean;
  /** What is above it keeps the distance. */
  readonly isFlush?: boolean;
  /** All columns are equally wide, whatever is in them. */
  readonly isEven?: boolean;
  /** Numbers of columns that narrow screens leave out. */
  readonly wide?: readonly number[];
}

/** A short table: long lists are virtual (`plays/`). On a narrow screen it scrolls by itself, not the page. */
export function Table(props: TableProps) {
  const { caption, columns, rows, empty, hideCaption = false, isFlush = false, isEven = false, wide = [] } = props;
  const columnOf = (i: number) => ({ className: wide.includes(i) ? classes.wide : undefined });
  return (
    <div
      className={classes.scroll}
      tabIndex={0}
      role="region"
      aria-label={caption}
      {...(isFlush && { 'data-flush': true })}
    >
      <table className={classes.table} {...(isEven && { 'data-even': true })}>
        <caption className={hideCaption ? 'sr-only' : classes.caption}>{caption}</caption>
        <thead>
          <tr>
            {columns.map((column, i) => (
              <th key={i} scope="col" {...columnOf(i)}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells, isCursor }) => (
            <tr key={key} {...(isCursor && { 'data-cursor': true })}>
              {cells.map((cell, i) => (
                <td key={i} {...columnOf(i)}>
                  {cell}
                </td>
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
