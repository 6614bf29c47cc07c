import { changeText } from './change-text';
import classes from '../admin.module.css';

interface ChangesProps {
  readonly changes: Readonly<Record<string, unknown>>;
  readonly entriesDeleted: number | null;
}

const SHOWN = 4;

/** Field by field: what it was, and what it is. */
export function Changes({ changes, entriesDeleted }: ChangesProps) {
  const fields = Object.entries(changes);
  return (
    <ul className={classes.changes}>
      {entriesDeleted !== null && <li>{entriesDeleted.toLocaleString()} entries deleted</li>}
      {fields.slice(0, SHOWN).map(([field, change]) => (
        <li key={field}>
          <span className="soft">{field}</span> {changeText(change)}
        </li>
      ))}
      {fields.length > SHOWN && <li className="soft">and {fields.length - SHOWN} more</li>}
    </ul>
  );
}
