import { liveMongo } from '@weft/testing';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { AUDIT_LOGS, deriveAuditKey, Mongo, type AuditDocument } from '@weft/store';
import { ensureIndexes } from '../database/collections.js';
import { MIGRATIONS } from './catalog.js';
import { MIGRATIONS_COLLECTION, type MigrationDocument } from './migration.schema.js';
import type { Migration, MigrationPhase } from './migration.js';
import { DATA_LEVEL, Migrations } from './migrations.js';
import { HEALTH_PROBES, type HealthProbeDocument } from './health-probe.schema.js';
import { RunningProcesses } from './running-processes.js';

const { uri, db } = liveMongo({ isNew: true });
const auditKey = deriveAuditKey('secret', 'salt');
const mongo = await Mongo.open({ uri, db, appName: 'spec', auditKey });
await ensureIndexes(mongo);
afterAll(() => mongo.close());

const records = mongo.collection<MigrationDocument>(MIGRATIONS_COLLECTION);
const probes = mongo.collection<HealthProbeDocument>(HEALTH_PROBES);
const running = new RunningProcesses(mongo);
const tell = (name: string, level: number) =>
  running.tell({ id: `${name}-${level}`, name, level, version: `1.${level}.0`, host: 'h', startedAt: new Date() });
const NEVER = new AbortController().signal;

beforeEach(() => Promise.all([records.deleteMany({}), probes.deleteMany({})]));

/** Of three batches; what it did, in order. */
function counting(
  id: string,
  phase: MigrationPhase,
  did: string[],
  onBatch?: (n: number) => Promise<void> | void,
): Migration {
  return {
    id,
    phase,
    what: 'Counts.',
    size: () => Promise.resolve(30),
    perSecond: 10,
    batch: async (_mongo, mark) => {
      const n = Number(mark ?? 0) + 1;
      await onBatch?.(n);
      did.push(`${id}:${n}`);
      return { changed: 10, next: n === 3 ? null : String(n) };
    },
  };
}

interface Fixture {
  readonly migrations: Migrations;
  readonly told: string[];
}

function processOf(catalog: readonly Migration[], leaseMs?: number): Fixture {
  const told: string[] = [];
  const onDone: (done: { readonly id: string; readonly changed: number }) => void = ({ id, changed }) =>
    told.push(`${id}: ${changed}`);
  return { migrations: new Migrations(mongo, { onDone, catalog, leaseMs }), told };
}

const lookUp = (id: string) => records.findOne({ _id: id });

describe('migrations', () => {
  it('run once, in order, however many processes there are', async () => {
    const did: string[] = [];
    const catalog = [counting('one', 'migrate', did), counting('two', 'migrate', did)];
    const processes = [1, 2, 3].map(() => processOf(catalog));
    await Promise.all(processes.map(({ migrations }) => migrations.pass(NEVER)));
    expect(await processes[0]?.migrations.pass(NEVER)).toBe(0);
    expect(did).toEqual(['one:1', 'one:2', 'one:3', 'two:1', 'two:2', 'two:3']);
    expect(processes.flatMap(({ told }) => told).sort()).toEqual(['one: 30', 'two: 30']);
    expect(await lookUp('two')).toMatchObject({ status: 'done', changed: 30, run: null, error: null });
  });

  it('leave one entry in the audit log when they are done', async () => {
    const audit = mongo.collection<AuditDocument>(AUDIT_LOGS);
    await audit.deleteMany({});
    await processOf([counting('one', 'migrate', [])]).migrations.pass(NEVER);
    const [entry, ...more] = await audit.find({ action_type: 'migration_run' }).toArray();
    expect(entry).toMatchObject({ resource_id: 'one', changes: { changed: { before: null, after: 30 } } });
    expect(more).toEqual([]);
  });

  it('go on behind the last batch that was recorded, when who ran them died', async () => {
    const did: string[] = [];
    const dies = processOf(
      [counting('one', 'migrate', did, (n) => (n === 2 ? new Promise(() => undefined) : undefined))],
      1,
    );
    void dies.migrations.pass(NEVER);
    const next = processOf([counting('one', 'migrate', did)]).migrations;
    await expect.poll(() => lookUp('one')).toMatchObject({ status: 'running', mark: '1' });
    await expect.poll(() => next.pass(NEVER)).toBe(0);
    expect(did).toEqual(['one:1', 'one:2', 'one:3']);
  });

  it('cannot be written on by who lost them', async () => {
    const did: string[] = [];
    const held = Promise.withResolvers<void>();
    const frozen = processOf([counting('one', 'migrate', did, () => held.promise)], 1);
    const passing = frozen.migrations.pass(NEVER);
    const next = processOf([counting('one', 'migrate', did)]).migrations;
    await expect.poll(() => lookUp('one')).toMatchObject({ status: 'running' });
    await expect.poll(() => next.pass(NEVER)).toBe(0);
    held.resolve();
    expect(await passing).toBe(1);
    expect(await lookUp('one')).toMatchObject({ status: 'done', changed: 30 });
    expect(frozen.told).toEqual([]);
  });

  it('are given back at once by a process that stops, or whose batch fails', async () => {
    const did: string[] = [];
    const stopping = new AbortController();
    const stops = counting('one', 'migrate', did, () => stopping.abort());
    expect(await processOf([stops]).migrations.pass(stopping.signal)).toBe(1);
    expect(await lookUp('one')).toMatchObject({ status: 'waiting', mark: '1', run: null });
    const fails = counting('one', 'migrate', did, () => Promise.reject(new Error('no room')));
    await expect(processOf([fails]).migrations.pass(NEVER)).rejects.toThrow('the migration one stopped');
    expect(await lookUp('one')).toMatchObject({ status: 'waiting', mark: '1', run: null, error: 'no room' });
    expect(await processOf([counting('one', 'migrate', did)]).migrations.pass(NEVER)).toBe(0);
    expect(await lookUp('one')).toMatchObject({ status: 'done', error: null });
    expect(did).toEqual(['one:1', 'one:2', 'one:3']);
  });
});

describe('an expanding migration', () => {
  it('is done before any process serves: one runs it, the others wait', async () => {
    const did: string[] = [];
    const held = Promise.withResolvers<void>();
    const catalog = [counting('wide', 'expand', did, () => held.promise), counting('later', 'migrate', did)];
    const starts = [1, 2].map(() => processOf(catalog).migrations.expand());
    await expect.poll(() => lookUp('wide')).toMatchObject({ status: 'running' });
    expect(await Promise.race([...starts, Promise.resolve('still starting')])).toBe('still starting');
    held.resolve();
    await Promise.all(starts);
    expect(did).toEqual(['wide:1', 'wide:2', 'wide:3']);
  });
});

describe('a migration at standstill', () => {
  const started = async (did: string[], onBatch?: () => Promise<void>) =>
    processOf([counting('still', 'standstill', did, onBatch)]).migrations.standstill();

  it('runs before any process serves, in a version of its own', async () => {
    const did: string[] = [];
    await tell('api', 1);
    await Promise.all([started(did), started(did)]);
    expect(did).toEqual(['still:1', 'still:2', 'still:3']);
    await tell('api', 0);
    await started(did);
    expect(did).toHaveLength(3);
  });

  it('stops at once when a process of an earlier version has started, and goes on when that is gone', async () => {
    const did: string[] = [];
    const starting = started(did, () => tell('api', 0));
    await expect(starting).rejects.toThrow('processes of an earlier version run on this database (api)');
    expect(did).toEqual(['still:1']);
    await probes.deleteMany({});
    await started(did);
    expect(did).toEqual(['still:1', 'still:2', 'still:3']);
  });
});

describe('a contracting migration', () => {
  const did: string[] = [];
  const catalog = [
    counting('moves', 'migrate', did),
    counting('shrinks', 'contract', did),
    counting('after', 'migrate', did),
  ];
  const { migrations } = processOf(catalog);

  it('and all after it wait while a process of a lower level runs', async () => {
    did.length = 0;
    await tell('api', 1);
    await tell('worker', 3);
    expect(await migrations.pass(NEVER)).toBe(2);
    expect(did).toEqual(['moves:1', 'moves:2', 'moves:3']);
  });

  it('runs when the last of them has been gone for a minute', async () => {
    did.length = 0;
    await tell('api', 2);
    await probes.insertOne({ _id: 'api:1', level: 1, at: new Date(Date.now() - 61_000) });
    expect(await migrations.pass(NEVER)).toBe(0);
    expect(did.slice(3)).toEqual(['shrinks:1', 'shrinks:2', 'shrinks:3', 'after:1', 'after:2', 'after:3']);
  });
});

describe('a contracting migration whose work a process of an earlier version undoes', () => {
  const things = mongo.collection('things');
  const dropsIndex: Migration = {
    ...{ id: 'drops-an-index', phase: 'contract', comesBack: true, what: 'Drops an index.' },
    ...{ size: () => Promise.resolve(1), perSecond: 1 },
    batch: async () => {
      const names = (await things.indexes()).map(({ name }) => name);
      if (!names.includes('unused')) return { changed: 0, next: null };
      await things.dropIndex('unused');
      return { changed: 1, next: null };
    },
  };

  it('is done again once that process has ended', async () => {
    const again: object[] = [];
    const migrations = new Migrations(mongo, {
      ...{ catalog: [dropsIndex], onDone: () => undefined, onRepeated: (done) => again.push(done) },
    });
    const makeIndex = () => things.createIndexes([{ key: { unused: 1 }, name: 'unused' }]);
    await makeIndex();
    expect(await migrations.pass(NEVER)).toBe(0);
    expect([await migrations.repeat(), again]).toEqual([true, []]);
    await tell('older', 0);
    await makeIndex();
    expect([await migrations.repeat(), again]).toEqual([false, []]);
    await probes.deleteMany({});
    expect(await migrations.repeat()).toBe(true);
    expect(again).toEqual([{ id: 'drops-an-index', what: 'Drops an index.', changed: 1 }]);
    expect((await things.indexes()).map(({ name }) => name)).not.toContain('unused');
  });
});

it('the catalogue is known by its length, and has each id once', () => {
  expect(DATA_LEVEL).toBe(MIGRATIONS.length);
  expect(new Set(MIGRATIONS.map(({ id }) => id)).size).toBe(MIGRATIONS.length);
});
