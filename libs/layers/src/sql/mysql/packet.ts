/** Reads what is in a packet of MySQL: nothing beyond its end, whatever lengths it says. */
const NULL_TEXT = 0xfb;

export class Packet {
  private at = 0;

  /** @param bytes its payload */
  constructor(private readonly bytes: Buffer) {}

  get length(): number {
    return this.bytes.byteLength;
  }

  /** Its first byte says what it is. */
  get kind(): number {
    return this.bytes.readUInt8(0);
  }

  get isAtEnd(): boolean {
    return this.at === this.bytes.byteLength;
  }

  /** @throws RangeError as everything here, where the packet has less */
  skip(count: number): this {
    this.next(count);
    return this;
  }

  unsigned(count: 1 | 2 | 3 | 4): number {
    return this.bytes.readUIntLE(this.next(count), count);
  }

  signed(count: 1 | 2 | 4): number {
    return this.bytes.readIntLE(this.next(count), count);
  }

  unsigned8(): bigint {
    return this.bytes.readBigUInt64LE(this.next(8));
  }

  signed8(): bigint {
    return this.bytes.readBigInt64LE(this.next(8));
  }

  float(): number {
    return this.bytes.readFloatLE(this.next(4));
  }

  double(): number {
    return this.bytes.readDoubleLE(this.next(8));
  }

  /** An integer that says its own length. */
  counted(): bigint {
    const first = this.unsigned(1);
    if (first < NULL_TEXT) return BigInt(first);
    if (first === 0xfc) return BigInt(this.unsigned(2));
    if (first === 0xfd) return BigInt(this.unsigned(3));
    if (first === 0xfe) return this.unsigned8();
    throw new RangeError('not the length of anything');
  }

  /** Bytes after their length; they stay a part of the packet. */
  sized(): Buffer {
    return this.take(Number(this.counted()));
  }

  take(count: number): Buffer {
    const from = this.next(count);
    return this.bytes.subarray(from, from + count);
  }

  rest(): Buffer {
    return this.take(this.bytes.byteLength - this.at);
  }

  private next(count: number): number {
    const from = this.at;
    if (from + count > this.bytes.byteLength) throw new RangeError('a packet is shorter than what it has');
    this.at = from + count;
    return from;
  }
}

/** An integer that says its own length, as it is sent. */
export function counted(count: number): Buffer {
  const bytes = Buffer.alloc(9);
  if (count < NULL_TEXT) return bytes.subarray(0, bytes.writeUInt8(count));
  if (count <= 0xff_ff) {
    bytes.writeUInt8(0xfc);
    return bytes.subarray(0, bytes.writeUInt16LE(count, 1));
  }
  if (count <= 0xff_ff_ff) {
    bytes.writeUInt8(0xfd);
    return bytes.subarray(0, bytes.writeUIntLE(count, 1, 3));
  }
  bytes.writeUInt8(0xfe);
  return bytes.subarray(0, bytes.writeBigUInt64LE(BigInt(count), 1));
}
