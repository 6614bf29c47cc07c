import { FORMER_PLAY_INDEXES, PLAYS } from '../plays/play.schema.js';
import { dropIndex } from './drop-index.js';
import type { Migration } from './migration.js';

/** Processes of earlier versions need them, and make them again when they start. */
export const dropFormerPlayIndexes: Migration = {
  id: 'drop-former-play-indexes',
  phase: 'contract',
  comesBack: true,
  what: 'Indexes of plays that no query uses any more are dropped, so that each write of a play takes less time.',
  batch: async (mongo) => {
    let changed = 0;
    for (const name of FORMER_PLAY_INDEXES) if (await dropIndex(mongo, PLAYS, name)) changed += 1;
    return { changed, next: null };
  },
};
