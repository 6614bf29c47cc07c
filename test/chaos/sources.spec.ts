// Processes of its own: what reads a queue, a folder of mails, a list and a feed is killed and frozen, and MongoDB's primary is killed.
import { LEASES, type LeaseDocument } from '@weft/records';
import { mailServer, PRIVATE_CA, privateRedis, s3Server, scratchFolder, waitFor } from '@weft/testing';
import mongoose from 'mongoose';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { CAMPAIGN_TIMEOUT_MS } from './harness/campaign-length.js';
import { watchedFleet } from './harness/cluster.js';
import { forgetfulQueue, listedOrders } from './harness/partners.js';
import { startReplicaSet } from './harness/replica-set.js';

const IN_ONE_PUT = 50;
const STRUCK_AT = 20;
const WITHIN_MS = 60_000;
/** What a mailbox, a list and a feed have is looked at so often, and at once by who begins to read. */
const everySeconds = 10;

const authority = join(scratchFolder('authority'), 'ca.pem');
writeFileSync(authority, PRIVATE_CA);
const [set, redis, moto, mails, orders] = [
  await startReplicaSet(),
  await privateRedis(),
  await s3Server({ buckets: [] }),
  await mailServer(),
  await listedOrders(),
];
afterAll(() => mails.stop());
const queue = await forgetfulQueue(moto);
const cluster = await watchedFleet(
  { mongodbUri: set.uri, redisUrl: redis.uri },
  { apps: ['api', 'worker', 'scheduler'], env: { EGRESS_CA: authority } },
);
const { admin, plays } = cluster;
const client = await mongoose.mongo.MongoClient.connect(cluster.servers.mongodbUri, { maxPoolSize: 1 });
afterAll(() => client.close());
const leases = client.db(cluster.servers.mongodbDb).collection<LeaseDocument>(LEASES);

let put = 0;
/** The same numbers to all four. */
async function putMore(): Promise<void> {
  const numbers = Array.from({ length: IN_ONE_PUT }, (_, i) => put + i);
  put += IN_ONE_PUT;
  orders.push(...numbers);
  const mailOf = (n: number): string => `From: a@example.com\r\nSubject: ${n}\r\n\r\nOrder`;
  await Promise.all([queue.put(numbers), mails.put('INBOX', numbers.map(mailOf))]);
}

/** @returns the flows that read, and their triggers */
async function readAll(): Promise<readonly { readonly flowId: string; readonly path: string }[]> {
  const { user, pass } = mails.user;
  const link = async (body: object): Promise<string> =>
    (await admin.must<{ id: string }>(201, 'POST', '/api/v1/integrations', { type: 'partner', ...body })).id;
  const queueLink = await link({
    ...{ name: 'Queue', kind: 'aws_sigv4', endpoint: queue.url, secrets: moto.keys },
    settings: { region: 'eu-central-1', service: 'sqs' },
  });
  const mailLink = await link({
    ...{ name: 'Mails', kind: 'basic', endpoint: `imap://localhost:${mails.port}`, username: user, password: pass },
  });
  const list = { items: '{{ .out.json }}', id: '{{ $item }}', everySeconds, start: 'earliest' };
  const request = { appId: 'web-request', args: { url: `${orders.url}/list` } };
  const sources = [
    ['sqs', { integrationId: queueLink, queueUrl: queue.queueUrl }, '{{ $message.value.n }}'],
    ['imap', { integrationId: mailLink, everySeconds, start: 'earliest' }, '{{ $message.value.subject }}'],
    ['poll', { request, ...list }, '{{ $message.value }}'],
    ['rss', { url: `${orders.url}/feed`, everySeconds, start: 'earliest' }, '{{ $message.value.title }}'],
  ] as const;
  return Promise.all(
    sources.map(async ([type, source, n]) => {
      // a lane: its plays are made one after the other, so that something strikes in the midst of them
      const { id: flowId } = await admin.createFlow({ name: type, settings: { lane: type } });
      // each play fails: the key of one that is done would be enough to make no other
      await admin.addLayer(flowId, { ref: 'tell', appId: 'text-template', args: { template: '{{ $prev.args.no }}' } });
      const body = { name: type, type, source, args: { n } };
      const { id } = await admin.must<{ id: string }>(201, 'POST', `/api/v1/flows/${flowId}/triggers`, body);
      return { flowId, path: `/api/v1/flows/${flowId}/triggers/${id}` };
    }),
  );
}

/** The leases of who cannot renew them are over. */
const endLeases = () => leases.deleteMany({ _id: { $regex: /^source:/ } });

/** By a scheduler that runs. */
async function readMore(): Promise<void> {
  await putMore();
  await endLeases();
}

/** Strikes when that many plays have been made since, in the midst of the batches of all four. */
async function strikeAt<T>(count: number, reads: () => Promise<T>, strike: () => Promise<unknown>): Promise<T> {
  const made = plays.watch([{ $match: { operationType: 'insert' } }]);
  await made.tryNext(); // it watches from now on
  const [begun] = await Promise.all([reads(), nextOf(made, count).then(strike)]);
  await made.close();
  return begun;
}

async function nextOf(stream: { next(): Promise<unknown> }, count: number): Promise<void> {
  for (let nth = 0; nth < count; nth += 1) await stream.next();
}

it(
  'makes one play of each message, mail and item, whatever is killed or frozen while it is read',
  async () => {
    await putMore();
    const read = await strikeAt(STRUCK_AT, readAll, () => cluster.one('scheduler').kill());
    const second = await cluster.add('scheduler');
    await strikeAt(STRUCK_AT, readMore, () => second.kill('SIGSTOP'));
    await cluster.add('scheduler');
    await strikeAt(STRUCK_AT, readMore, set.replacePrimary);
    await second.kill('SIGCONT');

    const made = (flowId: string) => plays.countDocuments({ flowId }).catch(() => 0);
    const isRead = async () => {
      const counts = await Promise.all(read.map(({ flowId }) => made(flowId)));
      return counts.every((count) => count >= put) && (await queue.length()) === 0;
    };
    await waitFor(isRead, { what: 'all to be read', withinMs: WITHIN_MS });
    for (const { flowId, path } of read) {
      const all = await plays.find({ flowId }, { projection: { args: 1 } }).toArray();
      const numbers = all.map(({ args }) => Number(args.n)).toSorted((a, b) => a - b);
      expect(numbers, path).toEqual(Array.from({ length: put }, (_, n) => n));
    }
    expect(queue.givenAgain()).toBeGreaterThan(0);
  },
  CAMPAIGN_TIMEOUT_MS,
);
