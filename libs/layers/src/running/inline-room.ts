import { bsonBytes } from '@weft/kernel';

/** Inline outputs of one play together, in the bytes that they take there; past it even small ones go to the payload store. */
const INLINE_TOTAL_BYTES = 1024 * 1024;

/** What is left for outputs in the document of one play; layers that run beside each other share it. */
export class InlineRoom {
  private left = INLINE_TOTAL_BYTES;

  /** Takes the room that the output needs, or none of it. */
  take(out: unknown): boolean {
    const bytes = bsonBytes(out);
    if (bytes > this.left) return false;
    this.left -= bytes;
    return true;
  }

  /** An output that is in the document. */
  hold(out: unknown): void {
    this.left -= bsonBytes(out);
  }

  /** An output that is not to be stored after all. */
  giveBack(out: unknown): void {
    this.left += bsonBytes(out);
  }
}
