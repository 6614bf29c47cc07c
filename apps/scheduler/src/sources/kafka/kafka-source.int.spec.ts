import type { TriggerDocument } from '@weft/records';
import { READ_MESSAGE } from '@weft/runs';
import { PRIVATE_CA, liveKafka, waitFor } from '@weft/testing';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { proveSource } from '../source.contract.js';
import type { Source, SourceMessage } from '../source.js';
import { kindFor, LINK } from './kafka-kind.fixture.js';
import type { KafkaKind } from './kafka-kind.js';

const kafka = await liveKafka();
const NEVER = new AbortController().signal;

async function open(topic: string, cursors: ReadonlyMap<string, string> = new Map(), kind: KafkaKind = kindFor(kafka)) {
  const trigger = {
    company_id: 'c',
    source: { integrationId: LINK, topic, start: 'earliest' },
  } as unknown as TriggerDocument;
  const source = await kind.open({ trigger, cursors, signal: NEVER });
  onTestFinished(() => source.close());
  return source;
}

/** Everything up to the end, and what was lost. @param least what was committed last may come after an end that the server tells before */
async function readAll(source: Source, least = 1): Promise<{ messages: SourceMessage[]; lost: string[] }> {
  const [messages, lost]: [SourceMessage[], string[]] = [[], []];
  for (let batch = await source.next(NEVER); batch; batch = await source.next(NEVER)) {
    messages.push(...batch.messages);
    if (batch.lost !== undefined) lost.push(batch.lost);
    // where there is an end, the source would wait seconds for more
    if (messages.length >= least && source.lag() === 0) break;
  }
  return { messages, lost };
}
const read = (message: SourceMessage) => READ_MESSAGE.kafka(message) as { readonly value?: unknown };
const values = (messages: readonly SourceMessage[]) => messages.map((message) => read(message).value);

proveSource('a topic of Kafka', async () => {
  const topic = await kafka.topic(2);
  return {
    kind: kindFor(kafka),
    source: { integrationId: LINK, topic },
    shards: ['p0', 'p1'] as const,
    put: (given, partition) =>
      kafka.put(
        topic,
        given.map((value) => ({ partition, value: JSON.stringify(value) })),
      ),
  };
});

describe('what Kafka stores', () => {
  it.each(['uncompressed', 'gzip', 'snappy', 'lz4', 'zstd'])('is read as it was written: %s', async (type) => {
    const configEntries = [{ name: 'compression.type', value: type }];
    const topic = await kafka.topic(1, { configEntries });
    const texts = Array.from({ length: 400 }, (_, n) => ({
      n,
      text: 'over and over '.repeat(n % 40),
      odd: Math.sqrt(n),
    }));
    await kafka.put(
      topic,
      texts.map((text) => ({ value: JSON.stringify(text) })),
    );
    expect(values((await readAll(await open(topic), texts.length)).messages)).toEqual(texts);
  });

  it('gives keys, headers, bytes and deletions as expressions read them', async () => {
    const topic = await kafka.topic();
    const timestamp = '1700000000000';
    await kafka.put(topic, [
      { key: 'k', value: '{"id":12345678901234567890}', timestamp, headers: { trace: 'a', tag: ['x', 'y'] } },
      { key: null, value: 'no JSON {', timestamp },
      { key: Buffer.from([0xff]), value: Buffer.from([0xfe, 0x00]), timestamp },
      { key: 'gone', value: null, timestamp },
    ]);
    const { messages } = await readAll(await open(topic), 4);
    const of = { topic, partition: 0, timestamp: '2023-11-14T22:13:20.000Z' };
    expect(messages.map(read)).toEqual([
      { ...of, key: 'k', value: { id: 12345678901234567890n }, headers: { trace: 'a', tag: ['x', 'y'] }, offset: 0 },
      { ...of, key: null, value: 'no JSON {', headers: {}, offset: 1 },
      { ...of, key: '/w==', value: '/gA=', headers: {}, offset: 2 },
      { ...of, key: 'gone', value: null, headers: {}, offset: 3 },
    ]);
  });

  it('leaves out what a transaction took back, and waits for none that is over', async () => {
    const topic = await kafka.topic();
    const producer = kafka.client(topic);
    await producer.connect();
    onTestFinished(() => producer.disconnect());
    for (const [n, ends] of [
      [1, 'commit'],
      [2, 'abort'],
      [3, 'abort'],
      [4, 'commit'],
    ] as const) {
      const transaction = await producer.transaction();
      await transaction.send({ topic, messages: [{ value: String(n) }] });
      await transaction[ends]();
    }
    const source = await open(topic);
    expect(values((await readAll(source, 2)).messages)).toEqual([1, 4]);
    expect(source.lag()).toBe(0);
  });

  it('begins at a time', async () => {
    const topic = await kafka.topic();
    await kafka.put(
      topic,
      [1, 2, 3].map((n) => ({ value: String(n), timestamp: String(Date.UTC(2026, 0, n)) })),
    );
    const source = { integrationId: LINK, topic, start: '2026-01-02T00:00:00Z' };
    const trigger = { company_id: 'c', source } as unknown as TriggerDocument;
    const opened = await kindFor(kafka).open({ trigger, cursors: new Map(), signal: NEVER });
    onTestFinished(() => opened.close());
    expect(values((await readAll(opened, 2)).messages)).toEqual([2, 3]);
  });
});

describe('a topic that changes', () => {
  it('says which messages were deleted before they were read, and goes on after them', async () => {
    const topic = await kafka.topic(1, { configEntries: [{ name: 'retention.ms', value: '60000' }] });
    const { begins } = await open(topic);
    await kafka.put(
      topic,
      [0, 1, 2].map((n) => ({ value: String(n), timestamp: String(Date.UTC(2026, 0, 1)) })),
    );
    const first = async () => (await kafka.admin.fetchTopicOffsets(topic))[0]?.low;
    await waitFor(async () => (await first()) === '3', { what: 'Kafka to delete what is old' });
    await kafka.put(topic, [{ value: '3' }]);
    const { messages, lost } = await readAll(await open(topic, begins));
    expect(values(messages)).toEqual([3]);
    expect(lost).toEqual(['The messages 0 to 2 of partition 0 were deleted by Kafka before they were read.']);
  });

  it('says that messages are gone where it ends before what was read', async () => {
    const topic = await kafka.topic();
    const { begins } = await open(topic);
    await kafka.put(topic, [{ value: '0' }]);
    const cursors = new Map([['p0', begins.get('p0')?.replace(/:0$/, ':7') ?? '']]);
    const source = await open(topic, cursors);
    const { lost } = await readAll(source);
    expect(lost).toEqual([expect.stringMatching(/^Partition 0 ends at 1, and was read up to 7: /)]);
    await kafka.put(topic, [{ value: '1' }]);
    expect(values((await readAll(source)).messages)).toEqual([1]);
  });

  it('is read from its beginning where it has got a partition', async () => {
    const topic = await kafka.topic();
    const { begins } = await open(topic);
    await kafka.admin.createPartitions({ topicPartitions: [{ topic, count: 2 }] });
    await kafka.put(topic, [{ partition: 1, value: '1' }]);
    const again = await open(topic, begins);
    expect([...again.begins.keys()]).toEqual(['p1']);
    expect(values((await readAll(again)).messages)).toEqual([1]);
  });

  it('is another one when it was made anew: all is read, under other ids', async () => {
    const topic = await kafka.topic();
    await kafka.put(topic, [{ value: '1' }, { value: '2' }]);
    const first = await readAll(await open(topic), 2);
    await kafka.admin.deleteTopics({ topics: [topic] });
    await kafka.admin.createTopics({ topics: [{ topic }], waitForLeaders: true });
    await kafka.put(topic, [{ value: '3' }]);
    const again = await open(topic, new Map([['p0', first.messages[1]?.next ?? '']]));
    const { messages } = await readAll(again);
    expect(values(messages)).toEqual([3]);
    expect(messages[0]?.id).not.toBe(first.messages[0]?.id);
  });

  it('is named when it is not there', async () => {
    await expect(open('nobody-made-this')).rejects.toMatchObject({ code: 'topic_not_found' });
  });
});

describe('a link to Kafka', () => {
  const tls = (settings: object) =>
    kindFor(kafka, {
      endpoint: `kafka://127.0.0.1:${kafka.tlsPort}`,
      settings: { tls: 'verify', ca: PRIVATE_CA, ...settings },
    });

  it.each(['plain', 'scram-sha-256', 'scram-sha-512'] as const)(
    'shows user and password over TLS: %s',
    async (sasl) => {
      const topic = await kafka.topic();
      await kafka.put(topic, [{ value: '1' }]);
      expect(values((await readAll(await open(topic, new Map(), tls({ sasl })))).messages)).toEqual([1]);
    },
  );

  it.each(['plain', 'scram-sha-256'] as const)('is refused with another password: %s', async (sasl) => {
    const kind = kindFor(kafka, { secret: `${kafka.user}:guess`, settings: { tls: 'off', sasl } });
    await expect(open('any', new Map(), kind)).rejects.toMatchObject({ code: 'integration_unusable' });
  });

  it('trusts no certificate that nobody vouches for', async () => {
    await expect(open('any', new Map(), tls({ ca: undefined }))).rejects.toMatchObject({ code: 'connect_failed' });
  });

  it('goes to no address that the guard refuses, also when a broker names it', async () => {
    const topic = await kafka.topic();
    await kafka.put(topic, [{ value: '1' }]);
    const relay = createServer((client) => {
      const broker = connect(kafka.port, '127.0.0.1');
      client.pipe(broker).pipe(client);
      for (const [one, other] of [
        [client, broker],
        [broker, client],
      ] as const)
        one.on('error', () => other.destroy());
    });
    relay.listen(0, '127.0.0.2');
    await once(relay, 'listening');
    onTestFinished(() => void relay.close());
    const endpoint = `kafka://127.0.0.2:${(relay.address() as AddressInfo).port}`;
    const at = (cidr: string) => kindFor(kafka, { endpoint }, [{ cidr, port: null }]);
    await expect(open(topic, new Map(), at('127.0.0.3/32'))).rejects.toMatchObject({ code: 'destination_blocked' });
    await expect(open(topic, new Map(), at('127.0.0.2/32'))).rejects.toMatchObject({
      code: 'destination_blocked',
      message: expect.stringContaining(`127.0.0.1:${kafka.port}`) as string,
    });
    expect(values((await readAll(await open(topic, new Map(), at('127.0.0.0/8')))).messages)).toEqual([1]);
  });
});
