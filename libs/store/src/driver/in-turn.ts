import type { ClientSession } from 'mongoose';
import type { Mongo } from './mongo.js';

interface Marked {
  readonly _id: string;
  readonly company_id?: string;
  readonly filteredAt?: Date | null;
  readonly turns?: number;
}

/**
 * Writes this document, so that transactions that do so conflict and are made one after the other: what each of them counts
 * includes what those before it have made. The mark itself means nothing to anybody.
 *
 * @returns false: there is no such document
 */
export async function takeTurn(
  session: ClientSession,
  mongo: Mongo,
  collection: string,
  document: Omit<Marked, 'turns'>,
): Promise<boolean> {
  const mark = { $inc: { turns: 1 } };
  return (await mongo.collection<Marked>(collection).updateOne(document, mark, { session })).matchedCount > 0;
}
