import mongoose from 'mongoose';

const { BSON } = mongoose.mongo;

/** MongoDB's wire protocol, as far as a test has to look into it: message headers, and the document of a first command. */
const HEADER_BYTES = 16;
const OP_MSG = 2013;
const OP_QUERY = 2004;
/** Type, name and end of name of the field in an answer to `hello`: eight bytes of milliseconds follow. */
const LOCAL_TIME = Buffer.from('\u0009localTime\u0000', 'latin1');

/** Splits the bytes of a connection into whole messages. */
export function messageCutter(): (bytes: Buffer) => readonly Buffer[] {
  let rest: Buffer = Buffer.alloc(0);
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    const whole: Buffer[] = [];
    while (rest.length >= HEADER_BYTES && rest.length >= rest.readInt32LE(0)) {
      const end = rest.readInt32LE(0);
      whole.push(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
    return whole;
  };
}

/** The command of a message; null where it is of another kind, or not whole. */
export function commandOf(message: Buffer): mongoose.mongo.BSON.Document | null {
  if (message.length < HEADER_BYTES || message.length < message.readInt32LE(0)) return null;
  const opCode = message.readInt32LE(12);
  if (opCode === OP_MSG) return BSON.deserialize(documentAt(message, HEADER_BYTES + 5));
  if (opCode !== OP_QUERY) return null;
  const nameEnd = message.indexOf(0, HEADER_BYTES + 4);
  return BSON.deserialize(documentAt(message, nameEnd + 9));
}

function documentAt(message: Buffer, at: number): Buffer {
  return message.subarray(at, at + message.readInt32LE(at));
}

/** The same message from a server whose clock is this much ahead. */
export function withClockAhead(message: Buffer, ms: number): Buffer {
  const at = message.indexOf(LOCAL_TIME);
  if (ms === 0 || at < 0) return message;
  const shifted = Buffer.from(message);
  const valueAt = at + LOCAL_TIME.length;
  shifted.writeBigInt64LE(message.readBigInt64LE(valueAt) + BigInt(ms), valueAt);
  return shifted;
}
