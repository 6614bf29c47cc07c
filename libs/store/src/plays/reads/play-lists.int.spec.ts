import { acceptPlay, type Play } from '@weft/engine';
import { createIdSource, lastIdAt } from '@weft/kernel';
import { liveMongo } from '@weft/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureIndexes } from '@weft/records';
import { Mongo } from '../../driver/mongo.js';
import { findPage } from '../../driver/paging.js';
import { PayloadStore } from '../payloads/payload.store.js';
import { TenantScope } from '../../scope.js';
import { PlayCommandsRepository } from '../write/play-commands.repository.js';
import type { PlayFilter } from './play-query.js';
import { PlayReadsRepository } from './play-reads.repository.js';
import { RetriesRepository } from '../scans/retries.repository.js';
import { PLAYS } from '../play.schema.js';

const HISTORY = 3_000;
/** Of each kind that is looked for. */
const FEW = 4;
const SIZE = 20;
const scope = new TenantScope('c');
const newId = createIdSource(() => Date.now(), 1);
/** Of a page before the one that is read: all plays come after it. */
const LAST = lastIdAt(Date.now() + 3_600_000);

function playOf(change: Partial<Play>): Play {
  const ask = { companyId: 'c', flowId: 'f', version: 1, args: {}, idempotencyKey: null, dueAt: null } as const;
  const play = acceptPlay({ ...ask, playId: newId(), trigger: 'api', triggeredBy: 'u', serverNow: new Date() });
  const { heartbeatAt: _heartbeatAt, ...rest } = { ...play, ...change };
  return rest.state === 'NEW' || rest.state === 'RUN' ? { ...play, ...change } : rest;
}

const pause = { position: 0, ref: 'a', kind: 'retry', since: new Date(), until: new Date() } as const;

describe('lists of plays', () => {
  const live = liveMongo();
  let mongo: Mongo;

  beforeAll(async () => {
    mongo = await Mongo.open({ uri: live.uri, db: live.db, appName: 'test' });
    await ensureIndexes(mongo);
    const few = (change: Partial<Play>) => Array.from({ length: FEW }, () => playOf(change));
    const plays = [
      ...few({}),
      ...few({ state: 'FAIL' }),
      ...few({ state: 'RUN' }),
      ...few({ state: 'WAIT' }),
      ...few({ state: 'DONE', idempotencyKey: 'order-7' }),
      ...few({ state: 'DONE', trigger: 'schedule' }),
      ...few({ state: 'DONE', labels: ['order:7', 'team:a'] }),
      ...few({ state: 'DONE', labels: ['order:7', 'team:b'] }),
      ...few({ state: 'FAIL', error: { code: 'timeout', message: '', ref: null } }),
      ...few({ state: 'DEFERRED', tries: { 0: 1 }, waits: { 0: pause } }),
      // tried before, and not about to be again
      ...few({ state: 'DEFERRED', tries: { 0: 1 }, waits: { 1: { ...pause, position: 1, kind: 'delay' } } }),
      // what is looked for is the oldest: whoever walks the list passes all of the others
      ...Array.from({ length: HISTORY }, (_, i) =>
        playOf({ state: 'DONE', ...(i % 2 && { idempotencyKey: `k${i}` }) }),
      ),
    ];
    await mongo.collection<Play>(PLAYS).insertMany(plays);
  });
  afterAll(() => mongo.close());

  const request = { page: 0, size: SIZE, after: null };
  const bulk = () => new PlayCommandsRepository(mongo, new PayloadStore(mongo));

  it('say of each play whether it pauses before its next attempt', async () => {
    const { items } = await new PlayReadsRepository(mongo).list(scope, { states: ['DEFERRED'] }, request);
    const pausing = items.filter(({ awaitsRetry }) => awaitsRetry).length;
    expect([items.length, pausing]).toEqual([2 * FEW, FEW]);
  });

  it.each<[string, PlayFilter, number]>([
    ['state', { states: ['FAIL'] }, 2 * FEW],
    ['another state', { states: ['WAIT'] }, FEW],
    ['state and flows', { states: ['FAIL'], flows: { except: ['other'] } }, 2 * FEW],
    ['several states', { states: ['FAIL', 'WAIT'] }, 3 * FEW],
    ['states of what is open', { states: ['NEW', 'RUN', 'WAIT'] }, 3 * FEW],
    ['key', { idempotencyKey: 'order-7' }, FEW],
    ['the beginning of a key', { idempotencyKeyPrefix: 'order' }, FEW],
    ['what set them off', { trigger: 'schedule' }, FEW],
    ['labels', { labels: ['order:7', 'team:a'] }, FEW],
    ['error', { errorCode: 'timeout' }, FEW],
    ['pause before the next attempt', { retrying: true }, FEW],
    ['not being begun', { states: ['NEW'] }, FEW],
  ])('by %s read hardly more than they show, and so do what acts on them', async (_what, filter, matching) => {
    const looks: [string, () => Promise<unknown>][] = [
      ['list', () => new PlayReadsRepository(mongo).list(scope, filter, request)],
      ['count', () => bulk().count(scope, filter, 100)],
      ['ids', () => bulk().ids(scope, filter, null, SIZE)],
      ['next page', () => new PlayReadsRepository(mongo).list(scope, filter, { ...request, after: LAST })],
      ['next ids', () => bulk().ids(scope, filter, LAST, SIZE)],
    ];
    for (const [name, look] of looks) {
      const { result, examined } = await watched(look);
      if (name === 'list') expect(result).toMatchObject({ total: matching, totalCapped: false });
      expect.soft(Math.max(...examined), name).toBeLessThanOrEqual(matching + SIZE);
    }
  });

  it('of a time read no plays of the days before, but for those that may have waited for their accept', async () => {
    const other = new TenantScope('e');
    const HOUR = 3_600_000;
    const yesterday = createIdSource(() => Date.now() - 24 * HOUR, 2);
    const old = (change: Partial<Play>) => playOf({ company_id: other.companyId, _id: yesterday(), ...change });
    await mongo.collection<Play>(PLAYS).insertMany([
      ...Array.from({ length: 500 }, () => old({ state: 'DONE', createdAt: new Date(Date.now() - 24 * HOUR) })),
      // a slot that was missed
      old({ state: 'DONE', trigger: 'schedule' }),
      ...Array.from({ length: FEW }, () => playOf({ company_id: other.companyId, state: 'DONE' })),
    ]);
    const filter: PlayFilter = { from: new Date(Date.now() - HOUR) };
    const { result, examined } = await watched(() => new PlayReadsRepository(mongo).list(other, filter, request));
    expect(result).toMatchObject({ total: FEW + 1, totalCapped: false });
    expect(Math.max(...examined)).toBeLessThanOrEqual(FEW + 1 + SIZE);
  });

  it('by several labels begin with the rarest', async () => {
    const labels = ['all:plays', 'order:9'];
    const other = new TenantScope('g');
    const labelled = (of: readonly string[]) => playOf({ company_id: other.companyId, state: 'DONE', labels: of });
    await mongo
      .collection<Play>(PLAYS)
      .insertMany([labelled(labels), ...Array.from({ length: 500 }, () => labelled(['all:plays']))]);
    const reads = new PlayReadsRepository(mongo);
    expect(await reads.rarestFirst(other, labels)).toEqual(['order:9', 'all:plays']);
    const filter: PlayFilter = { labels: await reads.rarestFirst(other, labels) };
    const { result, examined } = await watched(() => reads.list(other, filter, request));
    expect(result).toMatchObject({ total: 1 });
    expect(Math.max(...examined)).toBeLessThanOrEqual(SIZE);
  });

  it('by state and flow read hardly more than they show, however many others there are of each', async () => {
    const other = new TenantScope('d');
    const many = (change: Partial<Play>) =>
      Array.from({ length: 500 }, () => playOf({ company_id: other.companyId, ...change }));
    await mongo
      .collection<Play>(PLAYS)
      .insertMany([...many({ flowId: 'fails', state: 'FAIL' }), ...many({ flowId: 'works', state: 'DONE' })]);
    const filter: PlayFilter = { states: ['FAIL'], flowId: 'works' };
    const { result, examined } = await watched(() => new PlayReadsRepository(mongo).list(other, filter, request));
    expect(result).toMatchObject({ items: [], total: 0, totalCapped: false });
    expect(Math.max(...examined)).toBeLessThanOrEqual(SIZE);
  });

  it('of failed plays read hardly more than they show, however many others have the label or were set off so', async () => {
    const other = new TenantScope('h');
    const error = { code: 'timeout', message: '', ref: null };
    const many = (change: Partial<Play>) =>
      Array.from({ length: 500 }, () => playOf({ company_id: other.companyId, ...change }));
    await mongo
      .collection<Play>(PLAYS)
      .insertMany([
        ...many({ state: 'FAIL', error }),
        ...many({ state: 'DONE', labels: ['team:a'] }),
        ...many({ state: 'DONE', trigger: 'schedule' }),
        playOf({ company_id: other.companyId, state: 'FAIL', error, trigger: 'schedule', labels: ['team:a'] }),
      ]);
    const failed = [{ states: ['FAIL'] as const }, { errorCode: 'timeout' }];
    for (const filter of failed.flatMap((of) => [
      { ...of, labels: ['team:a'] },
      { ...of, trigger: 'schedule' as const },
    ])) {
      const { result, examined } = await watched(() => new PlayReadsRepository(mongo).list(other, filter, request));
      expect(result).toMatchObject({ total: 1, totalCapped: false });
      expect.soft(Math.max(...examined), JSON.stringify(filter)).toBeLessThanOrEqual(SIZE);
    }
  });

  it('of mended plays find the chains without reading the plays that have mended them', async () => {
    const other = new TenantScope('i');
    const of = (state: Play['state'], first: string) =>
      playOf({ company_id: other.companyId, state, chain: { first, nth: 1, at: new Date() } });
    const mending = Array.from({ length: FEW }, (_, i) => of('DONE', `p${i}`));
    await mongo.collection<Play>(PLAYS).insertMany([...mending, of('FAIL', 'p8'), of('RUN', 'p9')]);
    const { result, documents } = await watched(() => new RetriesRepository(mongo).mendedFilter(other, true, 'f'));
    expect(result).toEqual({ mended: { isMended: true, chains: ['p0', 'p1', 'p2', 'p3'] } });
    expect(documents).toEqual([0]);
  });

  it('say that there is more than they counted when counting takes too long, and stop there', async () => {
    const slow = { $expr: { $lt: [{ $size: { $range: [0, 20_000] } }, 1] } };
    const collection = mongo.collection<Play>(PLAYS);
    const all = { company_id: 'c' };
    const counted = await findPage<Play>(collection, all, request, { _id: 1 });
    expect(counted).toMatchObject({ total: HISTORY + 11 * FEW, totalCapped: false });
    const times = { page: 60_000, count: 1 };
    const first = { $and: [all, { $or: [{ _id: { $gte: counted.items.at(-1)?._id } }, slow] }] };
    const uncounted = await findPage<Play>(collection, first, { ...request, size: 5 }, { _id: 1 }, times);
    expect(uncounted).toMatchObject({ total: 6, totalCapped: true });
    await expect(
      findPage<Play>(collection, { $and: [all, slow] }, request, { _id: 1 }, { page: 1, count: 1 }),
    ).rejects.toMatchObject({ code: 'query_too_slow' });
  });

  /** @returns what it gave, and how many documents, and how many of documents and keys, each of its operations looked at */
  async function watched(look: () => Promise<unknown>) {
    const profile = mongo.collection<{ docsExamined?: number; keysExamined?: number }>('system.profile');
    const from = new Date(mongo.serverNow());
    await mongo.db.command({ profile: 2 });
    const result = await look();
    await mongo.db.command({ profile: 0 });
    const seen = await profile
      .find({ ns: `${live.db}.${PLAYS}`, ts: { $gte: new Date(from.getTime() - 1) } })
      .toArray();
    await profile.drop();
    return {
      result,
      documents: seen.map(({ docsExamined = 0 }) => docsExamined),
      examined: seen.map(({ docsExamined = 0, keysExamined = 0 }) => Math.max(docsExamined, keysExamined)),
    };
  }
});
