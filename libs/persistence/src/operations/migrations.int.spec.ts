import { liveMongo } from '@weft/testing';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { AUDIT_LOGS, type AuditDocument } from '../audit/audit.schema.js';
import { deriveAuditKey } from '../audit/audit-key.js';
import { AuditSealer } from '../audit/audit-sealer.js';
import { AuditVerifier } from '../audit/audit-verifier.js';
import { recordAudit } from '../audit/record-audit.js';
import { ensureIndexes } from '../driver/collections.js';
import { Mongo } from '../driver/mongo.js';
import { SystemScope, TenantScope } from '../scope.js';
import { MembershipRepository } from '../people/membership.repository.js';
import { USERS, type UserDocument } from '../people/user.schema.js';
import { FORMER_PLAY_INDEXES, PLAYS } from '../plays/play.schema.js';
import { MIGRATIONS } from './catalog.js';
import { Diagnosis } from './diagnosis.js';
import { MIGRATIONS_COLLECTION, type MigrationDocument } from './migration.schema.js';
import type { Migration, MigrationPhase } from './migration.js';
import { DATA_LEVEL, Migrations } from './migrations.js';
import { HEALTH_PROBES, ProcessLevels, type ProbeDocument } from './process-levels.js';

const { uri, db } = liveMongo({ isNew: true });
const auditKey = deriveAuditKey('secret', 'salt');
const mongo = await Mongo.open({ uri, db, appName: 'spec', auditKey });
await ensureIndexes(mongo);
afterAll(() => mongo.close());

const records = mongo.collection<MigrationDocument>(MIGRATIONS_COLLECTION);
const probes = mongo.collection<ProbeDocument>(HEALTH_PROBES);
const levels = new ProcessLevels(mongo);
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
    batch: async (_mongo, mark) => {
      const n = Number(mark ?? 0) + 1;
      await onBatch?.(n);
      did.push(`${id}:${n}`);
      return { changed: 10, next: n === 3 ? null : String(n) };
    },
  };
}

function userOf(_id: string, companyId: string): UserDocument {
  return {
    ...{ _id, email: 'ada@weft.test', email_key: 'ada@weft.test', name: null, password_hash: null, operator: false },
    ...{ company_roles: [{ company_id: companyId, role: 'viewer', group_ids: [] }] },
    ...{ created_at: new Date(), last_activity: null },
  };
}

interface Fixture {
  readonly migrations: Migrations;
  readonly told: string[];
}

function processOf(owner: string, catalog: readonly Migration[], leaseMs?: number): Fixture {
  const told: string[] = [];
  const onDone: (done: { readonly id: string; readonly changed: number }) => void = ({ id, changed }) =>
    told.push(`${id}: ${changed}`);
  return { migrations: new Migrations(mongo, { owner, onDone, catalog, leaseMs }), told };
}

const lookUp = (id: string) => records.findOne({ _id: id });

describe('migrations', () => {
  it('run once, in order, however many processes there are', async () => {
    const did: string[] = [];
    const catalog = [counting('one', 'migrate', did), counting('two', 'migrate', did)];
    const processes = ['a', 'b', 'c'].map((owner) => processOf(owner, catalog));
    await Promise.all(processes.map(({ migrations }) => migrations.pass(NEVER)));
    expect(await processes[0]?.migrations.pass(NEVER)).toBe(0);
    expect(did).toEqual(['one:1', 'one:2', 'one:3', 'two:1', 'two:2', 'two:3']);
    expect(processes.flatMap(({ told }) => told).sort()).toEqual(['one: 30', 'two: 30']);
    expect(await lookUp('two')).toMatchObject({ status: 'done', changed: 30, owner: null, error: null });
  });

  it('leave one entry in the audit log when they are done', async () => {
    const audit = mongo.collection<AuditDocument>(AUDIT_LOGS);
    await audit.deleteMany({});
    await processOf('a', [counting('one', 'migrate', [])]).migrations.pass(NEVER);
    const [entry, ...more] = await audit.find({ action_type: 'migration_run' }).toArray();
    expect(entry).toMatchObject({ resource_id: 'one', changes: { changed: { before: null, after: 30 } } });
    expect(more).toEqual([]);
  });

  it('go on behind the last batch that was recorded, when who ran them died', async () => {
    const did: string[] = [];
    const dies = processOf(
      'dies',
      [counting('one', 'migrate', did, (n) => (n === 2 ? new Promise(() => undefined) : undefined))],
      1,
    );
    void dies.migrations.pass(NEVER);
    const next = processOf('next', [counting('one', 'migrate', did)]).migrations;
    await expect.poll(() => lookUp('one')).toMatchObject({ owner: 'dies', mark: '1' });
    await expect.poll(() => next.pass(NEVER)).toBe(0);
    expect(did).toEqual(['one:1', 'one:2', 'one:3']);
  });

  it('cannot be written on by who lost them', async () => {
    const did: string[] = [];
    const held = Promise.withResolvers<void>();
    const frozen = processOf('frozen', [counting('one', 'migrate', did, () => held.promise)], 1);
    const passing = frozen.migrations.pass(NEVER);
    const next = processOf('next', [counting('one', 'migrate', did)]).migrations;
    await expect.poll(() => lookUp('one')).toMatchObject({ owner: 'frozen' });
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
    expect(await processOf('stops', [stops]).migrations.pass(stopping.signal)).toBe(1);
    expect(await lookUp('one')).toMatchObject({ status: 'waiting', mark: '1', owner: null });
    const fails = counting('one', 'migrate', did, () => Promise.reject(new Error('no room')));
    await expect(processOf('fails', [fails]).migrations.pass(NEVER)).rejects.toThrow('the migration one stopped');
    expect(await lookUp('one')).toMatchObject({ status: 'waiting', mark: '1', owner: null, error: 'no room' });
    expect(await processOf('next', [counting('one', 'migrate', did)]).migrations.pass(NEVER)).toBe(0);
    expect(await lookUp('one')).toMatchObject({ status: 'done', error: null });
    expect(did).toEqual(['one:1', 'one:2', 'one:3']);
  });
});

describe('an expanding migration', () => {
  it('is done before any process serves: one runs it, the others wait', async () => {
    const did: string[] = [];
    const held = Promise.withResolvers<void>();
    const catalog = [counting('wide', 'expand', did, () => held.promise), counting('later', 'migrate', did)];
    const starts = ['a', 'b'].map((owner) => processOf(owner, catalog).migrations.expand());
    await expect.poll(() => lookUp('wide')).toMatchObject({ status: 'running' });
    expect(await Promise.race([...starts, Promise.resolve('still starting')])).toBe('still starting');
    held.resolve();
    await Promise.all(starts);
    expect(did).toEqual(['wide:1', 'wide:2', 'wide:3']);
  });
});

describe('a migration at standstill', () => {
  const started = async (did: string[], onBatch?: () => Promise<void>) =>
    processOf('a', [counting('still', 'standstill', did, onBatch)]).migrations.standstill();

  it('runs before any process serves, in a version of its own', async () => {
    const did: string[] = [];
    await levels.tell('api', 1, 2_000);
    await Promise.all([started(did), started(did)]);
    expect(did).toEqual(['still:1', 'still:2', 'still:3']);
    await levels.tell('api', 0, 2_000);
    await started(did);
    expect(did).toHaveLength(3);
  });

  it('stops at once when a process of an earlier version has started, and goes on when that is gone', async () => {
    const did: string[] = [];
    const starting = started(did, () => levels.tell('api', 0, 2_000));
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
  const { migrations } = processOf('a', catalog);

  it.each([
    ['that tells no level', () => probes.insertOne({ _id: 'api', at: new Date() })],
    ['of a lower level', () => levels.tell('api', 1, 2_000)],
  ])('and all after it wait while a process %s runs', async (_what, oldRuns) => {
    did.length = 0;
    await oldRuns();
    await levels.tell('worker', 3, 2_000);
    expect(await migrations.pass(NEVER)).toBe(2);
    expect(did).toEqual(['moves:1', 'moves:2', 'moves:3']);
  });

  it('runs when the last of them has been gone for a minute', async () => {
    did.length = 0;
    await levels.tell('api', 2, 2_000);
    await probes.insertOne({ _id: 'api', at: new Date(Date.now() - 61_000) });
    expect(await migrations.pass(NEVER)).toBe(0);
    expect(did.slice(3)).toEqual(['shrinks:1', 'shrinks:2', 'shrinks:3', 'after:1', 'after:2', 'after:3']);
  });
});

describe('the catalogue', () => {
  const keys = { current: auditKey, find: () => Promise.resolve(auditKey) };
  const scope = new TenantScope('c1');

  it('is known by its length, and has each id once', () => {
    expect(DATA_LEVEL).toBe(MIGRATIONS.length);
    expect(new Set(MIGRATIONS.map(({ id }) => id)).size).toBe(MIGRATIONS.length);
  });

  /** @returns what could not be sealed */
  const seal = async (): Promise<unknown[]> => {
    const faults: unknown[] = [];
    await new AuditSealer(mongo, keys).sealAll(
      new SystemScope('spec'),
      () => undefined,
      (_chain, error) => faults.push(error),
    );
    return faults;
  };

  it('lets companies share addresses once nobody of a version that forbade it is left', async () => {
    const users = mongo.collection<UserDocument>(USERS);
    await users.deleteMany({});
    await users.createIndexes([{ key: { email_key: 1 }, unique: true }]);
    const enrol = (companyId: string, n: number) =>
      new MembershipRepository(mongo).enrol(userOf(`u${n}`, companyId), { link: null, entries: [] });
    await enrol('c1', 1);
    await expect(enrol('c1', 2)).rejects.toMatchObject({ code: 'email_taken' });
    await expect(enrol('c2', 3)).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(await processOf('a', MIGRATIONS).migrations.pass(NEVER)).toBe(0);
    expect(await lookUp('let-companies-share-addresses')).toMatchObject({ status: 'done', changed: 1 });
    await enrol('c2', 3);
    await expect(enrol('c2', 4)).rejects.toMatchObject({ code: 'email_taken' });
    const both = await Promise.allSettled([enrol('c3', 5), enrol('c3', 6)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await users.countDocuments()).toBe(3);
    await users.deleteMany({});
  });

  it('drops the indexes of plays that no query uses any more once nobody of a version that needs them is left', async () => {
    const plays = mongo.collection(PLAYS);
    await plays.createIndexes(FORMER_PLAY_INDEXES.map((name) => ({ key: { [`old_${name}`]: 1 }, name })));
    const former = async () =>
      (await plays.indexes()).map(({ name }) => name).filter((name) => FORMER_PLAY_INDEXES.includes(name ?? ''));
    await levels.tell('older', MIGRATIONS.length - 1, 5_000);
    await processOf('a', MIGRATIONS).migrations.pass(NEVER);
    expect(await former()).toHaveLength(FORMER_PLAY_INDEXES.length);
    await probes.deleteMany({});
    await processOf('a', MIGRATIONS).migrations.pass(NEVER);
    expect(await former()).toEqual([]);
    expect(await lookUp('drop-former-play-indexes')).toMatchObject({
      status: 'done',
      changed: FORMER_PLAY_INDEXES.length,
    });
  });

  it('drops them again when a process of such a version was started after it, once that has ended', async () => {
    const plays = mongo.collection(PLAYS);
    const repeated: object[] = [];
    const migrations = new Migrations(mongo, {
      ...{ owner: 'a', onDone: () => undefined, onRepeated: (done) => repeated.push(done) },
    });
    expect([await migrations.pass(NEVER), await migrations.repeat(), repeated]).toEqual([0, true, []]);
    await levels.tell('older', MIGRATIONS.length - 1, 5_000);
    await plays.createIndexes([{ key: { old_due: 1 }, name: 'due' }]);
    const diagnosis = new Diagnosis(mongo);
    expect([await migrations.repeat(), (await diagnosis.database()).formerIndexes]).toEqual([false, ['due']]);
    await probes.deleteMany({});
    expect([await migrations.repeat(), (await diagnosis.database()).formerIndexes]).toEqual([true, []]);
    expect(repeated).toEqual([expect.objectContaining({ id: 'drop-former-play-indexes', changed: 1 })]);
  });

  it('brings a database of version 0.1 to today: its audit log verifies and is sealed', async () => {
    const audit = mongo.collection<Partial<AuditDocument>>(AUDIT_LOGS);
    await audit.deleteMany({});
    const facts = {
      action_type: 'flow_created',
      collection: 'flows',
      company_id: 'c1',
      entries_deleted: null,
      duration_ms: null,
    } as const;
    const who = {
      UserID: 'u1',
      UserEmail: 'a@weft.test',
      UserIPAddress: null,
      resource_type: 'flow',
      resource_id: 'f1',
    } as const;
    const rest = {
      request_id: null,
      outcome: 'success',
      reason: null,
      changes: { email: { before: null, after: 'b@weft.test' } },
    } as const;
    await audit.insertMany(
      Array.from({ length: 1_200 }, (_, n) => ({
        _id: `e${String(n).padStart(5, '0')}`,
        timestamp: new Date(Date.now() - 40 * 24 * 3_600_000 * (n < 600 ? 1 : 0)),
        ...facts,
        ...who,
        ...rest,
      })),
    );
    await probes.insertOne({ _id: 'api', at: new Date(0) });
    // this version runs for a while in parallel with the one before, and encrypts what it writes itself
    await mongo.transaction((session) => recordAudit(session, { ...facts, ...who }));
    expect(await seal()).toEqual([]);
    expect(await new AuditVerifier(mongo, keys).verify(scope)).toMatchObject({ ok: false });

    expect(await processOf('a', MIGRATIONS).migrations.pass(NEVER)).toBe(0);
    expect(await lookUp('sign-audit-entries')).toMatchObject({ changed: 1_200 });
    expect(await probes.countDocuments()).toBe(0);
    expect(await seal()).toEqual([]);
    expect(await new AuditVerifier(mongo, keys).verify(scope)).toEqual({ ok: true, checked: 1_201, first_bad: null });
    await audit.updateOne({ _id: 'e00000' }, { $unset: { adopted: 1 } });
    expect(await new AuditVerifier(mongo, keys).verify(scope)).toMatchObject({ ok: false, first_bad: 'e00000' });
  });
});
