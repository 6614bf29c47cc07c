export interface PlaySearch {
  /** The frame of the journal that is shown; now without it. */
  readonly seq?: number;
  /** The layer that is looked at. */
  readonly ref?: string;
}

export function readPlaySearch(search: Record<string, unknown>): PlaySearch {
  const seq = Number(search.seq);
  return {
    ...(Number.isSafeInteger(seq) && seq > 0 && { seq }),
    ...(typeof search.ref === 'string' && search.ref !== '' && { ref: search.ref }),
  };
}
