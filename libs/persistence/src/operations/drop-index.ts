import type { Mongo } from '../driver/mongo.js';

const NOT_FOUND: readonly unknown[] = [26, 27]; // collection, index

/** @returns false when it is not there (any more) */
export async function dropIndex(mongo: Mongo, collection: string, index: string): Promise<boolean> {
  try {
    await mongo.collection(collection).dropIndex(index);
    return true;
  } catch (error) {
    if (NOT_FOUND.includes((error as { code?: unknown }).code)) return false;
    throw error;
  }
}
