/** Numbers and texts as Kafka's protocol has them. A reader never reads beyond its bytes, whatever a broker says. */

/** What a broker sent cannot be read. */
export class WireFault extends Error {}

export class WireReader {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  get left(): number {
    return this.bytes.length - this.at;
  }

  int8(): number {
    return this.bytes.readInt8(this.forward(1));
  }

  int16(): number {
    return this.bytes.readInt16BE(this.forward(2));
  }

  int32(): number {
    return this.bytes.readInt32BE(this.forward(4));
  }

  int64(): bigint {
    return this.bytes.readBigInt64BE(this.forward(8));
  }

  /** Seven bits a byte, the lowest first. */
  uvarint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.bytes.readUInt8(this.forward(1));
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new WireFault('a number has too many bytes');
  }

  /** Signed, in zigzag. */
  varint(): bigint {
    const value = this.uvarint();
    return (value >> 1n) ^ -(value & 1n);
  }

  take(length: number): Buffer {
    const from = this.forward(length);
    return this.bytes.subarray(from, from + length);
  }

  /** Null: none. */
  text(): string | null {
    const length = this.int16();
    return length < 0 ? null : this.take(length).toString();
  }

  /** The same in newer requests. */
  compactText(): string | null {
    const length = Number(this.uvarint()) - 1;
    return length < 0 ? null : this.take(length).toString();
  }

  /** Null: none. */
  bytesField(): Buffer | null {
    const length = this.int32();
    return length < 0 ? null : this.take(length);
  }

  /** With the length as a varint, as records have it. */
  recordBytes(): Buffer | null {
    const length = Number(this.varint());
    return length < 0 ? null : this.take(length);
  }

  list<T>(each: () => T): T[] {
    return this.times(this.int32(), each);
  }

  compactList<T>(each: () => T): T[] {
    return this.times(Number(this.uvarint()) - 1, each);
  }

  /** Fields that newer brokers add. */
  skipTags(): void {
    for (let left = Number(this.uvarint()); left > 0; left -= 1) {
      this.uvarint();
      this.take(Number(this.uvarint()));
    }
  }

  private times<T>(count: number, each: () => T): T[] {
    // each element has a byte at least
    if (count > this.left) throw new WireFault(`a list of ${count} elements has only ${this.left} bytes`);
    return Array.from({ length: Math.max(0, count) }, each);
  }

  private forward(length: number): number {
    if (!(length >= 0 && length <= this.left)) throw new WireFault(`${length} bytes are missing at ${this.at}`);
    const from = this.at;
    this.at += length;
    return from;
  }
}

export class WireWriter {
  private readonly parts: Buffer[] = [];

  int8(value: number): this {
    return this.push(1, (bytes) => bytes.writeInt8(value));
  }

  int16(value: number): this {
    return this.push(2, (bytes) => bytes.writeInt16BE(value));
  }

  int32(value: number): this {
    return this.push(4, (bytes) => bytes.writeInt32BE(value));
  }

  int64(value: bigint): this {
    return this.push(8, (bytes) => bytes.writeBigInt64BE(value));
  }

  /** Up to 127, which is all that is sent. */
  uvarint(value: number): this {
    return this.push(1, (bytes) => bytes.writeUInt8(value));
  }

  text(value: string): this {
    const bytes = Buffer.from(value);
    return this.int16(bytes.length).raw(bytes);
  }

  bytesField(value: Buffer): this {
    return this.int32(value.length).raw(value);
  }

  list<T>(values: readonly T[], each: (value: T) => void): this {
    this.int32(values.length);
    for (const value of values) each(value);
    return this;
  }

  raw(bytes: Buffer): this {
    this.parts.push(bytes);
    return this;
  }

  done(): Buffer {
    return Buffer.concat(this.parts);
  }

  private push(length: number, write: (bytes: Buffer) => void): this {
    const bytes = Buffer.alloc(length);
    write(bytes);
    return this.raw(bytes);
  }
}
