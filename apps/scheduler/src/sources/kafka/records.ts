/** Reads what a broker has stored: batches of records (magic 2), of which some are compressed. */
import { decompressed } from './decompress.js';
import { WireFault, WireReader } from './wire.js';

export interface KafkaRecord {
  readonly offset: bigint;
  readonly timestamp: number;
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly (readonly [name: string, value: Buffer | null])[];
}

/** How far the bytes were read, and the record there; null: a stretch without records for readers. */
export interface ReadRecord {
  readonly next: bigint;
  readonly record: KafkaRecord | null;
}

const MAGIC = 2;
const CODEC = 0x07;
const LOG_APPEND_TIME = 0x08;
const TRANSACTIONAL = 0x10;
const CONTROL = 0x20;
/** Before the records of a batch. */
const HEADER_BYTES = 12;
/** The key of a control record: version, and whether the transaction was aborted (0) or committed. */
const ABORT = 0;

/**
 * Reads one record after the other, and no further than somebody asks. A batch that has not arrived whole ends the bytes: the broker
 * sends it again from there.
 *
 * @param from records before it are left out: a batch has them with those after it
 * @param aborted transactions whose records nobody reads
 * @throws WireFault
 */
export function* readRecords(
  bytes: Buffer,
  from: bigint,
  aborted: readonly { readonly producer: bigint; readonly from: bigint }[],
): Generator<ReadRecord> {
  const toCome = [...aborted].sort((a, b) => (a.from < b.from ? -1 : 1));
  const dead = new Set<bigint>();
  const outer = new WireReader(bytes);
  while (outer.left >= HEADER_BYTES) {
    const base = outer.int64();
    const length = outer.int32();
    if (length > outer.left) return;
    const batch = new WireReader(outer.take(length));
    batch.int32();
    const magic = batch.int8();
    if (magic !== MAGIC) throw new WireFault(`records of the format ${magic}, which Kafka has not written since 0.11`);
    batch.int32();
    const attributes = batch.int16();
    const last = base + BigInt(batch.int32());
    const first = { timestamp: batch.int64(), max: batch.int64() };
    const producer = batch.int64();
    batch.int16();
    batch.int32();
    const count = batch.int32();
    while (toCome[0] && toCome[0].from <= last) dead.add((toCome.shift() as { readonly producer: bigint }).producer);
    const isControl = (attributes & CONTROL) > 0;
    const isDead = (attributes & TRANSACTIONAL) > 0 && dead.has(producer);
    const next = last + 1n;
    if (next <= from) continue;
    if (isControl) {
      if (endsAborted(batch)) dead.delete(producer);
    } else if (!isDead) {
      const content = decompressed(attributes & CODEC, batch.take(batch.left));
      const isStamped = (attributes & LOG_APPEND_TIME) > 0;
      yield* recordsIn(content, count, {
        base,
        from,
        timestamp: first.timestamp,
        stamped: isStamped ? first.max : null,
      });
    }
    // also past records that compaction has removed
    yield { next, record: null };
  }
}

function* recordsIn(
  content: Buffer,
  count: number,
  { base, from, timestamp, stamped }: { base: bigint; from: bigint; timestamp: bigint; stamped: bigint | null },
): Generator<ReadRecord> {
  const reader = new WireReader(content);
  for (let i = 0; i < count; i += 1) {
    const record = new WireReader(reader.recordBytes() ?? Buffer.alloc(0));
    record.int8();
    const at = timestamp + record.varint();
    const offset = base + record.varint();
    const [key, value] = [record.recordBytes(), record.recordBytes()];
    const headers: (readonly [string, Buffer | null])[] = [];
    const many = Number(record.varint());
    if (many > record.left) throw new WireFault(`a record of ${many} headers has only ${record.left} bytes`);
    for (let header = 0; header < many; header += 1) {
      headers.push([(record.recordBytes() ?? Buffer.alloc(0)).toString(), record.recordBytes()]);
    }
    if (offset < from) continue;
    yield { next: offset + 1n, record: { offset, timestamp: Number(stamped ?? at), key, value, headers } };
  }
}

function endsAborted(batch: WireReader): boolean {
  const record = new WireReader(batch.recordBytes() ?? Buffer.alloc(0));
  record.int8();
  record.varint();
  record.varint();
  const key = record.recordBytes();
  return key !== null && key.length >= 4 && key.readInt16BE(2) === ABORT;
}
