import { liveMongo } from '@weft/testing';
import { PLAYS, Mongo } from '@weft/store';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { ensureIndexes } from '../database/collections.js';
import { FLOWS } from '../flows/flow.schema.js';
import type { Migration, MigrationPhase } from './migration.js';
import { MIGRATIONS_COLLECTION, type MigrationDocument } from './migration.schema.js';
import { Migrations } from './migrations.js';
import { HEALTH_PROBES, type HealthProbeDocument } from './health-probe.schema.js';
import { RunningProcesses } from './running-processes.js';
import { SETTINGS_COLLECTION, type SettingDocument } from './setting.schema.js';
import { UpgradeOutlook } from './upgrade-outlook.js';

const { uri, db } = liveMongo({ isNew: true });
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
afterAll(() => mongo.close());
const things = mongo.collection('things');
const NEVER = new AbortController().signal;

const migration = (id: string, phase: MigrationPhase): Migration => ({
  ...{ id, phase, what: 'It changes things.', perSecond: 2 },
  size: () => things.countDocuments(),
  batch: async () => {
    const { modifiedCount } = await things.updateMany({}, { $set: { [id]: true } });
    return { changed: modifiedCount, next: null };
  },
});
const CATALOG = [migration('adds', 'expand'), migration('moves', 'migrate'), migration('drops', 'contract')];
const outlook = new UpgradeOutlook(mongo, CATALOG);

beforeEach(async () => {
  await Promise.all([
    mongo.collection<MigrationDocument>(MIGRATIONS_COLLECTION).deleteMany({}),
    mongo.collection<HealthProbeDocument>(HEALTH_PROBES).deleteMany({}),
    things.deleteMany({}),
  ]);
});

describe('what an upgrade would do', () => {
  it('says of an empty database that it is, and makes nothing in it', async () => {
    expect(await outlook.isEmpty()).toBe(true);
    expect((await outlook.indexes()).length).toBeGreaterThan(100);
    expect(await outlook.newerTraces()).toEqual([]);
    expect(await mongo.db.listCollections().toArray()).toEqual([]);
  });

  it('names the migrations that were not done, with how many documents and how long', async () => {
    await things.insertMany([{ n: 1 }, { n: 2 }, { n: 3 }]);
    const run = new Migrations(mongo, { catalog: CATALOG.slice(0, 1), onDone: () => undefined });
    await run.expand();
    expect(await outlook.migrations()).toEqual([
      { id: 'moves', phase: 'migrate', what: 'It changes things.', documents: 3, seconds: 1.5 },
      { id: 'drops', phase: 'contract', what: 'It changes things.', documents: 3, seconds: 1.5 },
    ]);
    expect(await things.findOne({ n: 1 })).not.toHaveProperty('moves');
  });

  it('names those that a version before them cannot go back behind', async () => {
    const run = new Migrations(mongo, { catalog: CATALOG, onDone: () => undefined });
    expect(await outlook.doneForGood(0)).toEqual([]);
    await run.expand();
    await run.pass(NEVER);
    expect(await outlook.doneForGood(0)).toEqual(['drops']);
    expect(await outlook.doneForGood(3)).toEqual([]);
  });

  it('names what a newer release has left', async () => {
    const later = new Migrations(mongo, {
      catalog: [...CATALOG, migration('more', 'migrate')],
      onDone: () => undefined,
    });
    await later.expand();
    await later.pass(NEVER);
    await new RunningProcesses(mongo).tell({
      id: 'a',
      name: 'api',
      level: 4,
      version: '9',
      host: 'h',
      startedAt: new Date(),
    });
    await mongo
      .collection<{ _id: string; schemaVersion: number }>(PLAYS)
      .insertOne({ _id: 'newest', schemaVersion: 99 });
    expect(await outlook.newerTraces()).toEqual([
      'the migration more',
      'plays with schemaVersion 99',
      'running processes of level 4',
    ]);
    await mongo.collection(PLAYS).deleteMany({});
  });

  it('names the indexes that are missing, with how many documents their collection has', async () => {
    await ensureIndexes(mongo);
    await mongo.collection<SettingDocument>(SETTINGS_COLLECTION).insertOne({ _id: 'founded' } as SettingDocument);
    expect([await outlook.isEmpty(), await outlook.indexes()]).toEqual([false, []]);
    const flows = mongo.collection(FLOWS);
    await flows.insertMany([{ a: 1 }, { a: 2 }]);
    const [, index] = await flows.indexes();
    await flows.dropIndex(String(index?.name));
    expect(await outlook.indexes()).toEqual([
      { collection: FLOWS, name: `${FLOWS} ${JSON.stringify(index?.key)}`, documents: 2 },
    ]);
  });
});
