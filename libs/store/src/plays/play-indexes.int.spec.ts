import { acceptPlay, type Play } from '@weft/engine';
import { createIdSource } from '@weft/kernel';
import { liveMongo } from '@weft/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureIndexes, OpenWorkRepository } from '@weft/records';
import { Mongo } from '../driver/mongo.js';
import { SystemScope, TenantScope } from '../scope.js';
import { FailedPlaysRepository } from './scans/failed-plays.repository.js';
import { ChildPlaysRepository } from './scans/child-plays.repository.js';
import { OpenPlaysRepository } from './scans/open-plays.repository.js';
import { PlayMovesRepository } from './reads/play-moves.repository.js';
import { PLAYS } from './play.schema.js';
import { WaitChainRepository } from './reads/wait-chain.repository.js';
import { PlaysAheadRepository } from './reads/plays-ahead.repository.js';
import { TurnRepository } from './write/turn.repository.js';
import { WaitingPlaysRepository } from './reads/waiting-plays.repository.js';
import { WindowPlaysRepository } from './scans/window-plays.repository.js';

const newId = createIdSource(() => Date.now(), 1);
const PAST = new Date(Date.now() - 60_000);
const FAR = new Date(Date.now() + 3_600_000);
const HISTORY = 400;
/** So late that only the play with a mark moved since then. */
const SINCE = Date.now() + 1_800_000;
const AFTER_YOUNG = { movedAt: new Date(SINCE), id: '' };

function playOf(flowId: string, change: Partial<Play>): Play {
  const order = { playId: newId(), companyId: 'c', flowId, version: 1, args: {}, idempotencyKey: null, dueAt: null };
  return { ...acceptPlay({ ...order, trigger: 'api', triggeredBy: null, serverNow: PAST }), ...change };
}

const deferred = (flowId: string, change: Partial<Play>): Play => {
  const { heartbeatAt: _heartbeatAt, ...play } = playOf(flowId, { state: 'DEFERRED', ...change });
  return play;
};

/** What each look finds among many plays that are not its business. */
describe('the looks at open plays', () => {
  const live = liveMongo({ isNew: true });
  let mongo: Mongo;

  beforeAll(async () => {
    mongo = await Mongo.open({ uri: live.uri, db: live.db, appName: 'test' });
    await ensureIndexes(mongo);
    const ended = Array.from({ length: HISTORY }, (_, i) => {
      const { heartbeatAt: _heartbeatAt, ...play } = playOf(`f${i % 4}`, { state: 'DONE', completedAt: PAST });
      return play;
    });
    const queue = Array.from({ length: HISTORY }, (_, i) =>
      deferred(`f${i % 4}`, { limitKey: '', queues: [`flow:f${i % 4}`] }),
    );
    const open = [
      deferred('f0', { dueAt: PAST }),
      deferred('f0', { dueAt: PAST, state: 'ON_HOLD', held: 'DEFERRED' }),
      deferred('f0', { dueAt: FAR, waitsFor: ['event:paid\n1'], state: 'WAIT' }),
      deferred('f0', { dueAt: FAR, waitsFor: ['event:paid\n'], state: 'WAIT' }),
      playOf('f0', { deadlineAt: PAST }),
      playOf('f1', { deadlineAt: FAR, priority: 5, ready: true }),
      playOf('f1', { priority: -5, ready: true }),
      { ...playOf('f1', { state: 'DONE', completedAt: FAR, seq: 4 }), heartbeatAt: undefined, movedAt: FAR },
    ];
    const failures = Array.from({ length: HISTORY }, (_, i) => {
      const { heartbeatAt: _heartbeatAt, ...play } = playOf('f', { company_id: 'd', state: 'FAIL', completedAt: PAST });
      return i < 4 ? { ...play, failurePending: 'handler', ...(i > 0 && { _id: `resting${i}` }) } : play;
    });
    const lanes = Array.from({ length: HISTORY }, (_, i) =>
      deferred('f', { lane: `l${i % 4}`, queues: [`lane:l${i % 4}`] }),
    );
    const items = Array.from({ length: HISTORY }, (_, item) => {
      const parent = { flowId: 'f', first: `p${(item >> 1) % 2}`, nth: 0, layer: item % 2, item, depth: 1 };
      const more = { parentPlayId: `p${(item >> 1) % 2}`, parent, parentPending: true, completedAt: PAST } as const;
      const { heartbeatAt: _heartbeatAt, ...play } = playOf('f', { state: 'DONE', ...more });
      return play;
    });
    await mongo.collection<Play>(PLAYS).insertMany([...ended, ...queue, ...open, ...failures, ...lanes, ...items]);
  });
  afterAll(() => mongo.close());

  const plays = () => new OpenPlaysRepository(mongo, new SystemScope('a test looks at all'));
  const windowPlays = () => new WindowPlaysRepository(mongo, new SystemScope('a test looks at all'));
  const moves = () => new PlayMovesRepository(mongo);
  const waiting = () => new WaitingPlaysRepository(mongo);
  const turns = () => new TurnRepository(mongo, all);
  const children = () => new ChildPlaysRepository(mongo);
  const layer = { companyId: 'c', flowId: 'f', playId: 'p0', position: 0 };
  const scope = new TenantScope('c');
  const parent = { _id: 'p0', createdAt: PAST };
  const chains = () => new WaitChainRepository(mongo);
  const work = () => new OpenWorkRepository(mongo);
  const ahead = () => new PlaysAheadRepository(mongo);
  const aside = { _id: 'p', flowId: 'f', priority: 0 };
  const failures = () => new FailedPlaysRepository(mongo);
  const resting = ['resting1', 'resting2', 'resting3'];
  const all = new SystemScope('a test looks at all');
  const now = new Date();

  it.each<[string, () => Promise<unknown>, string, number]>([
    ['what is due', () => plays().due(now, 500), 'dueAt: 1, state: 1', 1],
    ['what is due of a company', () => plays().dueOf('c', now, 500), 'dueAt: 1, state: 1', 1],
    ['what is due behind a company', () => plays().due(now, 500, { behind: 'b' }), 'dueAt: 1, state: 1', 1],
    ['how much is due', () => plays().countDue('c', now, 50), 'dueAt: 1, state: 1', 0],
    ['how much is due of a company', () => work().due(new TenantScope('c'), now, 50), 'dueAt: 1, state: 1', 0],
    ['how much is due of all', () => work().due(new SystemScope('test'), now, 50), '{ dueAt: 1, state: 1 }', 0],
    ['how much is delayed', () => plays().countNotYetDue('c', now, 50), 'dueAt: 1, state: 1', 0],
    ['how much rests', () => plays().countResting('c', 5), 'company_id: 1, state: 1', 0],
    ['what is out of time', () => plays().outOfTime(now, 500), 'deadlineAt: 1', 1],
    ['who gave no sign of life', () => plays().silent(null, now, 500), 'heartbeatAt: 1', 1],
    ['who else gave none', () => plays().silent({ heartbeatAt: PAST, id: '0' }, now, 500), 'heartbeatAt: 1', 1],
    [
      'who waits for an event',
      () => waiting().find(new TenantScope('c'), { waitsFor: ['event:paid\n1', 'event:paid\n'] }, '', 500),
      'waitsFor: 1',
      2,
    ],
    ['who waits longest', () => work().waitingSince(new SystemScope('a test looks at all')), 'heartbeatAt: 1', 2],
    ['a queue', () => turns().next({ companyId: 'c', queue: 'flow:f2' }, 10), 'queues: 1', 10],
    ['the next queue', () => turns().nextWithQueue({ companyId: 'c', queue: 'flow:f1' }), 'queues: 1', 1],
    ['the first queue', () => turns().nextWithQueue(null), 'queues: 1', 1],
    ['the next company with a queue', () => turns().nextWithQueue({ companyId: 'b' }), 'queues: 1', 1],
    ['no company with a queue', () => turns().nextWithQueue({ companyId: 'c' }), 'queues: 1', 0],
    ['how many have turns', () => turns().countTurns({ companyId: 'c', queue: 'flow:f2' }, 10), 'turns: 1', 0],
    ['which turns they have', () => turns().slots({ companyId: 'c', queue: 'flow:f2' }), 'turns: 1', 0],
    ['who waits for turns of flows', () => work().queued(all, 1_000), 'queues: 1', HISTORY],
    ['the first layer with ended plays', () => children().nextWithEnds(all, null), 'completedAt: 1', 1],
    ['the next layer with ended plays', () => children().nextWithEnds(all, layer), 'completedAt: 1', 3],
    ['no company with such layers', () => children().nextWithEnds(all, { companyId: 'c' }), 'completedAt: 1', 0],
    ['how many plays of a layer have ended', () => children().countEnds(all, layer, 10), 'completedAt: 1', 10],
    ['the plays of a loop', () => children().startedItems(scope, parent, 0, 10), 'parent.item: 1', 10],
    ['the play of an item', () => children().childOf(scope, 'f', parent, { layer: 0, item: 0 }), 'parent.item: 1', 1],
    ['no play of a layer', () => children().childOf(scope, 'f', parent, { layer: 0 }), 'parent.item: 1', 0],
    ['who holds up a layer', () => chains().startedBy(scope, parent, 0), 'parent.item: 1', HISTORY],
    ['how long the queues are', () => turns().countWaiting('c', 50), 'queues: 1', 50],
    ['who gets room next', () => windowPlays().waiting('c', 10), 'ready: 1', 2],
    ['which companies have some that wait', () => windowPlays().companies(), 'DISTINCT_SCAN { ready: 1', 0],
    ['how many wait for room', () => plays().countWaiting('c', 50), 'ready: 1', 0],
    ['how many wait for room in all', () => work().outsideWindow(all, 50), 'ready: 1', 0],
    ['who is before a play', () => ahead().waiting(new TenantScope('c'), aside), 'ready: 1', 0],
    ['the next company with failures', () => failures().nextCompany(all, 'c', []), 'company_id: 1, completedAt: 1', 1],
    ['no company but this one', () => failures().nextCompany(all, '', ['d']), 'company_id: 1, completedAt: 1', 0],
    ['failures but these', () => failures().pending(all, 'd', 50, resting), 'company_id: 1, completedAt: 1', 1],
    ['what moved late', () => moves().pageMovedSince(new TenantScope('c'), SINCE, AFTER_YOUNG, 10), 'movedAt: 1', 1],
    ['what moved young', () => moves().pageMovedSince(new TenantScope('c'), SINCE, null, 10), 'company_id: 1', 0],
  ])('find %s by an index, and read nothing else', async (_what, look, index, most) => {
    await mongo.db.command({ profile: 2 });
    await look();
    await mongo.db.command({ profile: 0 });
    const profile = mongo.collection<{
      planSummary?: string;
      docsExamined: number;
      keysExamined: number;
      hasSortStage?: boolean;
    }>('system.profile');
    const [seen] = await profile.find({ ns: `${live.db}.${PLAYS}` }, { sort: { ts: -1 }, limit: 1 }).toArray();
    expect(seen?.planSummary).toContain(index);
    expect(seen?.hasSortStage).toBeUndefined();
    expect(seen?.docsExamined).toBeLessThanOrEqual(most);
    expect(seen?.keysExamined).toBeLessThanOrEqual(most + 5);
  });
});
