import { EXTERNAL_IDENTITIES } from '../people/external-identity.schema.js';
import { USERS } from '../people/user.schema.js';
import { dropIndex } from './drop-index.js';
import type { Migration } from './migration.js';

/** While the indexes are there, processes of this version refuse what they forbid, and ask to try again. */
export const letCompaniesShareAddresses: Migration = {
  id: 'let-companies-share-addresses',
  phase: 'contract',
  comesBack: true,
  what: 'Each company may have an account of its own of the same address; the indexes that allowed one in all are dropped.',
  batch: async (mongo) => {
    const dropped = [
      await dropIndex(mongo, USERS, 'email_key_1'),
      await dropIndex(mongo, EXTERNAL_IDENTITIES, 'issuer_1_subject_1'),
    ];
    return { changed: dropped.filter(Boolean).length, next: null };
  },
};
