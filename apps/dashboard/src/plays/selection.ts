/** Rows that somebody chose: some, or all that match, also those that are not read yet. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly isAll: boolean;
}

export const NOTHING: Selection = { ids: new Set(), isAll: false };

export function someOf(ids: Iterable<string>): Selection {
  return { ids: new Set(ids), isAll: false };
}

export const ALL: Selection = { ids: new Set(), isAll: true };
