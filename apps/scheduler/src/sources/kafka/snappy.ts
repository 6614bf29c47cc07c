/** Snappy (format_description.txt of google/snappy), also in the frame that Java's clients put around it. */
import { BoundedOutput } from './bounded-output.js';

/** A mark, and two versions; then pieces with their lengths. */
const FRAME = Buffer.from([0x82, ...Buffer.from('SNAPPY'), 0]);
const FRAME_HEADER = 16;
const LONG_LITERAL = 60;

/** @throws RangeError when it is not that, or more bytes than `most` */
export function unSnappy(bytes: Buffer, most: number): Buffer {
  const out = new BoundedOutput(most);
  if (!bytes.subarray(0, FRAME.length).equals(FRAME)) readPiece(bytes, out);
  else {
    for (let at = FRAME_HEADER; at < bytes.length;) {
      const length = bytes.readUInt32BE(at);
      readPiece(bytes.subarray(at + 4, at + 4 + length), out);
      at += 4 + length;
    }
  }
  return out.done();
}

function readPiece(bytes: Buffer, out: BoundedOutput): void {
  let at = 0;
  while (bytes.readUInt8(at++) >= 0x80); // the length of the whole, which the output finds out itself
  const begin = out.length;
  const repeat = (offset: number, count: number): void => {
    if (offset > out.length - begin) throw new RangeError('a copy before the beginning');
    out.repeat(offset, count);
  };
  while (at < bytes.length) {
    const tag = bytes.readUInt8(at++);
    const high = tag >> 2;
    switch (tag & 3) {
      case 0: {
        const more = Math.max(0, high + 1 - LONG_LITERAL);
        const count = 1 + (more > 0 ? bytes.readUIntLE(at, more) : high);
        at += more;
        if (count > bytes.length - at) throw new RangeError('a literal is cut off');
        out.literal(bytes.subarray(at, at + count));
        at += count;
        break;
      }
      case 1:
        repeat(((tag >> 5) << 8) | bytes.readUInt8(at), (high & 7) + 4);
        at += 1;
        break;
      case 2:
        repeat(bytes.readUInt16LE(at), high + 1);
        at += 2;
        break;
      default:
        repeat(bytes.readUInt32LE(at), high + 1);
        at += 4;
    }
  }
}
