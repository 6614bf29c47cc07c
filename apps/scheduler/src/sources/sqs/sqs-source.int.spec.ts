import { getEventListeners } from 'node:events';
import { rawServer, s3Server, type S3Server } from '@weft/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import type { Connection } from '@weft/layers';
import type { TriggerDocument } from '@weft/records';
import { answering, triggerOf } from '../poll/polled.fixture.js';
import { egressTo } from '../source-egress.fixture.js';
import { SourceFault, type Source, type SourceBatch } from '../source.js';
import { callSqs } from './sqs-client.js';
import { SqsSource } from './sqs-source.js';

const NEVER = new AbortController().signal;
let server: S3Server;
let link: Connection;

beforeAll(async () => {
  server = await s3Server({ buckets: [] });
  link = linkTo(server.url);
});

function linkTo(endpoint: string | null, keys: object = server.keys): Connection {
  const settings = { region: 'eu-central-1', service: 'sqs' };
  return { type: 'aws', kind: 'aws_sigv4', endpoint, secret: JSON.stringify(keys), settings };
}

let made = 0;
async function newQueue(attributes: object = {}, suffix = ''): Promise<string> {
  const QueueName = `orders-${(made += 1)}${suffix}`;
  const answer = await ask('CreateQueue', `${server.url}/`, { QueueName, Attributes: attributes });
  return String(answer.QueueUrl);
}

function ask(action: string, queueUrl: string, body: Readonly<Record<string, unknown>>) {
  return callSqs(egressTo().http, link, queueUrl, { action, body, timeoutMs: 10_000, signal: NEVER });
}

async function put(queueUrl: string, bodies: readonly string[], more: object = {}): Promise<void> {
  for (let from = 0; from < bodies.length; from += 10) {
    const part = bodies.slice(from, from + 10);
    await ask('SendMessageBatch', queueUrl, {
      Entries: part.map((MessageBody, i) => ({ Id: `e${from + i}`, MessageBody, ...more })),
    });
  }
}

function open(queueUrl: string, cursors: ReadonlyMap<string, string> = new Map(), of = link): Promise<Source> {
  const trigger: TriggerDocument = triggerOf({ integrationId: 'aws', queueUrl });
  return sourceOver(of).open({ trigger, cursors, signal: NEVER });
}

const sourceOver = (of: Connection) => new SqsSource(egressTo({ aws: of }), pino({ level: 'silent' }));

async function take(source: Source, count: number): Promise<SourceBatch[]> {
  const batches: SourceBatch[] = [];
  for (let left = count; left > 0;) {
    const batch = await source.next(NEVER);
    if (!batch) continue;
    batches.push(batch);
    left -= batch.messages.length;
  }
  return batches;
}

const bodiesOf = (batches: readonly SourceBatch[]) =>
  batches.flatMap(({ messages }) => messages.map(({ bytes }) => bytes.toString()));

async function lengthOf(queueUrl: string): Promise<number> {
  const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'];
  const { Attributes } = await ask('GetQueueAttributes', queueUrl, { AttributeNames: names });
  const counts = Attributes as Readonly<Record<string, string>>;
  return names.reduce((sum, name) => sum + Number(counts[name]), 0);
}

async function faultOf(work: Promise<unknown>): Promise<SourceFault> {
  const fault = await work.then(
    () => null,
    (error: unknown) => error,
  );
  expect(fault).toBeInstanceOf(SourceFault);
  return fault as SourceFault;
}

describe('a queue of SQS', () => {
  it('gives what is there, and forgets what was accepted', async () => {
    const queue = await newQueue();
    const bodies = Array.from({ length: 35 }, (_, n) => JSON.stringify({ n }));
    await put(queue, bodies, { MessageAttributes: { kind: { DataType: 'String', StringValue: 'new' } } });
    const source = await open(queue);
    expect([...source.begins]).toEqual([['queue', '']]);
    const batches = await take(source, 35);
    expect(bodiesOf(batches).sort()).toEqual([...bodies].sort());
    expect(Math.max(...batches.map(({ messages }) => messages.length))).toBeGreaterThan(10);
    const [first] = batches[0]?.messages ?? [];
    const read = sourceOver(link).read(first as never) as unknown as Readonly<Record<string, unknown>>;
    expect(read).toMatchObject({
      key: null,
      headers: { kind: 'new' },
      value: { n: expect.any(Number) as unknown },
      receives: '1',
    });
    expect(read.timestamp).toMatch(/^20\d\d-/);
    expect(await lengthOf(queue)).toBe(35);
    for (const batch of batches) await source.accepted(batch);
    expect(await lengthOf(queue)).toBe(0);
    await source.close();
  });

  it('gives back what was not accepted, and does not give again what was accepted and not deleted', async () => {
    const queue = await newQueue();
    await put(queue, ['a', 'b', 'c']);
    const before = await open(queue);
    const batches = await take(before, 3);
    await before.close(); // its process died after the plays were stored and before the queue forgot them
    const accepted = batches.flatMap(({ messages }) => messages).slice(0, 2);
    const after = await open(queue, new Map([['queue', accepted[1]?.next ?? '']]));
    expect(after.begins.size).toBe(0);
    const rest = await take(after, 1);
    expect(bodiesOf(rest)).toEqual([batches.flatMap(({ messages }) => messages)[2]?.bytes.toString()]);
    expect(await lengthOf(queue)).toBe(1);
    for (const batch of rest) await after.accepted(batch);
    await after.close();
    expect(await lengthOf(queue)).toBe(0);
  });

  it('of the kind FIFO keeps the order of a group, and has it as the key', async () => {
    const queue = await newQueue({ FifoQueue: 'true', ContentBasedDeduplication: 'true' }, '.fifo');
    const bodies = Array.from({ length: 25 }, (_, n) => String(n));
    await put(queue, bodies, { MessageGroupId: 'customer-1' });
    const source = await open(queue);
    const seen: string[] = [];
    while (seen.length < 25) {
      const [batch] = await take(source, 1);
      if (!batch) continue;
      seen.push(...bodiesOf([batch]));
      expect(new Set(batch.messages.map(({ about }) => about.key))).toEqual(new Set(['customer-1']));
      await source.accepted(batch);
    }
    expect(seen).toEqual(bodies);
    await source.close();
  });

  it('that is not there, or that the keys do not open, is a fault that says so', async () => {
    const queue = await newQueue();
    const next = (url: string, of = link) => open(url, new Map(), of).then((source) => source.next(NEVER));
    expect(await faultOf(next(`${queue}-no`))).toMatchObject({ code: 'bad_status', message: /no such queue/ });
    const wrong = linkTo(server.url, { ...server.keys, secret_access_key: 'canary' });
    const fault = await faultOf(next(queue, wrong));
    expect(fault.code).toBe('bad_status');
    expect(fault.message).not.toContain('canary');
  });

  it('is shown the keys at the endpoint of the link alone', async () => {
    const other = await answering(() => ({ body: '{}' }));
    const next = (url: string, of: Connection) => open(url, new Map(), of).then((source) => source.next(NEVER));
    expect(await faultOf(next(`${other.url}/1/orders`, link))).toMatchObject({ code: 'destination_blocked' });
    const atAmazon = linkTo(null);
    expect(await faultOf(next(`${other.url}/1/orders`, atAmazon))).toMatchObject({ code: 'destination_blocked' });
    expect(await faultOf(next('http://10.1.2.3/1/orders', linkTo('http://10.1.2.3')))).toMatchObject({
      code: 'destination_blocked',
    });
    expect(other.asked).toHaveLength(0);
  });

  it.each([
    ['no JSON', { body: '<html>' }, 'invalid_output'],
    ['128 MB', { body: Buffer.alloc(128 * 1024 * 1024, 0x20) }, 'output_too_large'],
    ['a redirect', { status: 307, headers: { location: 'http://127.0.0.1:1/' }, body: '{}' }, 'bad_status'],
  ])('that answers %s is a fault', async (_what, said, code) => {
    const { url } = await answering(() => said);
    const asked = open(`${url}/1/q`, new Map(), linkTo(url)).then((source) => source.next(NEVER));
    expect(await faultOf(asked)).toMatchObject({ code });
  });

  it('that lies about messages gives none of them', async () => {
    const Messages = [null, 7, {}, { MessageId: 'x y', ReceiptHandle: 'r', Body: 'b' }, { MessageId: 'a', Body: 'b' }];
    const strange = {
      MessageId: 'ok',
      ReceiptHandle: 'r',
      Body: 'b',
      Attributes: 7,
      MessageAttributes: { a: 7, b: {} },
    };
    const { url } = await answering(() => ({ body: JSON.stringify({ Messages: [...Messages, strange] }) }));
    const source = await open(`${url}/1/q`, new Map(), linkTo(url));
    expect((await source.next(NEVER))?.messages).toMatchObject([{ id: 'ok', headers: {}, about: {}, at: null }]);
  });

  it('that is empty leaves no listener on the signal, which lives as long as the queue is read', async () => {
    const { url } = await answering(() => ({ body: '{}' }));
    const { signal } = new AbortController();
    const source = await open(`${url}/1/q`, new Map(), linkTo(url));
    expect(await source.next(signal)).toBeNull();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    await source.close();
  });

  it('that hangs is left when the source is to stop', async () => {
    const silent = await rawServer(() => undefined);
    const stop = new AbortController();
    const source = await sourceOver(linkTo(`http://127.0.0.1:${silent.port}`)).open({
      ...{ trigger: triggerOf({ integrationId: 'aws', queueUrl: `http://127.0.0.1:${silent.port}/1/q` }) },
      ...{ cursors: new Map(), signal: NEVER },
    });
    const waiting = source.next(stop.signal);
    stop.abort(new Error('it stops'));
    await expect(waiting).rejects.toThrow('it stops');
  });
});
