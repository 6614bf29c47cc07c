import { SourceChanged, SourceFault, MOST_IN_BATCH, type Source, type SourceBatch } from '../source.js';
import { cursorOf, type Cursor } from './kafka-cursors.js';
import type { KafkaTopic } from './kafka-topic.js';
import { trouble } from './kafka-topic.js';
import { messageOf } from './kafka-message.js';
import { readRecords, type ReadRecord } from './records.js';
import { EARLIEST, fetchFrom, KAFKA_ERRORS, LATEST, type FetchedPartition } from './requests.js';
import { asFault } from './connect-broker.js';

const MB = 1024 * 1024;
const FETCH = { waitMs: 1_000, bytes: 2 * MB, partitionBytes: MB };
/** So often it looks whether the topic has got partitions, or was made anew. */
const LOOKS_EVERY_MS = 15_000;
/** `next` waits as long for messages. */
const WAITS_MS = 2_000;

interface Partition {
  readonly index: number;
  offset: bigint;
  /** Where the log ends, as its leader said last. */
  end: bigint;
  /** What was fetched and not given yet. */
  records: Generator<ReadRecord> | null;
}

/** Reads the partitions of a topic itself, without a consumer group: who reads is decided by the lease, and how far is stored in Weft. */
export class KafkaSource implements Source {
  private readonly partitions: ReadonlyMap<number, Partition>;
  private readonly ready: Partition[] = [];
  /** By leader: at most one request at a time. */
  private readonly fetching = new Map<number, Promise<void>>();
  private lookedAt = performance.now();
  private fault: Error | null = null;

  constructor(
    private readonly topic: KafkaTopic,
    cursors: ReadonlyMap<number, Cursor>,
    readonly begins: ReadonlyMap<string, string>,
  ) {
    this.partitions = new Map(
      [...cursors].map(([index, { offset }]) => [index, { index, offset, end: offset, records: null }]),
    );
  }

  async next(signal: AbortSignal): Promise<SourceBatch | null> {
    await this.lookSometimes();
    const { promise: stopped, resolve } = Promise.withResolvers<void>();
    const stop = (): void => resolve();
    signal.addEventListener('abort', stop);
    try {
      return await this.nextUntil(performance.now() + WAITS_MS, stopped, signal);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  accepted(): Promise<void> {
    return Promise.resolve();
  }

  lag(): number {
    let lag = 0n;
    for (const { end, offset } of this.partitions.values()) lag += end > offset ? end - offset : 0n;
    return Number(lag);
  }

  async close(): Promise<void> {
    await this.topic.close();
    await Promise.allSettled(this.fetching.values());
  }

  private async nextUntil(endMs: number, stopped: Promise<void>, signal: AbortSignal): Promise<SourceBatch | null> {
    while (performance.now() < endMs) {
      signal.throwIfAborted();
      if (this.fault) throw this.fault;
      const batch = await this.given();
      if (batch) return batch;
      this.fetchAll();
      await Promise.race([...this.fetching.values(), stopped]);
    }
    return null;
  }

  /** The next batch of what was fetched. */
  private async given(): Promise<SourceBatch | null> {
    for (let partition = this.ready[0]; partition; partition = this.ready[0]) {
      const { records, index, offset: from } = partition;
      const batch = records && this.batchOf(partition, records);
      if (!batch || batch.messages.length < MOST_IN_BATCH) {
        partition.records = null;
        this.ready.shift();
      }
      if (batch && partition.offset > from) return batch;
      if (!records) {
        const moved = await this.movedOn(index, partition);
        if (moved) return moved;
      }
    }
    return null;
  }

  private batchOf(partition: Partition, records: Generator<ReadRecord>): SourceBatch {
    const { name, id } = this.topic;
    const messages = [];
    try {
      for (let read = records.next(); !read.done; read = records.next()) {
        const { next, record } = read.value;
        if (next < partition.offset || (record && next === partition.offset))
          throw new SourceFault('connect_failed', 'a broker sent records in no order');
        partition.offset = next;
        const cursor = cursorOf({ topic: name, id, offset: next });
        if (record) messages.push(messageOf(record, { topic: name, id, partition: partition.index, next: cursor }));
        if (messages.length === MOST_IN_BATCH) break;
      }
    } catch (error) {
      throw asFault(error, name);
    }
    return { shard: shardOf(partition.index), messages, next: cursorOf({ topic: name, id, offset: partition.offset }) };
  }

  /** The offset is out of the log's range: the broker has deleted what is there, or has lost it. */
  private async movedOn(index: number, partition: Partition): Promise<SourceBatch | null> {
    const earliest = (await this.topic.offsets([index], EARLIEST)).get(index) ?? 0n;
    const latest = (await this.topic.offsets([index], LATEST)).get(index) ?? 0n;
    const { offset } = partition;
    const to = offset < earliest ? earliest : offset > latest ? latest : offset;
    if (to === offset) return null;
    partition.offset = to;
    const lost =
      to > offset
        ? `The messages ${offset} to ${to - 1n} of partition ${index} were deleted by Kafka before they were read.`
        : `Partition ${index} ends at ${to}, and was read up to ${offset}: Kafka has lost messages. Those that it has got in their place up to now are not read.`;
    const { name, id } = this.topic;
    return { shard: shardOf(index), messages: [], next: cursorOf({ topic: name, id, offset: to }), lost };
  }

  /** Asks each leader that is not being asked, and of whose partitions nothing waits. */
  private fetchAll(): void {
    const waiting = new Set(this.ready.map(({ index }) => index));
    for (const [leader, indexes] of this.topic.leaders) {
      if (this.fetching.has(leader) || indexes.some((index) => waiting.has(index))) continue;
      const fetched = this.fetch(leader, indexes)
        .catch((error: unknown) => void (this.fault ??= error as Error))
        .finally(() => this.fetching.delete(leader));
      this.fetching.set(leader, fetched);
    }
  }

  private async fetch(leader: number, indexes: readonly number[]): Promise<void> {
    const offsets = indexes.flatMap((index) => {
      const partition = this.partitions.get(index);
      return partition ? [[index, partition.offset] as const] : [];
    });
    // in another order each time: a broker fills its answer from the front
    const turned = offsets.toSorted(() => Math.random() - 0.5);
    const answer = await this.topic.ask(leader, fetchFrom(this.topic.name, turned, FETCH), FETCH.waitMs);
    for (const fetched of answer) this.keep(fetched);
  }

  private keep({ partition: index, error, stableOffset, aborted: gone, records }: FetchedPartition): void {
    const partition = this.partitions.get(index);
    if (!partition) throw new SourceFault('connect_failed', 'a broker sent a partition that nobody asked for');
    if (error === KAFKA_ERRORS.topicDenied) {
      throw new SourceFault('denied', `The topic ${this.topic.name} may not be read by the user of the integration.`);
    }
    const isOut = error === KAFKA_ERRORS.offsetOutOfRange;
    if (error !== KAFKA_ERRORS.none && !isOut) throw trouble(`Partition ${index} cannot be read now`, error);
    if (!isOut) partition.end = stableOffset;
    if (!isOut && records.length === 0) return;
    partition.records = isOut ? null : readRecords(records, partition.offset, gone);
    this.ready.push(partition);
  }

  private async lookSometimes(): Promise<void> {
    if (performance.now() - this.lookedAt < LOOKS_EVERY_MS) return;
    const { id, partitions } = this.topic;
    await this.topic.look();
    this.lookedAt = performance.now();
    if (this.topic.id !== id || this.topic.partitions.length !== partitions.length) throw new SourceChanged();
  }
}

export function shardOf(partition: number): string {
  return `p${partition}`;
}
