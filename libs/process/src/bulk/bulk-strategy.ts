import type { BulkDocument, BulkTally } from '@weft/records';

/**
 * What one kind of bulk operation does to its items. The runner decides when, and counts. An item is named by a text; the
 * target of the operation says which items there are, in an order that does not change.
 */
export interface BulkStrategy {
  /** `BulkDocument.kind`. */
  readonly kind: string;
  /** How many items one batch has at most. */
  batchOf(bulk: BulkDocument): number;
  /** The items after this one, at most `limit`, in order. None: the operation is done. Null: from the first one on. */
  next(bulk: BulkDocument, after: string | null, limit: number): Promise<readonly string[]>;
  /**
   * Changes these items. After a crash it is called again with the same items, perhaps while the process that was believed
   * dead still works on them: it changes each item once at most, and counts what it changed before as changed.
   *
   * @throws BulkPause, BulkEnd; any other error: the batch is done again
   */
  apply(bulk: BulkDocument, items: readonly string[]): Promise<BulkTally>;
}

/** The batch cannot be done now, through no fault of its own. */
export class BulkPause extends Error {
  constructor(readonly pauseMs: number) {
    super(`the bulk operation pauses for ${pauseMs} ms`);
  }
}

/** The operation may not go on: who asked for it has lost the right. */
export class BulkEnd extends Error {}
