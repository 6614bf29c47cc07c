import {
  decideCommand,
  retryOf,
  type FlowVersion,
  type LayerResult,
  type LayerWait,
  type LogEntry,
  type Play,
} from '@weft/engine';
import { aPlay, liveMongo } from '@weft/testing';
import mongoose from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EventPlaysRepository } from '../../changes/event-plays.repository.js';
import { ensureIndexes } from '@weft/records';
import { findPage } from '../../driver/find-page.js';
import { Mongo } from '../../driver/mongo.js';
import { SystemScope, TenantScope } from '../../scope.js';
import { ChildPlaysRepository } from '../scans/child-plays.repository.js';
import { EndedPlaysRepository } from '../scans/ended-plays.repository.js';
import { FailedPlaysRepository } from '../scans/failed-plays.repository.js';
import { MongoPlayStore } from '../write/mongo-play-store.js';
import { OpenPlaysRepository } from '../scans/open-plays.repository.js';
import { PayloadStore } from '../payloads/payload.store.js';
import { PlayCommandsRepository } from '../write/play-commands.repository.js';
import { PlayJournalRepository } from './play-journal.repository.js';
import { playKeyOf } from '../play-keys.js';
import { weightOfWrite } from '../play-sizes.js';
import { PLAYS } from '../play.schema.js';
import { WaitingPlaysRepository } from './waiting-plays.repository.js';
import { TurnRepository } from '../write/turn.repository.js';
import { WindowPlaysRepository } from '../scans/window-plays.repository.js';

/**
 * Pages of plays that are as large as plays get: the 400 MB of a scheduler's heap hold a page of 500 of them only if nothing large is
 * read.
 */
const ALL = new SystemScope('spec');
const SCOPE = new TenantScope('company');
const PLAYS_OF_A_PAGE = 4;
const MIB = 1024 * 1024;
/** Of a play that is read without what can be large. */
const SMALL = 2 * 1024;
const PAGE_BYTES = 8 * MIB;
const past = new Date(Date.now() - 3_600_000);
const future = new Date(Date.now() + 3_600_000);

const { uri, db } = liveMongo();
let mongo: Mongo;
let plays: ReturnType<typeof mongo.collection<Play>>;

const approval = (position: number): LayerWait => ({
  ...{ position, ref: `a${position}`, kind: 'approval', since: past, until: past },
  approval: {
    message: '漢'.repeat(10_000),
    approvers: Array.from({ length: 100 }, (_, i) => '漢'.repeat(96) + String(i).padStart(4, '0')),
    onTimeout: 'fail',
  },
});

const event: LayerWait = {
  ...{ position: 70, ref: 'e', kind: 'event', since: past, until: past },
  event: { name: 'paid', key: null },
};

const pause: LayerWait = {
  ...{ position: 71, ref: 'c', kind: 'destination_down', since: past, until: future, destination: 'example.com:443' },
};

const entries = Array.from({ length: 1_000 }, (_, i): LogEntry => ({
  ...{ seq: i + 1, type: 'error', layer: 1, ref: 'l', retries: 1, at: past },
  message: 'x'.repeat(3_000),
}));

const result = (position: number): LayerResult => ({
  ...{ position, ref: `r${position}`, name: 'text-template', state: 'DONE', startedAt: past, completedAt: past },
  ...{ out: { text: 'x'.repeat(16_000) }, outBytes: 16_000, attempts: 1, by: 'w' },
});

/** 9 MB: what it waits for, answers, outputs and errors. */
const largest: Partial<Play> = {
  company_id: SCOPE.companyId,
  ...{ dueAt: past, deadlineAt: past, heartbeatAt: past, notAfter: past },
  waits: Object.fromEntries(
    [...Array.from({ length: 64 }, (_, i) => approval(i)), event, pause].map((w) => [w.position, w]),
  ),
  waitsFor: ['event:paid\n', 'destination:example.com:443'],
  inbox: { 1: 'x'.repeat(MIB) },
  layers: Array.from({ length: 60 }, (_, i) => result(80 + i)),
  log: entries,
};

/** As many as a page, which MongoDB copies: `a` waits, `b` is delayed, `c` has failed. */
async function copies(letter: string, set: Partial<Play>): Promise<void> {
  const play = { ...aPlay({ playId: `${letter}`, companyId: SCOPE.companyId }), ...largest, ...set };
  await plays.insertOne(play, { ignoreUndefined: true });
  const number = { $toString: '$copy' };
  await plays
    .aggregate([
      { $match: { _id: letter } },
      { $set: { copy: { $range: [1, PLAYS_OF_A_PAGE] } } },
      { $unwind: '$copy' },
      { $set: { _id: { $concat: [letter, number] }, key: { $concat: [letter, number] } } },
      { $unset: 'copy' },
      { $merge: PLAYS },
    ])
    .toArray();
}

beforeAll(async () => {
  mongo = await Mongo.open({ uri, db, appName: 'spec' });
  await ensureIndexes(mongo);
  plays = mongo.collection<Play>(PLAYS);
  await copies('a', { state: 'WAIT', key: 'a' });
  await copies('b', { state: 'DEFERRED', key: 'b', lane: 'l', queues: ['lane:l', 'flow:f'] });
  const open = { waits: undefined, waitsFor: undefined, inbox: undefined, heartbeatAt: undefined, dueAt: undefined };
  await copies('c', { state: 'FAIL', key: 'c', completedAt: past, failurePending: 'f', ...open });
});
afterAll(() => mongo.close());

const bytesOf = (docs: readonly object[]): number =>
  docs.reduce((sum, doc) => sum + mongoose.mongo.BSON.calculateObjectSize(doc), 0);
const ids = (letter: string): string[] => [letter, ...[1, 2, 3].map((i) => `${letter}${i}`)];

describe('a page of plays that wait for megabytes', () => {
  const open = () => new OpenPlaysRepository(mongo, ALL);
  const now = new Date();
  it.each([
    ['due plays', () => open().due(now, 500)],
    ['due plays of a company', () => open().dueOf(SCOPE.companyId, now, 500)],
    ['plays that are out of time', () => open().outOfTime(now, 500)],
    ['plays that are too late', () => open().tooLate(now, 500)],
    ['plays without a heartbeat', async () => (await open().silent(null, now, 500)).plays],
    ['plays by id', () => open().byIds(ids('a'))],
    ['plays that wait for turns', () => turns().next({ companyId: SCOPE.companyId, queue: 'flow:f' }, 500)],
    [
      'what is due of a window',
      async () => (await windowOf().due(SCOPE.companyId, now, 500)).changes.map(({ play }) => play),
    ],
    ['the next play of a lane', () => turns().next({ companyId: SCOPE.companyId, queue: 'lane:l' }, 1)],
  ])('%s has nothing of it', async (_name, read) => {
    const page = (await read()).flatMap((play) => play ?? []);
    expect(page.length).toBeGreaterThan(0);
    expect(bytesOf(page)).toBeLessThan(page.length * SMALL);
    // the reconciler must still know that they wait
    expect(page.map(({ waits }) => waits)).toEqual(page.map(() => true));
  });

  const windowOf = () => new WindowPlaysRepository(mongo, ALL);
  const turns = () => new TurnRepository(mongo, ALL);

  it('for those who bring answers has what each wait is for, and no texts', async () => {
    const waiting = new WaitingPlaysRepository(mongo);
    const { plays: page, next } = await waiting.find(SCOPE, { waitsFor: ['event:paid\n'] }, '', 500);
    expect([page.map(({ _id }) => _id), next]).toEqual([[...ids('a'), ...ids('b')], null]);
    expect(bytesOf(page)).toBeLessThan(page.length * 16 * 1024);
    expect(page[0]?.waits?.[70]).toEqual({
      position: 70,
      kind: 'event',
      since: past,
      until: past,
      event: { name: 'paid', key: null },
    });
  });

  it('for commands on many has none of it', async () => {
    const commands = new PlayCommandsRepository(mongo, new PayloadStore(mongo));
    const seen = (await Promise.all(ids('a').map((id) => commands.findToCancel(SCOPE, id)))).flatMap(
      (play) => play ?? [],
    );
    const error = { code: 'cancelled', message: '', ref: null };
    for (const play of seen) expect(decideCommand(play, { kind: 'cancel', error }, now).kind).toBe('write');
    expect(seen.length).toBe(PLAYS_OF_A_PAGE);
    expect(bytesOf(seen)).toBeLessThan(PLAYS_OF_A_PAGE * 16 * 1024);
  });

  it('for holders of keys has no outputs and no texts', async () => {
    const store = new MongoPlayStore(mongo, { outcomePatienceMs: 0 });
    const holders = await Promise.all(
      ids('a').map((key) => store.holderOf({ company_id: SCOPE.companyId, flowId: aPlay().flowId, key })),
    );
    const found = holders.flatMap((play) => play ?? []);
    expect(found.map(({ _id }) => _id)).toEqual(ids('a'));
    expect(bytesOf(found)).toBeLessThan(PLAYS_OF_A_PAGE * 256 * 1024);
  });
});

describe('the plays that layers have started, many at a time', () => {
  const scope = new TenantScope('other');
  const children = () => new ChildPlaysRepository(mongo);
  beforeAll(async () => {
    const parent = { flowId: 'f', first: 'p', nth: 0, layer: 7, depth: 1, awaited: true } as const;
    const own = { company_id: 'other', state: 'FAIL', completedAt: past, parent, parentPlayId: 'p' } as const;
    const open = { heartbeatAt: undefined, dueAt: undefined, deadlineAt: undefined, notAfter: undefined };
    const play = { ...aPlay({ playId: 'child', companyId: 'other' }), ...largest, ...open, ...own };
    await plays.insertOne(play, { ignoreUndefined: true });
  });

  it('are found with nothing of what they have', async () => {
    const parent = { _id: 'p', createdAt: past };
    const found = await children().childOf(scope, aPlay().flowId, parent, { layer: 7 });
    expect(found).toMatchObject({ _id: 'child', state: 'FAIL', parentPlayId: 'p' });
    expect(await children().find(scope, 'child')).toEqual(found);
    expect(bytesOf([found!])).toBeLessThan(SMALL);
  });

  it('are retried without their log and what they waited for', async () => {
    const whole = await plays.findOne({ _id: 'child' });
    const version = { layers: [], settings: {} } as unknown as FlowVersion;
    const request = { playId: 'retry', triggeredBy: null, serverNow: past };
    for (const read of [
      children().toRetry(scope, 'child'),
      new PlayCommandsRepository(mongo, new PayloadStore(mongo)).findToRetry(scope, 'child'),
    ]) {
      const failed = await read;
      expect(retryOf(failed!, version, request)).toEqual(retryOf(whole!, version, request));
      expect(bytesOf([failed!])).toBeLessThan(MIB + 64 * 1024);
    }
  });
});

describe('a page of plays with large journals', () => {
  it('of gateways ends with the journal that fills it, and names those to read again', async () => {
    const journals = new PlayJournalRepository(mongo);
    let reads = ids('a').map((playId) => ({ playId, companyId: SCOPE.companyId, layersFrom: 0 }));
    const pages: number[] = [];
    while (reads.length > 0) {
      const answer = await journals.readJournals(ALL, reads);
      const read = answer.flatMap((play) => ('isUnread' in play ? [] : play));
      expect(bytesOf(read)).toBeLessThan(PAGE_BYTES + 4 * MIB);
      expect(read.map(({ waits }) => waits)).toEqual(read.map(() => ({})));
      pages.push(read.length);
      const unread = new Set(answer.flatMap((play) => ('isUnread' in play ? play._id : [])));
      reads = reads.filter(({ playId }) => unread.has(playId));
    }
    expect(pages).toEqual([3, 1]);
  });

  it('of webhooks says that there are more', async () => {
    const { plays: read, hasMore } = await new EventPlaysRepository(mongo).read(SCOPE, ids('c'), true);
    expect([read.size, hasMore]).toEqual([3, true]);
  });

  it('of failures and of ends has no texts of the log', async () => {
    const failed = await new FailedPlaysRepository(mongo).pending(ALL, SCOPE.companyId, 50, []);
    const ended = await new EndedPlaysRepository(mongo, ALL).endedAmong(ids('c'));
    expect([failed.length, ended.length]).toEqual([PLAYS_OF_A_PAGE, PLAYS_OF_A_PAGE]);
    expect(bytesOf([...failed, ...ended])).toBeLessThan(PAGE_BYTES);
  });
});

it('gives up to the bytes of a page, at least one play, and then the next ones', async () => {
  const sizes: number[] = [];
  for (let after = 'a'; ;) {
    const filter = { company_id: SCOPE.companyId, _id: { $gt: after } };
    const options = { projection: { log: 1 }, sort: { _id: 1 }, limit: 500 } as const;
    const { docs, hasMore } = await findPage(plays, filter, options, 4 * MIB);
    sizes.push(docs.length);
    if (!hasMore) break;
    after = docs.at(-1)?._id ?? '';
  }
  expect(sizes).toEqual([2, 2, 2, 2, 2, 1]);
});

it('reads a large play only when there is room for it, by itself, and small ones at once', async () => {
  const reads: number[] = [];
  const store = new MongoPlayStore(mongo, { outcomePatienceMs: 0, onBatch: (_operation, plays) => reads.push(plays) });
  const small = aPlay({ playId: 'small', companyId: SCOPE.companyId });
  await plays.insertOne(small);
  const asked: number[] = [];
  const { promise: room, resolve: give } = Promise.withResolvers<void>();
  const find = (id: string) => store.find({ ...playKeyOf(small), playId: id }, (bytes) => (asked.push(bytes), room));
  const large = ids('a').map(find);
  expect([await find('small'), await find('none')]).toEqual([small, null]);
  await expect.poll(() => asked.length).toBe(PLAYS_OF_A_PAGE);
  expect(asked.every((bytes) => bytes > 8 * MIB)).toBe(true);
  expect(await Promise.race([...large, Promise.resolve('waits')])).toBe('waits');
  const before = reads.length;
  give();
  expect((await Promise.all(large)).map((play) => play?._id)).toEqual(ids('a'));
  expect(reads.slice(before)).toEqual(Array(PLAYS_OF_A_PAGE).fill(1));
  // who asks for no room gets the play; another company does not have it
  expect((await store.find({ ...playKeyOf(small), playId: 'a' }))?.log.length).toBe(largest.log?.length);
  expect(await store.find({ ...playKeyOf(small), playId: 'a', companyId: 'another' })).toBeNull();
});

it('ends one pause by a small write, and leaves what the other layers wait for as it is', async () => {
  const store = new MongoPlayStore(mongo, { outcomePatienceMs: 0 });
  const waiting = new WaitingPlaysRepository(mongo);
  const { plays: page } = await waiting.find(SCOPE, { waitsFor: ['destination:example.com:443'] }, '', 1);
  const [play] = page;
  if (!play) throw new Error('no play waits');
  const at = new Date();
  const decision = decideCommand(play, { kind: 'retryNow', position: 71 }, at);
  if (decision.kind !== 'write') throw new Error(decision.kind);
  expect(weightOfWrite(decision.write)).toBeLessThan(4 * 1024);
  expect(await store.write(playKeyOf(play), decision.write)).toBe(true);
  const after = await store.find(playKeyOf(play));
  expect(after?.waits).toEqual({ ...largest.waits, 71: { ...pause, until: at } });
});
