import { liveMongo } from '@weft/testing';
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { ensureIndexes } from '../database/collections.js';
import { Mongo, TenantScope } from '@weft/store';
import { KvRepository } from './kv.repository.js';
import { KV_STORES, type KvDocument } from './kv.schema.js';

const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
afterAll(() => mongo.close());
await ensureIndexes(mongo);
const store = new KvRepository(mongo);
const scope = new TenantScope(randomUUID());

let changes = 0;
const change = (key: string, once: string | null = `change ${(changes += 1)}`) => ({ key, once, newId: randomUUID() });
const valueOf = async (key: string, of = scope): Promise<unknown> => (await store.find(of, key))?.value;

describe('KvRepository', () => {
  it.each([
    0,
    -1.5,
    'text',
    '{"a":1}',
    '$value',
    null,
    true,
    [],
    { $set: { 'a.b': 1 }, _bsontype: 'Binary' },
    '\u0000',
  ])('gives %j back as it was set', async (value) => {
    await store.set(scope, change('any'), value, null);
    expect(await valueOf('any')).toEqual(value);
  });

  it('says whether the entry was there', async () => {
    expect(await store.find(scope, 'new')).toBeNull();
    expect(await store.set(scope, change('new'), 1, null)).toMatchObject({ existed: false });
    expect(await store.set(scope, change('new'), 2, null)).toMatchObject({ existed: true });
    expect(await store.remove(scope, change('new'))).toEqual({ existed: true });
    expect(await store.find(scope, 'new')).toBeNull();
    expect(await store.remove(scope, change('new'))).toEqual({ existed: false });
    expect(await store.set(scope, change('new'), null, null)).toMatchObject({ existed: false });
    expect(await store.set(scope, change('new'), 2, null)).toMatchObject({ existed: true });
  });

  it('counts every increment of many at once, from nothing', async () => {
    const counted = await Promise.all(
      Array.from({ length: 60 }, () => store.increment(scope, change('hits'), 1, null)),
    );
    expect(counted.map((one) => ('value' in one ? one.value : 0)).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 60 }, (_, i) => i + 1),
    );
    expect(await valueOf('hits')).toBe(60);
  });

  it.each([
    ['text', 'abc', 1, 'not_a_number'],
    ['the text of a number', '5', 1, 'not_a_number'],
    ['null', null, 1, 'not_a_number'],
    ['a list', [1], 1, 'not_a_number'],
    ['as much as is exact', Number.MAX_SAFE_INTEGER, 1, 'out_of_range'],
    ['as little as is exact', -Number.MAX_SAFE_INTEGER, -1, 'out_of_range'],
  ])('does not count %s, and leaves it', async (_what, value, by, refused) => {
    await store.set(scope, change('fixed'), value, null);
    expect(await store.increment(scope, change('fixed'), by, null)).toEqual({ refused });
    expect(await valueOf('fixed')).toEqual(value);
  });

  it('makes a repeated change once, and tells the same of it', async () => {
    const first = change('repeated');
    const counted = await store.increment(scope, first, 5, null);
    expect(counted).toMatchObject({ value: 5, existed: false });
    await store.increment(scope, change('repeated'), 1, null);
    expect(await store.increment(scope, first, 5, null)).toEqual(counted);
    expect(await valueOf('repeated')).toBe(6);
    const set = change('repeated');
    const done = await store.set(scope, set, 'mine', null);
    await store.set(scope, change('repeated'), 'theirs', null);
    expect(await store.set(scope, set, 'mine', null)).toEqual(done);
    expect(await valueOf('repeated')).toBe('theirs');
    const removal = change('repeated');
    expect(await store.remove(scope, removal)).toEqual({ existed: true });
    await store.set(scope, change('repeated'), 'again', null);
    expect(await store.remove(scope, removal)).toEqual({ existed: true });
    expect(await valueOf('repeated')).toBe('again');
  });

  it('remembers a bounded number of changes', async () => {
    const entries = mongo.collection<KvDocument>(KV_STORES);
    await store.set(scope, change('busy'), 1, null);
    const recent = Array.from({ length: 200 }, (_, i) => ({ once: `earlier ${i}`, existed: true, value: i }));
    await entries.updateOne({ key: 'busy' }, { $set: { recent } });
    const last = change('busy');
    await store.increment(scope, last, 1, null);
    const remembered = (await entries.findOne({ key: 'busy' }))?.recent.map(({ once }) => once);
    expect(remembered).toEqual([...recent.slice(1).map(({ once }) => once), last.once]);
  });

  it('does not see what has expired, before MongoDB removes it; a count begins anew with its own time to live', async () => {
    await store.set(scope, change('brief'), 7, 60_000);
    const left = ((await store.find(scope, 'brief'))?.expiresAt?.getTime() ?? 0) - mongo.serverNow();
    expect(left).toBeGreaterThan(50_000);
    expect(left).toBeLessThanOrEqual(60_500);
    await mongo.collection<KvDocument>(KV_STORES).updateOne({ key: 'brief' }, { $set: { expiresAt: new Date(0) } });
    expect(await store.find(scope, 'brief')).toBeNull();
    expect((await store.list(scope, 'brief', { page: 0, size: 5, after: null })).total).toBe(0);
    expect(await store.increment(scope, change('brief'), 2, 60_000)).toMatchObject({ value: 2, existed: false });
    const made = (await store.find(scope, 'brief'))?.expiresAt;
    expect(made?.getTime()).toBeGreaterThan(mongo.serverNow());
    expect(await store.increment(scope, change('brief'), 2, 9_000_000)).toMatchObject({ value: 4, existed: true });
    expect((await store.find(scope, 'brief'))?.expiresAt).toEqual(made);
  });

  it('is added by one of many at once, which all see what is there', async () => {
    const added = await Promise.all(Array.from({ length: 40 }, (_, i) => store.add(scope, change('lock'), i, null)));
    const [winner] = added.filter(({ existed }) => !existed);
    expect(added.filter(({ existed }) => !existed)).toHaveLength(1);
    expect(new Set(added.map(({ value }) => value))).toEqual(new Set([winner?.value]));
    expect(new Set(added.map(({ version }) => version))).toEqual(new Set([winner?.version]));
    expect(await store.find(scope, 'lock')).toMatchObject({ value: winner?.value, version: winner?.version });
  });

  it('has another version after each change, also in one millisecond, and when it is made anew', async () => {
    const versions: (number | undefined)[] = [];
    for (let n = 0; n < 100; n += 1) {
      await store.set(scope, change('versions'), n, null);
      versions.push((await store.find(scope, 'versions'))?.version);
      if (n % 10 === 9) await store.remove(scope, change('versions'));
    }
    expect(new Set(versions).size).toBe(100);
    await store.set(scope, change('versions'), 1, null);
    const ahead = new Date(mongo.serverNow() + 3_600_000);
    await mongo.collection<KvDocument>(KV_STORES).updateOne({ key: 'versions' }, { $set: { updatedAt: ahead } });
    expect(await store.increment(scope, change('versions'), 1, null)).toMatchObject({ version: ahead.getTime() + 1 });
  });

  it('is changed and deleted only in the version that is meant', async () => {
    const conflict = { refused: 'version_conflict' };
    const at = (ifVersion: number) => ({ ...change('cas'), ifVersion });
    expect(await store.set(scope, at(1), 'x', null)).toEqual(conflict);
    expect(await store.remove(scope, at(1))).toEqual(conflict);
    expect(await mongo.collection<KvDocument>(KV_STORES).countDocuments({ key: 'cas' })).toBe(0);
    const { version } = await store.add(scope, change('cas'), 'mine', null);
    const rivals = await Promise.all(Array.from({ length: 20 }, (_, i) => store.set(scope, at(version), i, null)));
    expect(rivals.filter((one) => 'refused' in one)).toHaveLength(19);
    expect(await store.remove(scope, at(version))).toEqual(conflict);
    const now = (await store.find(scope, 'cas'))?.version ?? 0;
    const removal = at(now);
    expect(await store.remove(scope, removal)).toEqual({ existed: true });
    expect(await store.set(scope, at(now), 'x', null)).toEqual(conflict);
    await store.add(scope, change('cas'), 'of another', null);
    expect(await store.remove(scope, removal)).toEqual({ existed: true });
    expect(await valueOf('cas')).toBe('of another');
  });

  it('gives a lock that has expired to the next one, and is not taken from that one by the first', async () => {
    const first = change('expiring');
    const held = await store.add(scope, first, 'first', 60_000);
    await mongo.collection<KvDocument>(KV_STORES).updateOne({ key: 'expiring' }, { $set: { expiresAt: new Date(0) } });
    expect(await store.add(scope, change('expiring'), 'second', 60_000)).toMatchObject({ existed: false });
    expect(await store.add(scope, first, 'first', 60_000)).toEqual(held);
    expect(await store.remove(scope, { ...change('expiring'), ifVersion: held.version })).toEqual({
      refused: 'version_conflict',
    });
    expect(await valueOf('expiring')).toBe('second');
  });

  it('keeps companies apart under one key', async () => {
    const other = new TenantScope(randomUUID());
    await store.set(scope, change('shared'), 'ours', null);
    expect(await store.find(other, 'shared')).toBeNull();
    expect(await store.remove(other, change('shared'))).toEqual({ existed: false });
    expect(await store.increment(other, change('shared'), 1, null)).toMatchObject({ value: 1, existed: false });
    expect(await valueOf('shared')).toBe('ours');
    expect((await store.list(other, null, { page: 0, size: 10, after: null })).items).toHaveLength(1);
  });

  it('lists by the beginning of keys, whatever characters they have', async () => {
    for (const key of ['p.1', 'p.2', 'p', 'p%', 'q', 'p.^']) await store.set(scope, change(key), key, null);
    const { items } = await store.list(scope, 'p.', { page: 0, size: 10, after: null });
    expect(items.map(({ key }) => key).sort()).toEqual(['p.1', 'p.2', 'p.^']);
  });
});
