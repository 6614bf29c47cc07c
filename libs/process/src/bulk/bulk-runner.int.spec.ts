import { WeftError } from '@weft/kernel';
import { Mongo, TenantScope } from '@weft/store';
import { BULKS, BulkRepository, ensureIndexes, type BulkDocument, type BulkTally } from '@weft/records';
import { liveMongo, waitFor } from '@weft/testing';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { BulkRunner, type BulkRunnerOptions } from './bulk-runner.js';
import { BulkEnd, BulkPause, type BulkStrategy } from './bulk-strategy.js';

const { uri, db } = liveMongo();
const mongo = await Mongo.open({ uri, db, appName: 'spec' });
await ensureIndexes(mongo);
afterAll(() => mongo.close());
const store = new BulkRepository(mongo);
const bulks = mongo.collection<BulkDocument>(BULKS);
const scope = new TenantScope('c1');
const ITEMS = Array.from({ length: 23 }, (_, i) => `item-${String(i).padStart(2, '0')}`);

beforeEach(() => bulks.deleteMany({}));

/** Items in memory, which are changed once whoever asks, and how often each was. */
class Items implements BulkStrategy {
  readonly kind = 'spec';
  readonly changes: string[] = [];
  onApply: (items: readonly string[]) => void | Promise<void> = () => undefined;

  batchOf(): number {
    return 5;
  }

  next(_bulk: BulkDocument, after: string | null, limit: number): Promise<readonly string[]> {
    return Promise.resolve(ITEMS.filter((item) => item > (after ?? '')).slice(0, limit));
  }

  async apply(_bulk: BulkDocument, items: readonly string[]): Promise<BulkTally> {
    await this.onApply(items);
    for (const item of items) if (!this.changes.includes(item)) this.changes.push(item);
    return { changed: items.length, skipped: 0, failed: 0 };
  }
}

async function start(over: Partial<BulkDocument> = {}): Promise<BulkDocument> {
  const entry = { action_type: 'bulk_started', collection: BULKS, company_id: 'c1' } as const;
  const requestedBy = { userId: 'u1', address: '', requestId: 'r1' };
  const bulk = { _id: `b${Math.random()}`, company_id: 'c1', kind: 'spec', action: 'change', matched: ITEMS.length };
  const started = await store.start(
    new TenantScope(over.company_id ?? 'c1'),
    { ...bulk, target: {}, ratePerSecond: null, requestedBy, ...over },
    10,
    entry,
  );
  if (!started) throw new Error('too many run');
  return started;
}

function runner(strategy: BulkStrategy, over: Partial<BulkRunnerOptions> = {}): BulkRunner {
  const serverNow = () => mongo.serverNow();
  return new BulkRunner({ store, strategies: [strategy], serverNow, onBatch: () => undefined, onFault: fail, ...over });
}
const fail = (error: unknown): never => expect.unreachable(String(error));

const stored = async ({ _id }: BulkDocument): Promise<BulkDocument> => (await bulks.findOne({ _id })) as BulkDocument;
/** Passes until the operation has ended; its pauses are over at once. */
async function finish(bulk: BulkDocument, ...runners: readonly BulkRunner[]): Promise<BulkDocument> {
  for (let i = 0; i < 500; i += 1) {
    await bulks.updateMany({ turnAt: { $exists: true } }, [{ $set: { turnAt: '$$NOW' } }]);
    await Promise.all(runners.map((one) => one.pass().catch(() => undefined)));
    const now = await stored(bulk);
    if (now.state !== 'running') return now;
  }
  throw new Error('the operation does not end');
}

describe('a bulk operation', () => {
  it('is done batch by batch, counted and ended', async () => {
    const items = new Items();
    const seen: unknown[] = [];
    const bulk = await start({ matched: 20 });
    const done = await finish(bulk, runner(items, { onBatch: (action, { changed }) => seen.push([action, changed]) }));
    expect(items.changes).toEqual(ITEMS);
    expect(done).toMatchObject({ state: 'done', matched: 23, changed: 23, skipped: 0, failed: 0 });
    expect(done.completedAt).toBeInstanceOf(Date);
    expect(done.turnAt).toBeUndefined();
    expect(seen).toEqual([5, 5, 5, 5, 3].map((count) => ['change', count]));
  });

  it('takes turns with the others', async () => {
    const order: string[] = [];
    const items = new Items();
    const [one, two] = [await start({ _id: 'one' }), await start({ _id: 'two' })];
    const apply = items.apply.bind(items);
    items.apply = (bulk, some) => (order.push(bulk._id), apply(bulk, some));
    await finish(one, runner(items));
    await finish(two, runner(items));
    expect(order.slice(0, 6).toSorted()).toEqual(['one', 'one', 'one', 'two', 'two', 'two']);
  });

  it('does not wait for that of another company, whatever a batch of it takes', async () => {
    const gate = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const items = new Items();
    const apply = items.apply.bind(items);
    items.apply = async (bulk, some) => {
      if (bulk.company_id === 'c1') {
        reached.resolve();
        await gate.promise;
      }
      return apply(bulk, some);
    };
    const slow = await start();
    const one = runner(items, { everyMs: 3_600_000 });
    const stopping = new AbortController();
    const passing = one.pass(stopping.signal);
    await reached.promise;
    const other = await start({ company_id: 'c2' });
    one.look();
    await waitFor(async () => (await stored(other)).state === 'done', { what: 'the end of the other operation' });
    expect(await stored(slow)).toMatchObject({ state: 'running', changed: 0 });
    gate.resolve();
    await waitFor(async () => (await stored(slow)).state === 'done', { what: 'the end of the slow operation' });
    stopping.abort();
    await passing;
  });

  it('keeps to its rate', async () => {
    const items = new Items();
    const bulk = await start({ ratePerSecond: 2 });
    await runner(items).pass();
    expect(items.changes).toHaveLength(2);
    const { turnAt, after } = await stored(bulk);
    expect([after, (turnAt?.getTime() ?? 0) > mongo.serverNow()]).toEqual(['item-01', true]);
  });

  it('whose process dies at any await is finished by another one, with the same counts', async () => {
    const kills = ['claim', 'advance', 'end'] as const;
    for (const method of kills) {
      for (const when of ['before', 'after'] as const) {
        for (let at = 1; at <= 3; at += 1) {
          const items = new Items();
          let calls = 0;
          /** Throws as a process that is killed there: nothing that follows is done. */
          const dying = new Proxy(store, {
            get:
              (target, name) =>
              async (...args: unknown[]) => {
                const act = () =>
                  (target[name as 'claim'] as (...all: unknown[]) => Promise<unknown>).apply(target, args);
                const dies = name === 'postpone' || (name === method && (calls += 1) === at);
                if (dies && when === 'before') throw new Error('killed');
                const answer = await act();
                if (dies) throw new Error('killed');
                return answer;
              },
          });
          const bulk = await start();
          await runner(items, { store: dying, onFault: () => undefined })
            .pass()
            .catch(() => undefined);
          const done = await finish(bulk, runner(items));
          expect(items.changes.toSorted(), `${method} ${when} ${at}`).toEqual(ITEMS);
          expect(done, `${method} ${when} ${at}`).toMatchObject({ state: 'done', changed: 23, skipped: 0, failed: 0 });
        }
      }
    }
  });

  it('is counted once when two processes do the same batch', async () => {
    const items = new Items();
    const bulk = await start();
    const gate = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    let isFirst = true;
    items.onApply = async () => {
      if (!isFirst) return;
      isFirst = false;
      reached.resolve();
      await gate.promise;
    };
    const frozen = runner(items).pass();
    await reached.promise;
    const done = await finish(bulk, runner(items));
    gate.resolve();
    await frozen;
    expect(items.changes.toSorted()).toEqual(ITEMS);
    expect(await stored(bulk)).toEqual(done);
    expect(done).toMatchObject({ state: 'done', changed: 23 });
  });

  it('that is aborted during a batch counts that one, and changes nothing more', async () => {
    const items = new Items();
    const bulk = await start();
    const entry = { action_type: 'bulk_aborted', collection: BULKS, company_id: 'c1' } as const;
    items.onApply = async () => {
      expect(await store.abort(new TenantScope('c2'), bulk._id, entry)).toBe(false);
      expect(await store.abort(scope, bulk._id, entry)).toBe(true);
    };
    await runner(items).pass();
    await runner(items).pass();
    expect(await stored(bulk)).toMatchObject({ state: 'aborted', changed: 5, after: 'item-04' });
    expect((await stored(bulk)).turnAt).toBeUndefined();
    expect(items.changes).toHaveLength(5);
    expect(await store.abort(scope, bulk._id, entry)).toBe(false);
  });

  it('goes on past an item that cannot be changed, and waits while nothing can', async () => {
    const items = new Items();
    const bulk = await start();
    let pauses = 3;
    const faults: unknown[] = [];
    items.onApply = (some) => {
      if ((pauses -= 1) >= 0) throw new BulkPause(10);
      if (some.includes('item-07')) throw new Error('broken');
    };
    const done = await finish(bulk, runner(items, { onFault: (error) => faults.push(error) }));
    expect(done).toMatchObject({ state: 'done', changed: 22, failed: 1 });
    expect(faults).toHaveLength(6);
  });

  it('is not failed by MongoDB being unreachable', async () => {
    const items = new Items();
    const bulk = await start();
    let times = 12;
    items.onApply = () => {
      if ((times -= 1) >= 0) throw new WeftError('store_unavailable', 'MongoDB is unreachable.');
    };
    const done = await finish(bulk, runner(items, { onFault: () => undefined }));
    expect(done).toMatchObject({ state: 'done', changed: 23, failed: 0 });
  });

  it('ends when its starter has lost the right, and when it takes more than a day', async () => {
    const items = new Items();
    items.onApply = () => {
      throw new BulkEnd('no editor');
    };
    expect(await finish(await start(), runner(items))).toMatchObject({ state: 'aborted', changed: 0 });
    const late = () => mongo.serverNow() + 25 * 3_600_000;
    expect(await finish(await start(), runner(new Items(), { serverNow: late }))).toMatchObject({ state: 'aborted' });
  });

  it('is one of ten at most that a company has at once', async () => {
    for (let i = 0; i < 10; i += 1) await start();
    await expect(start()).rejects.toThrow('too many run');
  });
});
