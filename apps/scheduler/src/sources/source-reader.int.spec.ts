import { TRIGGER_DELIVERIES, type TriggerDeliveryDocument, type TriggerDocument } from '@weft/records';
import type { Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import { SETTINGS, waitFor } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { dying, killAtEach } from '../../../../test/fixtures/dying-mongo.js';
import { MemoryTopic } from './memory-source.fixture.js';
import { sourceFixture } from './source-reader.fixture.js';
import { SourceFault } from './source.js';

const fixture = await sourceFixture();
const { trigger, reader, stored, playsOf } = fixture;
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => ({ n: from + i }));

/** Runs it until that holds. */
async function until(read: ReturnType<typeof reader>, what: string, holds: () => Promise<boolean> | boolean) {
  const stop = new AbortController();
  const ended = read.run(stop.signal);
  try {
    await waitFor(holds, { what });
  } finally {
    stop.abort();
    await ended;
  }
}
const cursorOf = async ({ _id }: TriggerDocument, shard = 'p0') => (await stored(_id)).reading?.shards?.[shard];
const isAt = (of: TriggerDocument, cursor: number) => async () => {
  const at = await cursorOf(of);
  return at?.cursor === String(cursor) && at.pending === undefined;
};
const numbersOf = async (of: TriggerDocument) => (await playsOf(of)).map(({ args }) => args.n);

describe('the reader of a source', () => {
  it('makes a play of each message, in the order of their ids, and goes on where it was', async () => {
    const topic = new MemoryTopic();
    const one = await trigger();
    topic.put(numbers(0, 700));
    await until(reader(one, topic), 'the first part to be read', isAt(one, 700));
    topic.put(numbers(700, 900));
    await until(reader(one, topic), 'the rest to be read', isAt(one, 900));
    expect(await numbersOf(one)).toEqual(numbers(0, 900).map(({ n }) => n));
    expect((await stored(one._id)).reading).toMatchObject({ state: 'reading', error: null, lag: 0 });
  });

  it('makes one play of each, whichever call of the process before was its last, also where plays have failed meanwhile', async () => {
    let plays = 0;
    const kills = await killAtEach(async (kill) => {
      const topic = new MemoryTopic();
      const one = await trigger();
      topic.put(numbers(0, 5));
      const { mongo, isDead } = dying(fixture.mongo, kill);
      const stop = new AbortController();
      const first = reader(one, topic, { of: mongo }).run(stop.signal);
      await waitFor(async () => isDead() || (await isAt(one, 5)()), { what: 'the process to die, or to be done' });
      stop.abort();
      await first;
      const made = await playsOf(one);
      plays += made.length;
      await fixture.fail(made.slice(0, 2).map(({ _id }) => _id));
      await until(reader(one, topic), 'another process to be done', isAt(one, 5));
      expect(await numbersOf(one)).toEqual([0, 1, 2, 3, 4]);
      return isDead();
    });
    expect(kills).toBeGreaterThan(3);
    expect(plays).toBeGreaterThan(0);
  });

  it('lets a process that stood still change nothing, once another one reads', async () => {
    const topic = new MemoryTopic();
    const one = await trigger();
    topic.put(numbers(0, 3));
    const frozen = Promise.withResolvers<undefined>();
    const reached = Promise.withResolvers<undefined>();
    const still = Object.assign(Object.create(topic) as MemoryTopic, {
      read: (message: Parameters<MemoryTopic['read']>[0]) => topic.read(message),
      open: async (ask: Parameters<MemoryTopic['open']>[0]) => {
        const source = await topic.open(ask);
        return {
          ...source,
          next: async (signal: AbortSignal) => {
            const batch = await source.next(signal);
            reached.resolve(undefined);
            await frozen.promise;
            return batch;
          },
        };
      },
    });
    const stop = new AbortController();
    const slow = reader(one, still).run(stop.signal);
    await reached.promise;
    await until(reader(one, topic), 'the other process to be done', isAt(one, 3));
    frozen.resolve(undefined);
    await slow;
    expect(stop.signal.aborted).toBe(false);
    expect(await numbersOf(one)).toEqual([0, 1, 2]);
    expect(await cursorOf(one)).toEqual({ cursor: '3' });
  });

  it('waits while the company has too many plays, and loses none', async () => {
    const topic = new MemoryTopic();
    const one = await trigger();
    let put = 0;
    await until(reader(one, topic, { backlogMax: 4 }), 'it to pause', async () => {
      const { reading } = await stored(one._id);
      if (put < 10 && (await isAt(one, put)())) topic.put(numbers(put, ++put));
      return reading?.state === 'paused' && reading.error?.code === 'backlog_full';
    });
    topic.put(numbers(put, 10));
    expect((await playsOf(one)).length).toBeLessThan(put);
    await until(reader(one, topic), 'the rest to be read', isAt(one, 10));
    expect((await numbersOf(one)).toSorted()).toEqual(numbers(0, 10).map(({ n }) => n));
  });

  it('logs a message of which no run can be made, with its bytes, once, and goes on', async () => {
    const topic = new MemoryTopic();
    const one = await trigger({ args: { n: '{{ $number($message.value.n) }}' } });
    topic.put([{ n: 1 }, { n: 'many' }, { n: 3 }]);
    await until(reader(one, topic), 'all to be read', isAt(one, 3));
    expect(await numbersOf(one)).toEqual([1, 3]);
    const log = fixture.mongo.collection<TriggerDeliveryDocument>(TRIGGER_DELIVERIES);
    const entries = await log.find({ trigger_id: one._id }).toArray();
    expect(entries).toMatchObject([
      { outcome: 'refused', dedupe_id: 'p0:1', bytes: 12, error: { code: 'invalid_args' } },
    ]);
  });

  it('logs what was lost before it was read', async () => {
    const topic = new MemoryTopic();
    const one = await trigger();
    topic.lost = 'The messages 1 to 3 were deleted.';
    topic.put([{ n: 4 }]);
    await until(reader(one, topic), 'the rest to be read', isAt(one, 1));
    const log = fixture.mongo.collection<TriggerDeliveryDocument>(TRIGGER_DELIVERIES);
    expect(await log.find({ trigger_id: one._id }).toArray()).toMatchObject([
      { outcome: 'refused', bytes: 0, error: { code: 'messages_lost', message: 'The messages 1 to 3 were deleted.' } },
    ]);
  });

  it('reads no further than such a message, where the trigger says so, until somebody changes the trigger', async () => {
    const topic = new MemoryTopic();
    const one = await trigger({
      args: { n: '{{ $number($message.value.n) }}' },
      source: { start: 'earliest', onPoison: 'stop' },
    });
    topic.put([{ n: 1 }, { n: 'many' }, { n: 3 }]);
    const isStopped = async () => (await stored(one._id)).reading?.state === 'stopped';
    await until(reader(one, topic), 'it to stop', isStopped);
    expect(await cursorOf(one)).toMatchObject({ cursor: '1' });
    await fixture.triggers.updateOne(
      { _id: one._id },
      { $set: { args: { n: '{{ $message.value.n }}' } }, $inc: { rev: 1 } },
    );
    await until(reader(one, topic), 'all to be read', isAt(one, 3));
    expect((await numbersOf(one)).map(String).toSorted()).toEqual(['1', '3', 'many']);
  });

  it('runs nothing where the condition is false, and one play for messages with one id', async () => {
    const topic = new MemoryTopic();
    const one = await trigger({
      when: '{{ $message.value.n > 0 }}',
      dedupe: { expression: '{{ $message.value.id }}' },
    });
    topic.put([
      { n: 0, id: 'a' },
      { n: 1, id: 'b' },
      { n: 2, id: 'b' },
      { n: 3, id: 'c' },
    ]);
    await until(reader(one, topic), 'all to be read', isAt(one, 4));
    expect(await numbersOf(one)).toEqual([1, 3]);
  });

  it('gives plays of one lane their places in the order of the messages', async () => {
    const topic = new MemoryTopic();
    const one = await trigger(
      { args: { n: '{{ $message.value.n }}', key: '{{ $message.value.key }}' } },
      {
        settings: { ...SETTINGS, lane: '{{ .args.key }}' },
      },
    );
    topic.put(Array.from({ length: 60 }, (_, n) => ({ n, key: `k${n % 3}` })));
    await until(reader(one, topic), 'all to be read', isAt(one, 60));
    const plays = await playsOf(one);
    for (const key of ['k0', 'k1', 'k2']) {
      const ofKey = plays.filter(({ args }) => args.key === key);
      const orderOf = ({ order }: Play) => (order as mongo.Timestamp).toBigInt();
      const byOrder = ofKey.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
      expect(byOrder.map(({ args }) => args.n)).toEqual(
        ofKey.map(({ args }) => args.n).toSorted((a, b) => Number(a) - Number(b)),
      );
      expect(ofKey).toHaveLength(20);
    }
  });

  it('says why its source gives nothing, and reads on when it does', async () => {
    const topic = new MemoryTopic();
    const one = await trigger();
    topic.put(numbers(0, 2));
    topic.fault = new SourceFault('connect_failed', 'kafka:9092 is away');
    const failing = async () => (await stored(one._id)).reading;
    const read = reader(one, topic);
    await until(read, 'it to fail, and to go on', async () => {
      const now = await failing();
      if (now?.state === 'failing') topic.fault = null;
      return isAt(one, 2)();
    });
    expect(topic.opened).toBeGreaterThan(1);
    expect(await numbersOf(one)).toEqual([0, 1]);
  });

  it('ends when the trigger is disabled, and begins again where it was', async () => {
    const topic = new MemoryTopic();
    const one = await trigger();
    topic.put(numbers(0, 2));
    await until(reader(one, topic), 'the first to be read', isAt(one, 2));
    await fixture.triggers.updateOne({ _id: one._id }, { $set: { enabled: false } });
    topic.put(numbers(2, 4));
    await reader(one, topic).run(new AbortController().signal);
    expect(await numbersOf(one)).toEqual([0, 1]);
    await fixture.triggers.updateOne({ _id: one._id }, { $set: { enabled: true } });
    await until(reader(one, topic), 'the rest to be read', isAt(one, 4));
    expect(await numbersOf(one)).toEqual([0, 1, 2, 3]);
  });
});
