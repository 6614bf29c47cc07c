/**
 * The requests that reading a topic takes, in versions that every Kafka since 2.8 and Kafka 4 know (KIP-896). Each writes its body, and
 * reads the answer.
 */
import { WireWriter, type WireReader } from './wire.js';

export interface KafkaRequest<Answer> {
  readonly key: number;
  readonly version: number;
  /** Newer requests and answers have a list of tags after their header. */
  readonly hasTags?: boolean;
  readonly body: Buffer;
  readonly read: (answer: WireReader) => Answer;
}

/** Errors of Kafka by their numbers, as far as we distinguish them. */
export const KAFKA_ERRORS = {
  none: 0,
  offsetOutOfRange: 1,
  unknownTopic: 3,
  topicDenied: 29,
  invalidTopic: 17,
  saslFailed: 58,
  unsupportedMechanism: 33,
} as const;

export interface TopicFacts {
  readonly brokers: ReadonlyMap<number, { readonly host: string; readonly port: number }>;
  readonly error: number;
  /** Of this topic; one that is made anew under the same name has another. Hexadecimal. */
  readonly id: string;
  readonly partitions: readonly { readonly index: number; readonly leader: number }[];
}

/** Metadata 11: of one topic, which is not made if it is not there. */
export function topicFacts(topic: string): KafkaRequest<TopicFacts | null> {
  const name = Buffer.from(topic);
  // up to 249 characters: a length of one or two bytes
  const length = name.length + 1;
  const sized = new WireWriter();
  if (length < 128) sized.uvarint(length);
  else sized.raw(Buffer.from([(length & 0x7f) | 0x80, length >> 7]));
  const body = new WireWriter().uvarint(2).raw(Buffer.alloc(16)).raw(sized.done()).raw(name).uvarint(0);
  body.int8(0).int8(0).uvarint(0);
  return {
    ...{ key: 3, version: 11, hasTags: true, body: body.done() },
    read(answer) {
      answer.int32();
      const brokers = answer.compactList(() => {
        const [id, host, port] = [answer.int32(), answer.compactText() ?? '', answer.int32()];
        answer.compactText();
        answer.skipTags();
        return [id, { host, port }] as const;
      });
      answer.compactText();
      answer.int32();
      const topics = answer.compactList(() => {
        const [error, found, id] = [answer.int16(), answer.compactText(), answer.take(16).toString('hex')];
        answer.int8();
        const partitions = answer.compactList(() => {
          answer.int16();
          const [index, leader] = [answer.int32(), answer.int32()];
          answer.int32();
          for (let lists = 0; lists < 3; lists += 1) answer.compactList(() => answer.int32());
          answer.skipTags();
          return { index, leader };
        });
        answer.int32();
        answer.skipTags();
        return { name: found, error, id, partitions };
      });
      const found = topics.find((each) => each.name === topic);
      return found ? { ...found, brokers: new Map(brokers) } : null;
    },
  };
}

export const EARLIEST = -2n;
export const LATEST = -1n;

export interface FoundOffset {
  readonly partition: number;
  readonly error: number;
  /** −1: there is nothing as young. */
  readonly offset: bigint;
}

/** ListOffsets 2, of committed messages. @param time `EARLIEST`, `LATEST`, or ms: of the first message that is as young */
export function offsetsAt(topic: string, partitions: readonly number[], time: bigint): KafkaRequest<FoundOffset[]> {
  const body = new WireWriter().int32(-1).int8(READ_COMMITTED);
  body.list([topic], (name) => {
    body.text(name).list(partitions, (partition) => body.int32(partition).int64(time));
  });
  return {
    ...{ key: 2, version: 2, body: body.done() },
    read(answer) {
      answer.int32();
      const topics = answer.list(() => {
        answer.text();
        return answer.list(() => {
          const [partition, error] = [answer.int32(), answer.int16()];
          answer.int64();
          return { partition, error, offset: answer.int64() };
        });
      });
      return topics.flat();
    },
  };
}

const READ_COMMITTED = 1;

export interface FetchLimits {
  readonly waitMs: number;
  /** A broker gives one batch of records of a partition also if it is larger. */
  readonly bytes: number;
  readonly partitionBytes: number;
}

export interface FetchedPartition {
  readonly partition: number;
  readonly error: number;
  /** Up to here all is committed. */
  readonly stableOffset: bigint;
  readonly aborted: readonly { readonly producer: bigint; readonly from: bigint }[];
  readonly records: Buffer;
}

/** Fetch 4, of committed messages. */
export function fetchFrom(
  topic: string,
  offsets: readonly (readonly [partition: number, offset: bigint])[],
  { waitMs, bytes, partitionBytes }: FetchLimits,
): KafkaRequest<FetchedPartition[]> {
  const body = new WireWriter().int32(-1).int32(waitMs).int32(1).int32(bytes).int8(READ_COMMITTED);
  body.list([topic], (name) => {
    body.text(name).list(offsets, ([partition, offset]) => body.int32(partition).int64(offset).int32(partitionBytes));
  });
  return {
    ...{ key: 1, version: 4, body: body.done() },
    read(answer) {
      answer.int32();
      const topics = answer.list(() => {
        answer.text();
        return answer.list(() => {
          const [partition, error] = [answer.int32(), answer.int16()];
          answer.int64();
          const stableOffset = answer.int64();
          const aborted = answer.list(() => ({ producer: answer.int64(), from: answer.int64() }));
          return { partition, error, stableOffset, aborted, records: answer.bytesField() ?? NOTHING };
        });
      });
      return topics.flat();
    },
  };
}

const NOTHING = Buffer.alloc(0);

/** SaslHandshake 1. @returns the number of an error, and what the broker offers */
export function saslHandshake(mechanism: string): KafkaRequest<{ readonly error: number; readonly offered: string[] }> {
  return {
    ...{ key: 17, version: 1, body: new WireWriter().text(mechanism).done() },
    read: (answer) => ({ error: answer.int16(), offered: answer.list(() => answer.text() ?? '') }),
  };
}

/** SaslAuthenticate 0. */
export function saslAuthenticate(token: Buffer): KafkaRequest<{ readonly error: number; readonly token: Buffer }> {
  return {
    ...{ key: 36, version: 0, body: new WireWriter().bytesField(token).done() },
    read(answer) {
      const error = answer.int16();
      answer.text();
      return { error, token: answer.bytesField() ?? NOTHING };
    },
  };
}
