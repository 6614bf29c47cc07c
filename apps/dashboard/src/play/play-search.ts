export interface PlaySearch {
  /** The frame of the journal that is shown; now without it. */
  readonly seq?: number;
  /** The layer that is looked at. */
  readonly ref?: string;
  /** Of a loop: the item, page or round whose input is looked at. */
  readonly item?: number;
}

export function readPlaySearch(search: Record<string, unknown>): PlaySearch {
  const seq = Number(search.seq);
  const item = search.item === undefined ? NaN : Number(search.item);
  return {
    ...(Number.isSafeInteger(seq) && seq > 0 && { seq }),
    ...(typeof search.ref === 'string' && search.ref !== '' && { ref: search.ref }),
    ...(Number.isSafeInteger(item) && item >= 0 && { item }),
  };
}
