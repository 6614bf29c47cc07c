import { useState } from 'react';
import type { Schema } from '../editor/schema-reading';
import { Icon } from '../ui/icon';
import { placesIn, type Place } from './schema-words';
import classes from './apis.module.css';

interface SchemaOutlineProps {
  readonly title: string;
  readonly schema: Schema;
  /** What is said of a name that is in each value. */
  readonly always: string;
}

/** The groups of a schema and what is in them; what is below is a click away, as a schema may contain itself. */
export function SchemaOutline({ title, schema, always }: SchemaOutlineProps) {
  const places = placesIn(schema, schema.$defs);
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      {places.length === 0 ? (
        <p className="soft">Nothing.</p>
      ) : (
        <Places places={places} defs={schema.$defs} always={always} isOpen />
      )}
    </section>
  );
}

interface PlacesProps {
  readonly places: readonly Place[];
  readonly defs: unknown;
  readonly always: string;
  /** What is in them is shown from the start. */
  readonly isOpen?: boolean;
}

function Places({ places, defs, always, isOpen = false }: PlacesProps) {
  return (
    <ul className={classes.outline}>
      {places.map((each) => (
        <OnePlace key={each.name} place={each} defs={defs} always={always} opens={isOpen} />
      ))}
    </ul>
  );
}

interface OnePlaceProps {
  readonly place: Place;
  readonly defs: unknown;
  readonly always: string;
  readonly opens: boolean;
}

function OnePlace({ place: { name, schema, type, description, isRequired }, defs, always, opens }: OnePlaceProps) {
  const [isOpen, setOpen] = useState(opens);
  const below = placesIn(schema, defs);
  const words = (
    <>
      <code>{name}</code> <span className="soft">{type}</span>
      {isRequired && <strong className={classes.required}>{always}</strong>}
    </>
  );
  return (
    <li>
      {below.length === 0 ? (
        <div className={classes.place}>{words}</div>
      ) : (
        <button type="button" className={classes.place} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name={isOpen ? 'down' : 'chevron'} size={12} />
          {words}
        </button>
      )}
      {description !== '' && <p className={classes.note}>{description}</p>}
      {isOpen && below.length > 0 && <Places places={below} defs={defs} always={always} />}
    </li>
  );
}
