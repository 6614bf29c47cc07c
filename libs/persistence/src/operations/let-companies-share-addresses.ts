import type { Mongo } from '../driver/mongo.js';
import { EXTERNAL_IDENTITIES } from '../people/external-identity.schema.js';
import { USERS } from '../people/user.schema.js';
import type { Migration } from './migration.js';

const NOT_FOUND: readonly unknown[] = [26, 27]; // collection, index

/** While the indexes are there, processes of this version refuse what they forbid, and ask to try again. */
export const letCompaniesShareAddresses: Migration = {
  id: 'let-companies-share-addresses',
  phase: 'contract',
  what: 'Each company may have an account of its own of the same address; the indexes that allowed one in all are dropped.',
  batch: async (mongo) => {
    const dropped = [
      await drop(mongo, USERS, 'email_key_1'),
      await drop(mongo, EXTERNAL_IDENTITIES, 'issuer_1_subject_1'),
    ];
    return { changed: dropped.filter(Boolean).length, next: null };
  },
};

/** @returns false when it is not there (any more) */
async function drop(mongo: Mongo, collection: string, index: string): Promise<boolean> {
  try {
    await mongo.collection(collection).dropIndex(index);
    return true;
  } catch (error) {
    if (NOT_FOUND.includes((error as { code?: unknown }).code)) return false;
    throw error;
  }
}
