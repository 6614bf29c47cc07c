import { AuditKeyRing } from '@weft/identity';
import { SETTINGS, type Settings } from '@weft/config';
import {
  AUDIT_LOGS,
  AuditCountsRepository,
  AuditCutter,
  AuditRedactor,
  AuditSealer,
  recordAudit,
  SystemScope,
  type AuditAction,
  type AuditDocument,
} from '@weft/store';
import { USERS, type UserDocument } from '@weft/records';
import { InvalidationBus } from '@weft/realtime-bus';
import { madeAt } from '@weft/kernel';
import { describe, expect, it } from 'vitest';
import { liveApi, textOf, type Person } from '../../../../test/api/live-api.js';

const { app, mongo, send, person } = await liveApi();
const log = mongo.collection<AuditDocument>(AUDIT_LOGS);
const ALL = new SystemScope('spec');
const DAY_MS = 24 * 3_600_000;
const PATH = '/api/v1/audit';

async function record(by: Person, action: AuditAction, resource: string, count = 1, into = mongo): Promise<void> {
  const entry = {
    ...{ action_type: action, collection: 'flows', company_id: by.scope.companyId, UserID: by.userId },
    ...{
      UserEmail: `${by.userId}@weft.test`,
      UserIPAddress: '192.0.2.9',
      resource_type: 'flow',
      resource_id: resource,
    },
  };
  await into.transaction((session) => recordAudit(session, ...Array.from({ length: count }, () => entry)));
}

const admin = await person('admin');
const auditor = await person('audit_viewer', admin.scope.companyId);
await record(admin, 'flow_created', 'f1', 3);
await record(admin, 'flow_updated', 'f2', 2);
await record(auditor, 'flow_deleted', 'f1');
const stranger = await person('admin');
await record(stranger, 'flow_created', 'canary');

async function ids(query: string, by: Person = auditor): Promise<string[]> {
  const { status, body } = await by.send('GET', `${PATH}${query}`);
  expect(status, query).toBe(200);
  return (body.items as unknown as { id: string }[]).map(({ id }) => id);
}

describe('the audit log', () => {
  it('shows the company’s entries, newest first, in the form of the contract', async () => {
    const { body } = await auditor.send('GET', `${PATH}?action=flow_deleted`);
    expect(body).toMatchObject({ page: 0, size: 100, total: 1, totalCapped: false, nextCursor: null });
    const [{ id, timestamp, ...entry }] = body.items as unknown as [Record<string, unknown>];
    expect([typeof id, typeof timestamp]).toEqual(['string', 'string']);
    expect(entry).toEqual({
      ...{ action_type: 'flow_deleted', collection: 'flows', company_id: admin.scope.companyId, entries_deleted: null },
      ...{ duration_ms: null, UserID: auditor.userId, UserEmail: `${auditor.userId}@weft.test` },
      ...{ UserIPAddress: '192.0.2.9', resource_type: 'flow', resource_id: 'f1', request_id: null, outcome: 'success' },
      ...{ reason: null, changes: {} },
    });
    expect(JSON.stringify((await auditor.send('GET', PATH)).body)).not.toContain('canary');
  });

  it('is filtered, and walked with a cursor', async () => {
    const all = await ids('?resource_type=flow');
    expect(all).toHaveLength(6);
    expect([...all].sort().reverse()).toEqual(all);
    expect(await ids('?action=flow_created')).toHaveLength(3);
    expect(await ids('?resource_id=f2')).toEqual(all.slice(1, 3));
    expect(await ids(`?actor=${auditor.userId}&resource_type=flow`)).toEqual(all.slice(0, 1));
    expect(await ids(`?actor=${admin.userId}@weft.test&resource_type=flow`)).toEqual(all.slice(1));
    const [newest] = await log.find({ _id: all[0] }).toArray();
    const at = newest!.timestamp.toISOString();
    expect(await ids(`?resource_type=flow&from=${at}`)).toEqual(all.slice(0, 1));
    expect(await ids(`?resource_type=flow&to=${at}`)).toEqual(all.slice(1));
    const { body: first } = await auditor.send('GET', `${PATH}?resource_type=flow&limit=4`);
    const rest = await ids(`?resource_type=flow&limit=4&cursor=${textOf(first.nextCursor)}`);
    expect([...(first.items as unknown as { id: string }[]).map(({ id }) => id), ...rest]).toEqual(all);
  });

  it.each([
    '?limit=0',
    '?limit=1001',
    '?page=1',
    '?size=5',
    '?action=flown',
    '?from=yesterday',
    '?cursor=x',
    '?actor[$ne]=x',
  ])('refuses %s', async (query) => {
    expect((await auditor.send('GET', `${PATH}${query}`)).body.code).toBe('invalid_query');
  });

  it('has the same totals with counts from the cache, and never less than is committed', async () => {
    const one = await person('admin');
    const past = mongo.serverNow() - 3_600_000;
    await record(one, 'flow_created', 'x', 5);
    const settled = (await log.find({ company_id: one.scope.companyId }).toArray()).map(({ _id, ...rest }) => ({
      _id: _id.replace(/^00d/, '00c'),
      ...rest,
      timestamp: new Date(past),
    }));
    await log.insertMany(settled);
    const totals = async () =>
      Promise.all(
        ['', '?action=flow_created', '?resource_type=flow', '?action=flow_deleted', '?resource_id=x'].map(
          async (query) => (await one.send('GET', `${PATH}${query}`)).body.total,
        ),
      );
    const before = await totals();
    const counts = new AuditCountsRepository(mongo);
    expect(await counts.refresh(ALL)).toBeGreaterThanOrEqual(3);
    expect(await counts.find(one.scope.companyId)).toMatchObject({ byAction: { flow_created: 5 } });
    expect(await totals()).toEqual(before);
    await record(one, 'flow_deleted', 'x', 2);
    expect(await totals()).toEqual([Number(before[0]) + 2, before[1], Number(before[2]) + 2, 2, Number(before[4]) + 2]);

    const keys = new AuditKeyRing(mongo, app.get<Settings>(SETTINGS).secrets);
    await new AuditSealer(mongo, keys).sealAll(ALL, () => undefined, expect.fail);
    const before5 = new Date(past + 1);
    expect(await new AuditCutter(mongo, keys).cut(one.scope, { before: before5, keep: 0, limit: 3 })).toBe(3);
    expect((await one.send('GET', PATH)).body.total).toBe(Number(before[0]) + 2 - 3);
    await counts.refresh(ALL);
    expect((await one.send('GET', PATH)).body.total).toBe(Number(before[0]) + 2 - 3);
    await log.deleteMany({ company_id: one.scope.companyId });
  });
});

describe('an entry', () => {
  /** The same database, whose clock is a day ahead. */
  const ahead = Object.create(mongo, { serverNow: { value: () => mongo.serverNow() + DAY_MS } }) as typeof mongo;

  it("has an id of MongoDB's time, whatever the clock of its process shows", async () => {
    const one = await person('admin');
    await record(one, 'flow_created', 'ahead', 1, ahead);
    const entry = await log.findOne({ company_id: one.scope.companyId, resource_id: 'ahead' });
    const sinceTold = madeAt(entry?._id ?? '') - Number(entry?.timestamp);
    expect(Math.abs(sinceTold)).toBeLessThan(60_000);
  });

  it("is in the total also after MongoDB's clock was set back", async () => {
    const one = await person('admin');
    await record(one, 'flow_created', 'before', 3);
    await new AuditCountsRepository(ahead).refresh(ALL);
    await record(one, 'flow_created', 'after', 2);
    await new AuditCountsRepository(mongo).refresh(ALL);
    const stored = await log.countDocuments({ company_id: one.scope.companyId });
    expect((await one.send('GET', `${PATH}?limit=1`)).body.total).toBe(stored);
  });
});

describe('an export', () => {
  it.each([
    ['csv', 'text/csv; charset=utf-8; header=present'],
    ['json', 'application/json; charset=utf-8'],
    ['ndjson', 'application/x-ndjson; charset=utf-8'],
  ])('as %s is a file with all that the filters leave, and is in the log itself', async (format, type) => {
    const query = `format=${format}&resource_type=flow&actor=${admin.userId}`;
    const { status, headers, body } = await auditor.send('GET', `${PATH}/export?${query}`);
    expect([status, headers['content-type'], headers['x-content-type-options']]).toEqual([200, type, 'nosniff']);
    expect(headers['content-disposition']).toMatch(new RegExp(`^attachment; filename="audit-[\\d-]{10}\\.${format}"$`));
    const content = typeof body === 'string' ? (body as string) : JSON.stringify(body);
    expect([content.match(/"?flow_(created|updated)/g)?.length, content.includes('canary')]).toEqual([5, false]);
    const [entry] = await log
      .find({ action_type: 'audit_exported', UserID: auditor.userId })
      .sort({ _id: -1 })
      .toArray();
    expect(entry).toMatchObject({ changes: { format: { after: format }, actor: { after: admin.userId } } });
  });

  it('is none, and leaves no entry, when only its head is asked for', async () => {
    const before = await log.countDocuments({ action_type: 'audit_exported' });
    const { status, headers } = await auditor.send('HEAD', `${PATH}/export`);
    expect([status, headers['content-disposition']]).toEqual([200, expect.stringContaining('.csv"')]);
    expect(await log.countDocuments({ action_type: 'audit_exported' })).toBe(before);
  });
});

describe('an entry of 30 days', () => {
  it('shows the marker in list, activity, export and search, before and after it is redacted in the store', async () => {
    const one = await person('admin');
    await log.deleteMany({ company_id: one.scope.companyId });
    await record(one, 'flow_created', 'old');
    await record(one, 'flow_created', 'young');
    const at = async (resource_id: string, ageMs: number) =>
      log.updateOne(
        { company_id: one.scope.companyId, resource_id },
        { $set: { timestamp: new Date(mongo.serverNow() - ageMs) } },
      );
    await at('old', 30 * DAY_MS + 1_000);
    await at('young', 30 * DAY_MS - 30_000);
    const look = async () => {
      const shown: string[] = [];
      for (const path of [
        PATH,
        `${PATH}/export?format=json&action=flow_created`,
        `/api/v1/users/${one.userId}/activity`,
      ]) {
        const { body } = await one.send('GET', path);
        const items = (Array.isArray(body) ? body : body.items) as unknown as Record<string, string>[];
        for (const { resource_id, UserEmail, UserIPAddress } of items) {
          if (resource_id === 'old' || resource_id === 'young')
            shown.push(`${resource_id} ${UserEmail} ${UserIPAddress}`);
        }
      }
      return shown;
    };
    const expected = [`young ${one.userId}@weft.test 192.0.2.9`, 'old [redacted] [redacted]'];
    expect(await look()).toEqual([...expected, ...expected, ...expected]);
    const found = async () =>
      (await one.send('GET', `${PATH}?actor=${one.userId}@weft.test&action=flow_created`)).body.total;
    expect(await found()).toBe(1);
    await new AuditRedactor(mongo).redactDue(ALL);
    expect(await look()).toEqual([...expected, ...expected, ...expected]);
    expect(await found()).toBe(1);
    const stored = await log.findOne({ company_id: one.scope.companyId, resource_id: 'old' });
    expect(JSON.stringify(stored)).not.toMatch(/weft\.test|192\.0\.2/);
  });
});

describe('the log of the installation', () => {
  const INSTALLATION = `${PATH}?installation=true`;

  async function operator(role: 'admin' | 'audit_viewer' | 'viewer' = 'admin'): Promise<Person> {
    const one = await person(role);
    await mongo.collection<UserDocument>(USERS).updateOne({ _id: one.userId }, { $set: { operator: true } });
    return one;
  }

  it('shows operators what belongs to no company: sign-ins of unknown accounts, migrations', async () => {
    const boss = await operator();
    const email = `nobody-${boss.userId}@weft.test`;
    await send('POST', '/api/v1/auth/login', { body: { email, password: 'not the password' } });
    await mongo.transaction((session) =>
      recordAudit(session, {
        ...{ action_type: 'migration_run', collection: 'migrations', company_id: null },
        ...{ resource_type: 'migration', resource_id: 'a-migration' },
      }),
    );
    const { body } = await boss.send('GET', INSTALLATION);
    const items = body.items as unknown as Record<string, unknown>[];
    expect(items.slice(0, 2)).toMatchObject([
      { action_type: 'migration_run', company_id: null, resource_id: 'a-migration' },
      { action_type: 'login_failed', company_id: null, UserEmail: email, reason: 'unknown_user', outcome: 'failure' },
    ]);
    expect(items.filter(({ company_id }) => company_id !== null)).toEqual([]);
    expect(body.total).toBe(items.length);
    const filtered = await boss.send('GET', `${INSTALLATION}&action=login_failed&actor=${email}`);
    expect(filtered.body).toMatchObject({ total: 1, items: [{ UserEmail: email }] });
    expect(JSON.stringify((await boss.send('GET', PATH)).body)).not.toContain(email);
  });

  it('is exported and compared for them, and the export is in it', async () => {
    const boss = await operator();
    const file = await boss.send('GET', `${PATH}/export?installation=true&format=ndjson`);
    expect(textOf(file.body)).toContain('unknown_user');
    const [newest] = (await boss.send('GET', INSTALLATION)).body.items as unknown as Record<string, unknown>[];
    expect(newest).toMatchObject({ action_type: 'audit_exported', company_id: null, UserID: boss.userId });
    const verified = await boss.send('GET', `${PATH}/verify?installation=true`);
    const count = await log.countDocuments({ company_id: null });
    expect(verified.body).toEqual({ ok: true, checked: count, first_bad: null });
    const set = (resource_id: string) =>
      log.updateOne({ action_type: 'migration_run', company_id: null }, { $set: { resource_id } });
    await set('another');
    expect((await boss.send('GET', `${PATH}/verify?installation=true`)).body.ok).toBe(false);
    await set('a-migration');
  });

  it('is for operators who may read the log of a company, and for nobody else', async () => {
    for (const path of [PATH, `${PATH}/export`, `${PATH}/verify`]) {
      const refused = await admin.send('GET', `${path}?installation=true`);
      expect(refused, path).toMatchObject({ status: 403, body: { code: 'operator_required' } });
      expect((await admin.send('GET', `${path}?installation=false`)).status, path).toBe(200);
    }
    expect((await (await operator('viewer')).send('GET', INSTALLATION)).body.code).toBe('denied');
    expect((await (await operator('audit_viewer')).send('GET', INSTALLATION)).status).toBe(200);
  });
});

describe('verify', () => {
  it('tells an admin whether the log is as it was written, from one company’s point of view', async () => {
    const one = await person('admin');
    const other = await person('admin');
    for (const each of [one, other]) await record(each, 'flow_created', 'f');
    const settings = app.get<Settings>(SETTINGS);
    const keys = new AuditKeyRing(mongo, settings.secrets);
    await new AuditSealer(mongo, keys).sealAll(ALL, () => undefined, expect.fail);
    expect((await one.send('GET', `${PATH}/verify`)).body).toEqual({ ok: true, checked: 2, first_bad: null });
    const { _id } = (await log.findOneAndUpdate(
      { company_id: one.scope.companyId, resource_id: 'f' },
      { $set: { UserID: 'x' } },
    ))!;
    expect((await one.send('GET', `${PATH}/verify`)).body).toEqual({ ok: false, checked: 2, first_bad: _id });
    expect((await other.send('GET', `${PATH}/verify`)).body.ok).toBe(true);

    await send('POST', '/api/v1/auth/login', { body: { email: 'nobody@weft.test', password: 'no such account' } });
    const operator = { $set: { operator: true } };
    await mongo.collection<UserDocument>(USERS).updateOne({ _id: other.userId }, operator);
    app.get(InvalidationBus).publish({ kind: 'user', id: other.userId });
    const { body } = await other.send('GET', `${PATH}/verify`);
    expect([body.ok, Number(body.checked) > 2]).toEqual([true, true]);
    await log.updateOne({ company_id: null }, { $set: { outcome: 'success' } });
    expect((await other.send('GET', `${PATH}/verify`)).body.ok).toBe(false);
  });
});
