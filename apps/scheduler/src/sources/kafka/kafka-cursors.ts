/** Where a partition is read on, as text: `<topic>/<id of the topic>:<offset>`. */
import type { KafkaTopic } from './kafka-topic.js';
import { EARLIEST, LATEST } from './requests.js';

export interface Cursor {
  readonly topic: string;
  /** Of this topic: one of the same name that was made after it has another. */
  readonly id: string;
  readonly offset: bigint;
}

export function cursorOf({ topic, id, offset }: Cursor): string {
  return `${topic}/${id}:${offset}`;
}

function readCursor(text: string): Cursor | null {
  const [, topic, id, offset] = /^([^/]+)\/([0-9a-f]{32}):(\d+)$/.exec(text) ?? [];
  return topic !== undefined && id !== undefined ? { topic, id, offset: BigInt(offset ?? 0) } : null;
}

/**
 * Where each partition is read on. A partition that the topic has got since, and a topic that was made anew, are read from their
 * beginning: all of it has come since. Another topic begins where the trigger says.
 *
 * @param start `latest`, `earliest` or a time
 */
export async function cursorsFor(
  topic: KafkaTopic,
  stored: ReadonlyMap<number, string>,
  start: string,
): Promise<ReadonlyMap<number, Cursor>> {
  const { name, id, partitions } = topic;
  const known = new Map([...stored].map(([partition, text]) => [partition, readCursor(text)]));
  const ofTopic = [...known.values()].filter((cursor) => cursor?.topic === name);
  const fresh = partitions.filter((partition) => known.get(partition)?.id !== id);
  const begin = ofTopic.length > 0 ? 'earliest' : start;
  const begun = fresh.length > 0 ? await beginOf(topic, fresh, begin) : new Map<number, bigint>();
  return new Map(
    partitions.map((partition) => {
      const offset = begun.get(partition) ?? known.get(partition)?.offset ?? 0n;
      return [partition, { topic: name, id, offset }];
    }),
  );
}

async function beginOf(
  topic: KafkaTopic,
  partitions: readonly number[],
  start: string,
): Promise<ReadonlyMap<number, bigint>> {
  if (start === 'earliest') return topic.offsets(partitions, EARLIEST);
  const latest = await topic.offsets(partitions, LATEST);
  if (start === 'latest') return latest;
  const found = await topic.offsets(partitions, BigInt(Date.parse(start)));
  // nothing is as young: what comes from now on
  return new Map([...found].map(([partition, at]) => [partition, at < 0n ? (latest.get(partition) ?? 0n) : at]));
}
