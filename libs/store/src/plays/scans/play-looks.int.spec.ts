import { ensureIndexes } from '@weft/records';
import { aPlay, liveMongo } from '@weft/testing';
import type { Play } from '@weft/engine';
import { createIdSource } from '@weft/kernel';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { lookFor, type Look } from '../../driver/looks.js';
import { Mongo } from '../../driver/mongo.js';
import { PLAYS } from '../play.schema.js';
import { PLAY_LOOKS } from './play-looks.js';

const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
await ensureIndexes(mongo);
const plays = mongo.collection<Play>(PLAYS);
const newId = createIdSource(() => Date.now(), 1);
afterAll(() => mongo.close());
beforeEach(() => plays.deleteMany({}));

const NOW = new Date('2026-07-01T12:00:00Z');
const EARLIER = new Date(NOW.getTime() - 1_000);
const LATER = new Date(NOW.getTime() + 1_000);
type Kind = keyof typeof PLAY_LOOKS;
const KINDS = Object.keys(PLAY_LOOKS) as Kind[];
const lookOf = (kind: Kind): Look => PLAY_LOOKS[kind](NOW);

async function found(): Promise<readonly Kind[]> {
  const [first, ...others] = KINDS.map(lookOf);
  if (!first) throw new Error('there are no looks');
  const answers = await lookFor(mongo, [first, ...others], 10_000);
  return KINDS.filter((_, i) => answers[i]);
}

/** A play with these fields, which nothing looks for without them. */
async function store(fields: Partial<Play>): Promise<void> {
  const { heartbeatAt: _, ...play } = aPlay({ playId: newId(), companyId: 'c', serverNow: NOW });
  await plays.insertOne({ ...play, ...fields }, { ignoreUndefined: true });
}

const FOUND: readonly (readonly [Kind, Partial<Play>, Partial<Play>])[] = [
  ['inWork', { heartbeatAt: EARLIER }, {}],
  ['due', { state: 'WAIT', dueAt: EARLIER }, { state: 'WAIT', dueAt: LATER }],
  ['outOfTime', { state: 'WAIT', deadlineAt: EARLIER }, { state: 'WAIT', deadlineAt: LATER }],
  ['tooLate', { state: 'DEFERRED', notAfter: EARLIER }, { state: 'DEFERRED', notAfter: LATER }],
  ['inQueues', { state: 'DEFERRED', queues: ['lane:a'] }, { state: 'DEFERRED' }],
  ['pendingFailures', { state: 'FAIL', failurePending: 'flow' }, { state: 'FAIL' }],
  ['endsOfChildren', { state: 'DONE', parentPending: true, completedAt: NOW }, { parentPending: true, state: 'WAIT' }],
];

describe('one query for all looks at plays', () => {
  it('finds nothing where there is nothing to do, whatever the history', async () => {
    expect(await found()).toEqual([]);
    for (const [, , other] of FOUND) await store(other);
    expect(await found()).toEqual([]);
  });

  it.each(FOUND)('finds %s, and nothing else', async (kind, fields) => {
    await store(fields);
    expect(await found()).toEqual([kind]);
  });

  it('has a case here for each of them', () => {
    expect(FOUND.map(([kind]) => kind).toSorted()).toEqual(KINDS.toSorted());
  });

  const INDEXES: Readonly<Record<Kind, string>> = {
    inWork: 'silent',
    due: 'due',
    outOfTime: 'deadline',
    tooLate: 'not_after',
    inQueues: 'queues',
    pendingFailures: 'pending_failures',
    endsOfChildren: 'ended_children',
  };

  it.each(KINDS)('reads for %s one key of its index, among many plays that it does not want', async (kind) => {
    for (let n = 0; n < 300; n += 1) await store({ state: (['DONE', 'FAIL', 'WAIT', 'DEFERRED'] as const)[n % 4] });
    const { filter } = lookOf(kind);
    const plan = (await plays.aggregate([{ $match: filter }, { $limit: 1 }]).explain('executionStats')) as object;
    const text = JSON.stringify(plan);
    expect(/"totalKeysExamined":(\d+),"totalDocsExamined":(\d+)/.exec(text)?.slice(1)).toEqual(['0', '0']);
    expect(text).toContain(`"indexName":"${INDEXES[kind]}"`);
  });
});
