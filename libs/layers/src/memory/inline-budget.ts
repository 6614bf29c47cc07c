import { bsonBytes } from '@weft/kernel';

/**
 * Limit of the inline outputs of one play together, in BSON bytes; past it even small outputs go to the payload store.
 */
const INLINE_TOTAL_BYTES = 1024 * 1024;

/** The remaining space for outputs in the document of one play; layers that run in parallel share it. */
export class InlineBudget {
  private left = INLINE_TOTAL_BYTES;

  /** Takes the space that the output needs; false when it does not fit. */
  take(out: unknown): boolean {
    const bytes = bsonBytes(out);
    if (bytes > this.left) return false;
    this.left -= bytes;
    return true;
  }

  /** Counts an output that is in the document. */
  count(out: unknown): void {
    this.left -= bsonBytes(out);
  }

  /** Returns the space of an output that will not be stored. */
  release(out: unknown): void {
    this.left += bsonBytes(out);
  }
}
