// @ts-check
/**
 * Copies of stored plays as raw BSON: ids, company, flow, times and the number of the order are written into the bytes of a model,
 * where they have the same length. Node makes some 200,000 a second, more than MongoDB takes.
 */
import mongoose from 'mongoose';

const { BSON } = mongoose.mongo;
const ID_LENGTH = 20;
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const DIGITS = Buffer.from(LETTERS);
/** In the arguments of the models; each copy has random letters instead, so that copies compress like plays and not like one play. */
export const ORDER = 'order-number-of-this-play-000000';

/** BSON's types whose length follows from the type; of the others used here, from the value. */
const FIXED = new Map([[0x01, 8], [0x07, 12], [0x08, 1], [0x09, 8], [0x0a, 0], [0x10, 4], [0x11, 8], [0x12, 8]]); // prettier-ignore
const DATE = 0x09;
const [DOCUMENT, ARRAY] = [0x03, 0x04];
const [TEXT, BINARY] = [0x02, 0x05];

/**
 * @typedef {object} Model one document, and where in it is what differs in a copy
 * @property {Buffer} bytes
 * @property {readonly number[]} company where its id is
 * @property {readonly number[]} flow
 * @property {readonly number[]} orders
 * @property {readonly { at: number, ms: number }[]} dates
 * @property {readonly (readonly number[])[]} ids of each play of the kind, where this document names it
 */

/**
 * @param {readonly any[]} plays what belongs together: a failed play and its retry, a play and its child
 * @returns {readonly Model[]}
 */
export function modelsOf(plays) {
  return plays.map((play) => {
    const bytes = Buffer.from(BSON.serialize(play));
    return {
      bytes,
      company: placesOf(bytes, play.company_id),
      flow: placesOf(bytes, play.flowId),
      orders: placesOf(bytes, ORDER),
      dates: datesOf(bytes),
      ids: plays.map(({ _id }) => placesOf(bytes, _id)),
    };
  });
}

/**
 * @param {Model} model
 * @param {{ company: Buffer, flow: Buffer, shiftMs: number, ids: readonly Buffer[], order: Buffer }} copy `ids`: of the plays that
 * belong together
 * @returns {Buffer}
 */
export function copyOf(model, { company, flow, shiftMs, ids, order }) {
  const bytes = Buffer.from(model.bytes);
  for (const at of model.company) company.copy(bytes, at);
  for (const at of model.flow) flow.copy(bytes, at);
  for (const at of model.orders) order.copy(bytes, at);
  for (const { at, ms } of model.dates) writeInt64(bytes, at, ms + shiftMs);
  model.ids.forEach((places, i) => places.forEach((at) => ids[i]?.copy(bytes, at)));
  return bytes;
}

/** An id as the product makes them (libs/kernel/src/ids.ts). @param {number} ms @param {number} nth @returns {Buffer} */
export function idAt(ms, nth) {
  const id = Buffer.allocUnsafe(ID_LENGTH);
  tenLetters(id, 0, Math.floor(ms / 4));
  tenLetters(id, ID_LENGTH / 2, (ms % 4) * 2 ** 48 + nth);
  return id;
}

/** As long as `ORDER`. @returns {Buffer} */
export function randomOrder() {
  const order = Buffer.allocUnsafe(ORDER.length);
  for (let i = 0; i < order.length; i += 1) order[i] = DIGITS[Math.floor(Math.random() * 32)] ?? 0;
  return order;
}

/** @param {Buffer} into @param {number} from @param {number} bits 50 of them */
function tenLetters(into, from, bits) {
  let rest = bits;
  for (let i = from + 9; i >= from; i -= 1) {
    const next = Math.floor(rest / 32);
    into[i] = DIGITS[rest - next * 32] ?? 0;
    rest = next;
  }
}

/** @param {Buffer} bytes @param {string} text */
function placesOf(bytes, text) {
  const places = [];
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + text.length)) places.push(at);
  return places;
}

/** @param {Buffer} bytes @param {number} [from] of a document @returns {{ at: number, ms: number }[]} */
function datesOf(bytes, from = 0) {
  const dates = [];
  const end = from + bytes.readInt32LE(from) - 1;
  for (let at = from + 4; at < end;) {
    const type = bytes[at] ?? 0;
    at = bytes.indexOf(0, at + 1) + 1;
    if (type === DATE) dates.push({ at, ms: Number(bytes.readBigInt64LE(at)) });
    if (type === DOCUMENT || type === ARRAY) dates.push(...datesOf(bytes, at));
    at += lengthOf(bytes, type, at);
  }
  return dates;
}

/** @param {Buffer} bytes @param {number} type @param {number} at */
function lengthOf(bytes, type, at) {
  const fixed = FIXED.get(type);
  if (fixed !== undefined) return fixed;
  if (type === DOCUMENT || type === ARRAY) return bytes.readInt32LE(at);
  if (type === TEXT) return 4 + bytes.readInt32LE(at);
  if (type === BINARY) return 5 + bytes.readInt32LE(at);
  throw new Error(`a play has a value of BSON's type ${type}, which this copies not yet: add its length`);
}

/** @param {Buffer} bytes @param {number} at @param {number} value */
function writeInt64(bytes, at, value) {
  bytes.writeUInt32LE(value % 2 ** 32, at);
  bytes.writeUInt32LE(Math.floor(value / 2 ** 32), at + 4);
}
