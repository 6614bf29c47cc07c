const MAX_CHARS = 128;

/** An `operationId` as a name; null where nothing of it is left. */
export function nameOfId(operationId: string | undefined): string | null {
  return operationId === undefined ? null : cleaned(operationId);
}

/** `get_orders_id_lines` for `GET /orders/{id}/lines`; the part after a `#` in the path stays in the name. */
export function nameOfPlace(method: string, path: string): string {
  return cleaned(`${method}_${path.replace(/^\//, '')}`) ?? method;
}

/** Cleans a text to `[A-Za-z0-9][A-Za-z0-9_.-]{0,127}`. */
function cleaned(text: string): string | null {
  const name = text
    .replace(/[^A-Za-z0-9_.-]+/g, '_')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, MAX_CHARS)
    .replace(/_+$/, '');
  return name === '' ? null : name;
}

interface Named {
  readonly id: string | null;
  readonly place: string;
}

/**
 * A name for each operation: its id where it is the only one with that id, else its method and path, else with a number. The order of
 * the others does not change the first two.
 */
export function uniqueNames(operations: readonly Named[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { id } of operations) if (id !== null) counts.set(id, (counts.get(id) ?? 0) + 1);
  const taken = new Set([...counts].filter(([, count]) => count === 1).map(([id]) => id));
  return operations.map(({ id, place }) => {
    if (id !== null && counts.get(id) === 1) return id;
    let name = place;
    for (let i = 2; taken.has(name); i += 1) name = `${place.slice(0, MAX_CHARS - 5)}_${i}`;
    taken.add(name);
    return name;
  });
}
