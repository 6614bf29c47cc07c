import mongoose, { type mongo } from 'mongoose';

const { BSON } = mongoose.mongo;

/** Numbers, binary data and the rest keep the BSON types that they have: written again, a document has the same bytes. */
export const EXACT_TYPES = {
  promoteValues: false,
  promoteLongs: false,
  promoteBuffers: false,
  bsonRegExp: true,
} as const;

export function readExactly(document: Uint8Array): mongo.Document {
  return BSON.deserialize(document, EXACT_TYPES);
}

export function idOf(document: Uint8Array): unknown {
  return readExactly(document)._id;
}

/** The same text for the same id of the same types. */
export function keyOf(id: unknown): string {
  return Buffer.from(BSON.serialize({ id })).toString('base64');
}

export function bytesOfId(id: unknown): Uint8Array {
  return BSON.serialize({ _id: id });
}
