import { FINAL_STATES } from '@weft/contracts';
import type { Play } from '@weft/engine';
import { liveMongo } from '@weft/testing';
import mongoose from 'mongoose';
import { readFileSync } from 'node:fs';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { COLLECTIONS_OF_PLAYS, ensureIndexes, OTHER_COLLECTIONS } from '../driver/collections.js';
import { Mongo } from '../driver/mongo.js';
import { ChildPlaysRepository } from '../plays/child-plays.repository.js';
import { OpenPlaysRepository } from '../plays/open-plays.repository.js';
import { PLAYS } from '../plays/play.schema.js';
import { SystemScope } from '../scope.js';
import { MIGRATIONS_COLLECTION, type MigrationDocument } from './migration.schema.js';
import { Migrations } from './migrations.js';
import { HEALTH_PROBES, ProcessLevels, type ProbeDocument } from './process-levels.js';
import { renamePlayFields } from './rename-play-fields.js';

const { uri, db } = liveMongo({ isNew: true });
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
await ensureIndexes(mongo, OTHER_COLLECTIONS);
afterAll(() => mongo.close());

type StoredPlay = Play & { readonly beatAt?: Date; readonly untold?: true };
type Indexes = readonly mongoose.mongo.IndexDescription[];

const plays = mongo.collection<StoredPlay>(PLAYS);
const records = mongo.collection<MigrationDocument>(MIGRATIONS_COLLECTION);
const probes = mongo.collection<ProbeDocument>(HEALTH_PROBES);
const levels = new ProcessLevels(mongo);
const scope = new SystemScope('spec');
const refused = { code: 121 };

/** Indexes and plays as the code of a commit has written them, through its own store. */
function writtenBy(commit: string): { readonly indexes: Indexes; readonly stored: readonly StoredPlay[] } {
  const lines = readFileSync(new URL(`earlier-plays/${commit}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const [indexes, ...stored] = lines.map((line) => mongoose.mongo.BSON.EJSON.parse(line) as unknown);
  return { indexes: (indexes as Indexes).filter(({ name }) => name !== '_id_'), stored: stored as StoredPlay[] };
}

const migrations = (onWait?: () => void) => new Migrations(mongo, { owner: 'spec', onDone: () => undefined, onWait });

/** As a process starts. */
async function boot(): Promise<void> {
  await migrations().standstill();
  await ensureIndexes(mongo, COLLECTIONS_OF_PLAYS);
}

const makeIndexes = (indexes: Indexes) => plays.createIndexes(indexes as mongoose.mongo.IndexDescription[]);

beforeEach(() => Promise.all([plays.drop(), records.deleteMany({}), probes.deleteMany({})]));

describe.each(['406eef9', 'e67ebdd'])('a database of %s', (commit) => {
  const { indexes, stored } = writtenBy(commit);

  beforeEach(async () => {
    await mongo.db.createCollection(PLAYS);
    await makeIndexes(indexes);
    await plays.insertMany([...stored]);
  });

  it('has the new names after a start, in plays and in indexes, and nothing else is changed', async () => {
    expect(stored.filter(({ beatAt }) => beatAt)).toHaveLength(3);
    expect(stored.filter(({ untold }) => untold)).toHaveLength(3);
    await boot();
    expect(await plays.find().sort({ _id: 1 }).toArray()).toEqual(
      stored.map(({ beatAt, untold, ...rest }) => ({
        ...rest,
        ...(beatAt && { heartbeatAt: beatAt }),
        ...(untold && { parentPending: untold }),
      })),
    );
    const after = JSON.stringify(await plays.indexes());
    for (const old of ['beatAt', 'untold']) expect(after).not.toContain(`"${old}"`);
    await ensureIndexes(mongo);
  });

  it('is served like any other: silent plays and parents that wait are found', async () => {
    await boot();
    const open = stored.filter(({ beatAt }) => beatAt).map(({ _id }) => _id);
    const { plays: silent } = await new OpenPlaysRepository(mongo, scope).silent(null, new Date(8.64e15), 500);
    expect(silent.map(({ _id }) => _id).sort()).toEqual(open);
    const ended = stored.filter(({ untold, state }) => untold && FINAL_STATES.includes(state as never));
    const children = await new ChildPlaysRepository(mongo).withParentPending(scope, 10);
    expect(children.map(({ _id }) => _id)).toEqual(ended.map(({ _id }) => _id));
  });

  it('lets no process that writes the old names start again, and refuses what one writes that still runs', async () => {
    await boot();
    await expect(makeIndexes(indexes)).rejects.toThrow(/same name as the requested index.*"?silent/s);
    const [fresh] = stored;
    await expect(plays.insertOne({ ...fresh, _id: 'accepted-by-an-old-api' } as StoredPlay)).rejects.toMatchObject(
      refused,
    );
    await expect(
      plays.updateOne({ _id: fresh?._id ?? '' }, { $set: { state: 'RUN' }, $currentDate: { beatAt: true } }),
    ).rejects.toMatchObject(refused);
    const child = { $set: { untold: true } } as const;
    await expect(plays.updateOne({ _id: fresh?._id ?? '' }, child)).rejects.toMatchObject(refused);
    expect(await plays.countDocuments({ state: 'RUN' })).toBe(1);
  });

  it('is left alone while a process of that version runs, and the start is refused', async () => {
    await levels.tell('worker', 3, 2_000);
    // the old process gives its next sign of life
    const starting = migrations(() => void levels.tell('worker', 3, 2_000)).standstill();
    await expect(starting).rejects.toThrow(
      'processes of an earlier version run on this database (worker), and cannot share it with this version. Stop all of them',
    );
    expect(await plays.find().sort({ _id: 1 }).toArray()).toEqual(stored);
  });

  it('is migrated once the last of them has been gone for a minute', async () => {
    const at = (agoMs: number) => new Date(mongo.serverNow() - agoMs);
    await probes.insertOne({ _id: 'worker:3', level: 3, at: at(30_000) });
    let waited = 0;
    await migrations(() => {
      waited += 1;
      void probes.updateOne({ _id: 'worker:3' }, { $set: { at: at(61_000) } });
    }).standstill();
    expect(waited).toBe(1);
    expect(await plays.countDocuments({ heartbeatAt: { $exists: true } })).toBe(3);
  });

  it.each([0, 1, 2, 3, 4, 5])('is migrated to the end when a process died after %i batches', async (batches) => {
    const many = Array.from({ length: 2_500 }, (_, n) => ({ ...stored[0], _id: `m${String(n).padStart(5, '0')}` }));
    await plays.insertMany(many as StoredPlay[]);
    let mark: string | null = null;
    for (let n = 0; n < batches; n += 1) mark = (await renamePlayFields.batch(mongo, mark)).next;
    expect(mark === null).toBe(batches === 0 || batches === 5);
    await boot();
    expect(await plays.countDocuments({ $or: [{ beatAt: { $exists: true } }, { untold: { $exists: true } }] })).toBe(0);
    expect(await plays.countDocuments({ heartbeatAt: { $exists: true } })).toBe(2_503);
    expect(JSON.stringify(await plays.indexes())).not.toContain('"beatAt"');
  });
});

describe('a database that no earlier version has used', () => {
  it('gets no validator, which would need a right, and lets no earlier version start', async () => {
    await boot();
    const [described] = await mongo.db.listCollections({ name: PLAYS }).toArray();
    expect(described).toHaveProperty('options', {});
    await expect(makeIndexes(writtenBy('406eef9').indexes)).rejects.toThrow(/same name/);
  });
});
