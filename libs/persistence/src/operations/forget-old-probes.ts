import type { mongo } from 'mongoose';
import type { Migration } from './migration.js';
import { HEALTH_PROBES, type ProbeDocument } from './process-levels.js';

export const forgetOldProbes: Migration = {
  id: 'forget-old-probes',
  phase: 'contract',
  what: 'Signs of life of processes that did not tell their version are deleted.',
  batch: async (mongo) => {
    const withoutLevel = { level: { $exists: false } } as mongo.Filter<ProbeDocument>;
    const { deletedCount } = await mongo.collection<ProbeDocument>(HEALTH_PROBES).deleteMany(withoutLevel);
    return { changed: deletedCount, next: null };
  },
};
