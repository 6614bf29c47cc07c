/** What is decompressed: it grows as far as it may. */
export class BoundedOutput {
  private bytes: Buffer;
  private written = 0;

  constructor(private readonly most: number) {
    this.bytes = Buffer.allocUnsafe(Math.min(64 * 1024, most));
  }

  get length(): number {
    return this.written;
  }

  literal(piece: Buffer): void {
    this.makeRoom(piece.length);
    piece.copy(this.bytes, this.written);
    this.written += piece.length;
  }

  /** What was written `offset` bytes ago, also where it is written only meanwhile. */
  repeat(offset: number, count: number): void {
    if (offset === 0 || offset > this.written) throw new RangeError('a match before the beginning');
    this.makeRoom(count);
    for (let left = count; left > 0;) {
      const piece = Math.min(left, offset);
      const from = this.written - offset;
      this.bytes.copy(this.bytes, this.written, from, from + piece);
      this.written += piece;
      left -= piece;
    }
  }

  done(): Buffer {
    return this.bytes.subarray(0, this.written);
  }

  private makeRoom(more: number): void {
    const needed = this.written + more;
    if (needed > this.most) throw new RangeError(`more than ${this.most} bytes`);
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.min(this.most, Math.max(needed, this.bytes.length * 2)));
    this.bytes.copy(larger, 0, 0, this.written);
    this.bytes = larger;
  }
}
