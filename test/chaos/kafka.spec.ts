// Processes of its own: what reads from Kafka is killed and frozen, and so are the broker and MongoDB's primary.
import type { Play } from '@weft/engine';
import { liveKafka, privateRedis, waitFor, type SpawnedProcess } from '@weft/testing';
import type mongoose from 'mongoose';
import { expect, it } from 'vitest';
import { CAMPAIGN_TIMEOUT_MS, faultsInTurn, MINUTES } from './harness/campaign-length.js';
import { watchedFleet } from './harness/cluster.js';
import { startReplicaSet } from './harness/replica-set.js';

const FAULTS = ['scheduler', 'broker', 'primary', 'frozen scheduler'];
/** In the long form as many as the promise says. */
const MESSAGES = MINUTES > 0 ? 100_000 : 4_000;
const PER_FAULT = MESSAGES / FAULTS.length;
const KEYS = 50;
const IN_ONE_SEND = 500;
const READ_WITHIN_MS = 600_000;

const [kafka, set, redis] = [await liveKafka(), await startReplicaSet(), await privateRedis()];
const cluster = await watchedFleet(
  { mongodbUri: set.uri, redisUrl: redis.uri },
  { apps: ['api', 'worker', 'scheduler', 'scheduler'], env: { WORKER_SLOTS: '40' } },
);
const { admin, plays } = cluster;
const schedulers: SpawnedProcess[] = [...cluster.of('scheduler')];

/** A flow whose plays of one key run one after the other, and the topic that it reads. */
async function readTopic(): Promise<{ readonly topic: string; readonly flowId: string; readonly path: string }> {
  const topic = await kafka.topic(4);
  const flow = await admin.createFlow({ name: 'Orders', settings: { lane: '{{ .args.key }}' } });
  await admin.addLayer(flow.id, { ref: 'tell', appId: 'text-template', args: { template: '{{ .args.n }}' } });
  const link = await admin.send<{ id: string }>('POST', '/api/v1/integrations', {
    ...{ type: 'kafka', name: 'Kafka', kind: 'basic', username: kafka.user, password: kafka.password },
    ...{ endpoint: `kafka://127.0.0.1:${kafka.port}`, settings: { tls: 'off' } },
  });
  const trigger = await admin.send<{ id: string }>('POST', `/api/v1/flows/${flow.id}/triggers`, {
    ...{ name: 'orders', type: 'kafka', source: { integrationId: link.body.id, topic, start: 'earliest' } },
    args: { n: '{{ $message.value.n }}', key: '{{ $message.key }}' },
  });
  expect(trigger).toMatchObject({ status: 201, body: { url: null } });
  return { topic, flowId: flow.id, path: `/api/v1/flows/${flow.id}/triggers/${trigger.body.id}` };
}

/** Who reads is killed: one of them does. */
async function strike(fault: string): Promise<void> {
  if (fault === 'broker') {
    await kafka.kill();
    await kafka.start();
  } else if (fault === 'primary') await set.replacePrimary();
  else if (fault === 'scheduler') {
    await Promise.all(schedulers.splice(0).map((each) => each.kill()));
    schedulers.push(await cluster.add('scheduler'), await cluster.add('scheduler'));
  } else {
    await Promise.all(schedulers.map((each) => each.kill('SIGSTOP')));
    const other = await cluster.add('scheduler');
    const before = await plays.countDocuments();
    await waitFor(async () => (await plays.countDocuments()) > before, {
      ...{ what: 'another scheduler to read on', withinMs: READ_WITHIN_MS },
    });
    await Promise.all(schedulers.map((each) => each.kill('SIGCONT')));
    schedulers.push(other);
  }
}

it(
  'makes one play of each message, in order for each key, whatever is killed or frozen meanwhile',
  async () => {
    const { topic, flowId, path } = await readTopic();
    const made = () => plays.countDocuments({ flowId });
    let sent = 0;
    for (const fault of faultsInTurn(FAULTS, FAULTS)) {
      if (sent >= MESSAGES) break;
      const until = sent + PER_FAULT;
      for (; sent < until; sent += IN_ONE_SEND) {
        const of = Array.from({ length: IN_ONE_SEND }, (_, i) => sent + i);
        await kafka.put(
          topic,
          of.map((n) => ({ key: `k${n % KEYS}`, value: JSON.stringify({ n }) })),
        );
      }
      await waitFor(async () => (await made().catch(() => 0)) > until - PER_FAULT * 0.9, {
        ...{ what: 'the messages to be read', withinMs: READ_WITHIN_MS },
      });
      await strike(fault);
    }
    const isRead = async () => {
      const { status, body } = await admin.send<{ reading: { lag: number; state: string } }>('GET', path);
      return status === 200 && (await made()) >= MESSAGES && body.reading.lag === 0 && body.reading.state === 'reading';
    };
    await waitFor(isRead, { what: 'all to be read', withinMs: READ_WITHIN_MS });
    const all = await plays.find({ flowId }, { projection: { args: 1, order: 1, lane: 1 } }).toArray();
    expect(all.map(({ args }) => Number(args.n)).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: MESSAGES }, (_, n) => n),
    );
    expect(outOfOrder(all)).toEqual([]);
  },
  CAMPAIGN_TIMEOUT_MS,
);

/** Plays that got their place before one whose message came before theirs. */
function outOfOrder(all: readonly Play[]): unknown[] {
  const placeOf = ({ order }: Play) => (order as mongoose.mongo.Timestamp).toBigInt();
  return [...Map.groupBy(all, ({ args }) => args.key)].flatMap(([key, ofKey]) => {
    const placed = ofKey.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1)).map(({ args }) => Number(args.n));
    return placed.flatMap((n, i) => (n < (placed[i - 1] ?? -1) ? [{ key, n, after: placed[i - 1] }] : []));
  });
}
