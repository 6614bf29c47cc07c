/** Frames of LZ4 (its Frame Format and Block Format descriptions), as Kafka writes them. Checksums are not compared: TCP and disks have theirs. */
import { BoundedOutput } from './bounded-output.js';

const MAGIC = 0x184d2204;
const VERSION = 1;
const LEAST_MATCH = 4;
const MORE = 255;
const IS_PLAIN = 0x80000000;

/** @throws RangeError, TypeError when it is not such a frame, or more bytes than `most` */
export function unLz4(bytes: Buffer, most: number): Buffer {
  if (bytes.readUInt32LE(0) !== MAGIC) throw new TypeError('no frame of LZ4');
  const flags = bytes.readUInt8(4);
  if (flags >> 6 !== VERSION) throw new TypeError('another version of LZ4');
  const [hasBlockSums, hasSize, hasDictionary] = [flags & 0x10, flags & 0x08, flags & 0x01];
  let at = 6 + (hasSize ? 8 : 0) + (hasDictionary ? 4 : 0) + 1;
  const out = new BoundedOutput(most);
  for (;;) {
    const head = bytes.readUInt32LE(at);
    if (head === 0) return out.done();
    const length = (head & ~IS_PLAIN) >>> 0;
    const block = bytes.subarray(at + 4, at + 4 + length);
    if (block.length < length) throw new RangeError('a block is cut off');
    if (head >= IS_PLAIN) out.literal(block);
    else readBlock(block, out);
    at += 4 + length + (hasBlockSums ? 4 : 0);
  }
}

function readBlock(block: Buffer, out: BoundedOutput): void {
  let at = 0;
  const lengthFrom = (nibble: number): number => {
    let length = nibble;
    for (let more = nibble === 15 ? MORE : 0; more === MORE; length += more) more = block.readUInt8(at++);
    return length;
  };
  while (at < block.length) {
    const token = block.readUInt8(at++);
    const literals = lengthFrom(token >> 4);
    if (literals > block.length - at) throw new RangeError('literals are cut off');
    out.literal(block.subarray(at, at + literals));
    at += literals;
    if (at >= block.length) return;
    const offset = block.readUInt16LE(at);
    at += 2;
    out.repeat(offset, lengthFrom(token & 15) + LEAST_MATCH);
  }
}
