import type { mongo } from 'mongoose';
import type { Mongo } from '../driver/mongo.js';
import { PLAYS } from '../plays/play.schema.js';
import type { Migration } from './migration.js';

/** Stored name of version 0.1 before its release, and the name since. */
const RENAMED = { beatAt: 'heartbeatAt', untold: 'parentPending' } as const;
const OLD_FIELDS = Object.keys(RENAMED);
/** The indexes over the old names. The index over `heartbeatAt` is called `silent`, too: an old process cannot make its own, and so does not start. */
const OLD_INDEXES = ['silent', 'untold'];

const AT_ONCE = 1_000;
const START = '';
const UNAUTHORIZED = 13;
const NAMESPACE_NOT_FOUND = 26;

interface IndexDefinition {
  readonly name?: string;
  readonly key: Readonly<Record<string, unknown>>;
  readonly partialFilterExpression?: Readonly<Record<string, unknown>>;
}

/**
 * Renames two fields of plays. From the first batch on MongoDB refuses every write that would leave a play with an old name, so
 * that a process of an earlier version, also one that was frozen meanwhile, fails instead of writing what nobody reads.
 */
export const renamePlayFields: Migration = {
  id: 'rename-play-fields',
  phase: 'standstill',
  what: 'The fields beatAt and untold of plays are called heartbeatAt and parentPending.',
  batch: async (mongo, mark) => {
    if (mark === null) {
      // a database that no earlier version has used: there is nothing to rename, and nobody to refuse
      if ((await oldIndexes(mongo)).length === 0) return { changed: 0, next: null };
      await refuseOldFields(mongo);
      return { changed: 0, next: START };
    }
    const last = await lastOfBatch(mongo, mark);
    if (last !== null) return { changed: await rename(mongo, mark, last), next: last };
    const old = await oldIndexes(mongo);
    for (const name of old) await plays(mongo).dropIndex(name);
    return { changed: old.length, next: null };
  },
};

async function oldIndexes(mongo: Mongo): Promise<readonly string[]> {
  const indexes = (await plays(mongo)
    .indexes()
    .catch((error: Error & { code?: unknown }) => {
      if (error.code === NAMESPACE_NOT_FOUND) return [];
      throw error;
    })) as readonly IndexDefinition[];
  const isOld = ({ key, partialFilterExpression = {} }: IndexDefinition) =>
    OLD_FIELDS.some((field) => field in key || field in partialFilterExpression);
  return indexes.filter(isOld).flatMap(({ name }) => (name !== undefined && OLD_INDEXES.includes(name) ? [name] : []));
}

async function refuseOldFields(mongo: Mongo): Promise<void> {
  const validator = Object.fromEntries(OLD_FIELDS.map((field) => [field, { $exists: false }]));
  try {
    await mongo.db.command({ collMod: PLAYS, validator }, { signal: mongo.deadline() });
  } catch (cause) {
    if ((cause as { code?: unknown }).code !== UNAUTHORIZED) throw cause;
    throw new Error(
      `the user of MONGODB_URI may not run collMod on the collection ${PLAYS}. Give it the role dbAdmin on the database ` +
        `${mongo.connection.name} (db.grantRolesToUser), and start again.`,
      { cause },
    );
  }
}

/** The id with which the batch that begins after `mark` ends; null when no play follows. */
async function lastOfBatch(mongo: Mongo, mark: string): Promise<string | null> {
  const ids = await plays(mongo)
    .find({ _id: { $gt: mark } }, { projection: { _id: 1 } })
    .sort({ _id: 1 })
    .limit(AT_ONCE)
    .toArray();
  return ids.at(-1)?._id ?? null;
}

async function rename(mongo: Mongo, after: string, last: string): Promise<number> {
  const { modifiedCount } = await plays(mongo).updateMany(
    { _id: { $gt: after, $lte: last }, $or: OLD_FIELDS.map((field) => ({ [field]: { $exists: true } })) },
    { $rename: RENAMED },
  );
  return modifiedCount;
}

function plays(mongo: Mongo): mongo.Collection<{ _id: string }> {
  return mongo.collection<{ _id: string }>(PLAYS);
}
