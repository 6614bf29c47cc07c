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
    expect((await store.set(scope, change('new'), 1, null)).existed).toBe(false);
    expect((await store.set(scope, change('new'), 2, null)).existed).toBe(true);
    expect(await store.remove(scope, change('new'))).toBe(true);
    expect(await store.find(scope, 'new')).toBeNull();
    expect(await store.remove(scope, change('new'))).toBe(false);
    expect((await store.set(scope, change('new'), null, null)).existed).toBe(false);
    expect((await store.set(scope, change('new'), 2, null)).existed).toBe(true);
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
    expect(await store.increment(scope, first, 5, null)).toEqual({ value: 5, existed: false });
    await store.increment(scope, change('repeated'), 1, null);
    expect(await store.increment(scope, first, 5, null)).toEqual({ value: 5, existed: false });
    expect(await valueOf('repeated')).toBe(6);
    const set = change('repeated');
    await store.set(scope, set, 'mine', null);
    await store.set(scope, change('repeated'), 'theirs', null);
    expect((await store.set(scope, set, 'mine', null)).existed).toBe(true);
    expect(await valueOf('repeated')).toBe('theirs');
    const removal = change('repeated');
    expect(await store.remove(scope, removal)).toBe(true);
    await store.set(scope, change('repeated'), 'again', null);
    expect(await store.remove(scope, removal)).toBe(true);
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
    const { entry } = await store.set(scope, change('brief'), 7, 60_000);
    const left = (entry.expiresAt?.getTime() ?? 0) - mongo.serverNow();
    expect(left).toBeGreaterThan(50_000);
    expect(left).toBeLessThanOrEqual(60_500);
    await mongo.collection<KvDocument>(KV_STORES).updateOne({ key: 'brief' }, { $set: { expiresAt: new Date(0) } });
    expect(await store.find(scope, 'brief')).toBeNull();
    expect((await store.list(scope, 'brief', { page: 0, size: 5, after: null })).total).toBe(0);
    expect(await store.increment(scope, change('brief'), 2, 60_000)).toEqual({ value: 2, existed: false });
    const made = (await store.find(scope, 'brief'))?.expiresAt;
    expect(made?.getTime()).toBeGreaterThan(mongo.serverNow());
    expect(await store.increment(scope, change('brief'), 2, 9_000_000)).toEqual({ value: 4, existed: true });
    expect((await store.find(scope, 'brief'))?.expiresAt).toEqual(made);
  });

  it('keeps companies apart under one key', async () => {
    const other = new TenantScope(randomUUID());
    await store.set(scope, change('shared'), 'ours', null);
    expect(await store.find(other, 'shared')).toBeNull();
    expect(await store.remove(other, change('shared'))).toBe(false);
    expect(await store.increment(other, change('shared'), 1, null)).toEqual({ value: 1, existed: false });
    expect(await valueOf('shared')).toBe('ours');
    expect((await store.list(other, null, { page: 0, size: 10, after: null })).items).toHaveLength(1);
  });

  it('lists by the beginning of keys, whatever characters they have', async () => {
    for (const key of ['p.1', 'p.2', 'p', 'p%', 'q', 'p.^']) await store.set(scope, change(key), key, null);
    const { items } = await store.list(scope, 'p.', { page: 0, size: 10, after: null });
    expect(items.map(({ key }) => key).sort()).toEqual(['p.1', 'p.2', 'p.^']);
  });
});
