import { acceptPlay, type Play } from '@weft/engine';
import { createIdSource } from '@weft/kernel';
import { liveMongo } from '@weft/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ensureIndexes } from '@weft/records';
import { Mongo } from '../../driver/mongo.js';
import { TenantScope } from '../../scope.js';
import type { LateMove } from './late-moves.js';
import { endKey, isEndKey } from './page-by-end.js';
import { toEndedQuery, type PlayFilter } from './play-query.js';
import { PlayReadsRepository } from './play-reads.repository.js';
import { PLAYS } from '../play.schema.js';

const scope = new TenantScope('c');
const DAY = 24 * 3_600_000;
const NOW = Date.now();

/** As its writes leave it: what ends when its id is older than 10 s is marked; between 10 and 15 s it may be either. */
function endedPlay(
  madeAt: number,
  lastsMs: number,
  state: Play['state'],
  isMarked = lastsMs > 12_000,
): Play & LateMove {
  const playId = createIdSource(() => madeAt, Math.floor(Math.random() * 2 ** 32))();
  const ask = { companyId: 'c', flowId: 'f', version: 1, args: {}, idempotencyKey: null, dueAt: null } as const;
  const at = new Date(madeAt);
  const play = acceptPlay({ ...ask, playId, trigger: 'api', triggeredBy: 'u', serverNow: at });
  const completedAt = new Date(madeAt + lastsMs);
  return { ...play, state, completedAt, ...(isMarked && { movedAt: completedAt }) };
}

describe('a list of plays by the time of their end', () => {
  const live = liveMongo();
  let mongo: Mongo;
  let reads: PlayReadsRepository;

  beforeAll(async () => {
    mongo = await Mongo.open({ uri: live.uri, db: live.db, appName: 'test' });
    await ensureIndexes(mongo);
    reads = new PlayReadsRepository(mongo);
  });
  beforeEach(() => mongo.collection<Play>(PLAYS).deleteMany({}));
  afterAll(() => mongo.close());

  async function walk(filter: PlayFilter, size: number): Promise<string[]> {
    const ids: string[] = [];
    for (let after: string | null = null, page = 0; ; page += 1) {
      const { items, nextAfter, total } = await reads.listByEnd(scope, filter, { page, size, after });
      ids.push(...items.map(({ _id }) => _id));
      if (nextAfter === null) {
        expect(total).toBe(ids.length);
        return ids;
      }
      expect(items).toHaveLength(size);
      after = nextAfter;
    }
  }

  const expected = (plays: readonly Play[], keep: (play: Play, endedAt: number) => boolean): string[] =>
    plays
      .filter((play) => keep(play, play.completedAt?.getTime() ?? 0))
      .toSorted((a, b) => {
        const byEnd = (b.completedAt?.getTime() ?? 0) - (a.completedAt?.getTime() ?? 0);
        return byEnd === 0 ? (a._id < b._id ? 1 : -1) : byEnd;
      })
      .map(({ _id }) => _id);

  it('has each once and in order over all of its pages, however long ago and after however long they ended', async () => {
    const ages = fc.oneof(
      fc.integer({ min: 0, max: 5_000 }),
      fc.integer({ min: 0, max: 900 * DAY }),
      fc.constant(60_000),
    );
    const lasting = fc.oneof(
      fc.integer({ min: 0, max: 14_999 }),
      fc.integer({ min: 0, max: 30 * DAY }),
      fc.constant(100),
    );
    const states = fc.constantFrom<Play['state']>('DONE', 'DONE', 'FAIL', 'SKIP');
    const one = fc.record({ age: ages, lasts: lasting, state: states });
    await fc.assert(
      fc.asyncProperty(
        fc.array(one, { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 3, max: 12 }),
        async (all, size) => {
          await mongo.collection<Play>(PLAYS).deleteMany({});
          const plays = all.map(({ age, lasts, state }) => endedPlay(NOW - age, lasts, state));
          const open = acceptPlay({ ...REQUEST, playId: createIdSource(() => NOW, 7)() });
          await mongo.collection<Play>(PLAYS).insertMany([...plays, open]);
          expect(await walk({}, size)).toEqual(expected(plays, () => true));
          expect(await walk({ states: ['FAIL'] }, size)).toEqual(expected(plays, ({ state }) => state === 'FAIL'));
          const [endedFrom, endedTo] = [new Date(NOW - 20 * DAY), new Date(NOW - 60_000)];
          const inRange = (_play: Play, at: number) => at >= endedFrom.getTime() && at < endedTo.getTime();
          expect(await walk({ endedFrom, endedTo }, size)).toEqual(expected(plays, inRange));
          const listed = await reads.list(scope, { endedFrom, endedTo }, { page: 0, size: 100, after: null });
          expect(listed.items.map(({ _id }) => _id).toSorted()).toEqual(expected(plays, inRange).toSorted());
        },
      ),
      { numRuns: 10 },
    );
  });

  it('finds the same by page number', async () => {
    const plays = Array.from({ length: 30 }, (_, i) => endedPlay(NOW - i * 7_000, (i * 3_001) % 20_000, 'DONE'));
    await mongo.collection<Play>(PLAYS).insertMany(plays);
    const { items, total } = await reads.listByEnd(scope, {}, { page: 2, size: 7, after: null });
    expect(items.map(({ _id }) => _id)).toEqual(expected(plays, () => true).slice(14, 21));
    expect(total).toBe(30);
  });

  it('reads what can have ended in the ranges of its page, and hardly anything of a long history', async () => {
    const plays = Array.from({ length: 3_000 }, (_, i) => endedPlay(NOW - i * 60_000, 500, 'DONE'));
    const late = endedPlay(NOW - 2 * DAY, 2 * DAY - 3_600_000, 'DONE');
    await mongo.collection<Play>(PLAYS).insertMany([...plays, late]);
    const ranges: PlayFilter[] = [
      { endedFrom: new Date(NOW - 3_700_000) },
      { endedFrom: new Date(NOW - 3_700_000), endedTo: new Date(NOW - 3_500_000) },
    ];
    for (const range of ranges) {
      const query = toEndedQuery(scope, range);
      const plan = await mongo.collection<Play>(PLAYS).find(query).explain('executionStats');
      const stats = plan.executionStats as { totalDocsExamined: number; nReturned: number };
      expect(stats.totalDocsExamined).toBeLessThan(80);
      expect(stats.nReturned).toBeGreaterThan(3);
    }
    const found = await reads.listByEnd(scope, {}, { page: 0, size: 70, after: null });
    expect(found.items.some(({ _id }) => _id === late._id)).toBe(true);
  });

  it('takes no cursor of another list', () => {
    const play = endedPlay(NOW, 5, 'DONE');
    expect([endKey(play), play._id, `x-${play._id}`, '1-', `1-${play._id}x`].map(isEndKey)).toEqual([
      ...[true, false, false, false, false],
    ]);
  });
});

const REQUEST = {
  ...{ companyId: 'c', flowId: 'f', version: 1, args: {}, idempotencyKey: null, dueAt: null },
  ...{ trigger: 'api' as const, triggeredBy: null, serverNow: new Date(NOW) },
};
