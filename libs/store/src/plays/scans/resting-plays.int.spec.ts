import type { Play } from '@weft/engine';
import { aPlay, liveMongo } from '@weft/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ensureIndexes, OpenWorkRepository } from '@weft/records';
import { Mongo } from '../../driver/mongo.js';
import { SystemScope } from '../../scope.js';
import { OpenPlaysRepository, type HeartbeatMark } from './open-plays.repository.js';
import { PLAYS } from '../play.schema.js';
import { TurnRepository } from '../write/turn.repository.js';

/** What schedulers read each second of plays that rest: as little as of none. */
const ALL = new SystemScope('spec');
const BACKLOG = 300;
const LANES = 50;
const COMPANIES = 200;
const beganAt = Date.now() - 3_600_000;
const dueAt = Date.now() + 3_600_000;
const { uri, db } = liveMongo();
let mongo: Mongo;

const waiting = (playId: string, more: Partial<Play>): Play => {
  const { heartbeatAt: _heartbeatAt, ...play } = aPlay({ playId, companyId: 'c' });
  return { ...play, ...more };
};

beforeAll(async () => {
  mongo = await Mongo.open({ uri, db, appName: 'spec' });
  await ensureIndexes(mongo);
  const backlog = Array.from({ length: BACKLOG }, (_, i) => ({
    ...aPlay({ playId: `n${String(i).padStart(3, '0')}` }),
    heartbeatAt: new Date(beganAt + i),
  }));
  const owner = { state: 'RUN', owner: 'w' } as const;
  const owned = [100, BACKLOG].map((i) => ({
    ...aPlay({ playId: `o${i}` }),
    ...owner,
    heartbeatAt: new Date(beganAt + i),
  }));
  const lanes = Array.from({ length: LANES }, (_, i) => `l${String(i).padStart(2, '0')}`).flatMap((lane, i) => [
    waiting(`q${lane}`, { state: 'DEFERRED', lane, queues: [`lane:${lane}`] }),
    // of the last lanes one has stopped, one waits for nobody
    ...(i === 49 ? [] : [waiting(`h${lane}`, { state: i === 48 ? 'FAIL' : 'WAIT', lane, turns: [`lane:${lane}#0`] })]),
  ]);
  const delayed = Array.from({ length: COMPANIES }, (_, i) => {
    const waits = waiting(`d${i}`, { state: 'DEFERRED', company_id: `c${i}`, dueAt: new Date(dueAt + i) });
    const onHold = waiting(`e${i}`, { state: 'ON_HOLD', held: 'WAIT', company_id: `c${i}`, dueAt: new Date(beganAt) });
    return [waits, onHold];
  }).flat();
  await mongo
    .collection<Play>(PLAYS)
    .insertMany([...backlog, ...owned, ...lanes, ...delayed], { ignoreUndefined: true });
});
afterAll(() => mongo.close());

type Reads = Readonly<Record<'docsExamined' | 'keysExamined' | 'nreturned', number>> & { readonly hasSortStage?: true };

/** What MongoDB did for these reads. */
async function profiled<T>(read: () => Promise<T>) {
  await mongo.db.command({ profile: 2 });
  const answer = await read();
  await mongo.db.command({ profile: 0 });
  const profile = mongo.collection<Reads>('system.profile');
  const reads = await profile.find({ ns: `${db}.${PLAYS}` }, { sort: { ts: 1 } }).toArray();
  await profile.drop();
  return { answer, reads };
}

it('finds dead owners behind a backlog without reading what the backlog holds', async () => {
  const plays = new OpenPlaysRepository(mongo, ALL);
  const found: string[] = [];
  const { reads, answer: pages } = await profiled(async () => {
    let mark: HeartbeatMark | null = null;
    for (let count = 1; ; count += 1) {
      const page = await plays.silentOwned(mark, new Date(beganAt + BACKLOG), 200);
      found.push(...page.plays.map(({ _id }) => _id));
      mark = page.reached;
      if (page.isLast) return count;
    }
  });
  expect([found, pages]).toEqual([['o100', 'o300'], 2]);
  expect(reads.reduce((sum, { nreturned }) => sum + nreturned, 0)).toBeLessThanOrEqual(2 * 3 + found.length);
});

it('asks nothing more where no heartbeat has become old', async () => {
  const plays = new OpenPlaysRepository(mongo, ALL);
  const mark = { heartbeatAt: new Date(beganAt + BACKLOG), id: 'o300' };
  const { reads, answer } = await profiled(() => plays.silentOwned(mark, new Date(beganAt + BACKLOG)));
  expect(answer).toEqual({ plays: [], reached: null, isLast: true });
  expect(reads.map(({ docsExamined }) => docsExamined)).toEqual([0]);
});

it('says by one key that nothing is due, however many companies have plays that are delayed or on hold', async () => {
  const plays = new OpenPlaysRepository(mongo, ALL);
  // MongoDB keeps the plan of the read from when much was due, which reads each company
  for (let i = 0; i < 3; i += 1) expect(await plays.due(new Date(dueAt + COMPANIES), 500)).toHaveLength(COMPANIES);
  const { reads, answer } = await profiled(() => plays.due(new Date(dueAt - 1), 500));
  expect(answer).toEqual([]);
  expect(reads.map(({ keysExamined, docsExamined }) => [keysExamined, docsExamined])).toEqual([[1, 0]]);
});

it('counts what is due of all companies by its keys alone', async () => {
  const { reads, answer } = await profiled(() => new OpenWorkRepository(mongo).due(ALL, new Date(dueAt + 2), 100));
  expect(answer).toBe(3);
  expect(reads.map(({ docsExamined }) => docsExamined)).toEqual([0]);
  expect(reads[0]?.keysExamined).toBeLessThanOrEqual(4);
});

it('finds what is due, also where plays that rest are due before it', async () => {
  const plays = new OpenPlaysRepository(mongo, ALL);
  const due = await plays.due(new Date(dueAt + 2), 500, null, ['d0', 'd1']);
  expect(due.map(({ _id }) => _id)).toEqual(['d2']);
  expect(await plays.due(new Date(dueAt + 2), 500, null, ['d0', 'd1', 'd2'])).toEqual([]);
});

it('asks for the holders of many lanes in one read, and names the queues that may go on', async () => {
  const lanes = Array.from({ length: LANES }, (_, i) => ({
    companyId: 'c',
    queue: `lane:l${String(i).padStart(2, '0')}`,
  }));
  const queues = [...lanes, { companyId: 'c', queue: 'flow:f' }];
  const { reads, answer } = await profiled(() => new TurnRepository(mongo, ALL).withoutOpenHolder(queues));
  expect(answer.map(({ queue }) => queue)).toEqual(['lane:l48', 'lane:l49', 'flow:f']);
  expect(reads).toHaveLength(1);
});
