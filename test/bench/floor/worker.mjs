// @ts-check
/**
 * The floor's worker: takes ids from BullMQ, reads the plays in batches, runs both layers, writes results, log and final
 * state in one conditional update per play (many in one command), and notifies watchers by one PUBLISH per batch.
 */
import { randomBytes } from 'node:crypto';
import { Worker } from 'bullmq';
import { groupCommit } from './group-commit.mjs';
import { runLayers } from './run-layers.mjs';
import { openRedis, openStores, QUEUE, required } from './stores.mjs';
import { closePools } from './web-request.mjs';

/** More plays at once make larger batches: 200 costs a few percent less CPU per play than 100. */
const CONCURRENCY = 200;
const owner = `${randomBytes(6).toString('hex')}:1`;
const targetOrigin = required('TARGET_ORIGIN');
const prefix = required('QUEUE_PREFIX');

const { client, plays } = await openStores();
const events = openRedis('floor-events');
const redis = openRedis('floor-worker');

/** @typedef {{ playId: string, companyId: string, flowId: string, epoch: number }} PlayJob */
/** @typedef {{ job: PlayJob, seq: number, newSeq: number, layers: object[], log: object[] }} Finish */

const NEEDED = { state: 1, epoch: 1, seq: 1, cursor: 1, owner: 1, strict: 1, args: 1 };

const read = groupCommit(async (/** @type {string[]} */ ids) => {
  const found = new Map();
  const cursor = plays.find({ _id: { $in: ids } }, { projection: NEEDED, batchSize: ids.length + 1 });
  for (const play of await cursor.toArray()) found.set(play._id, play);
  return ids.map((id) => found.get(id));
});

const finish = groupCommit(async (/** @type {Finish[]} */ group) => {
  const result = await plays.bulkWrite(group.map(finalWrite), { ordered: false });
  if (result.matchedCount !== group.length) throw new Error('a final write was refused');
  const notices = group.map(({ job, newSeq }) => ({ playId: job.playId, seq: newSeq }));
  events.publish(`${prefix}:events:${group[0]?.job.companyId}`, JSON.stringify(notices)).catch(fail);
});

/** @param {PlayJob} job */
async function run(job) {
  const play = await read(job.playId);
  if (play?.epoch !== job.epoch || play.owner || play.strict || !['NEW', 'RUN'].includes(play.state)) return;
  const { seq, layers, log } = await runLayers(play, targetOrigin, owner);
  await finish({ job, seq: play.seq, newSeq: seq, layers, log });
}

const worker = new Worker(
  QUEUE,
  async ({ data }) => {
    await Promise.all(data.map(run));
  },
  {
    connection: redis,
    prefix,
    concurrency: Math.ceil(CONCURRENCY / Number(required('PLAYS_PER_JOB'))),
    lockDuration: 30_000,
    maxStalledCount: 10,
  },
);
worker.on('failed', (_job, error) => fail(error));
worker.on('error', fail);
await worker.waitUntilReady();
process.send?.({ ready: true });
process.on('SIGTERM', async () => {
  await worker.close();
  await closePools();
  redis.disconnect();
  events.disconnect();
  await client.close();
  process.disconnect?.();
});

/**
 * Protocol section 4, "Final".
 * @param {Finish} finish
 * @returns {import('mongoose').mongo.AnyBulkWriteOperation<import('./stores.mjs').StoredPlay>}
 */
function finalWrite({ job, seq, newSeq, layers, log }) {
  return {
    updateOne: {
      filter: {
        _id: job.playId,
        company_id: job.companyId,
        flowId: job.flowId,
        epoch: job.epoch,
        seq,
        state: { $in: ['NEW', 'RUN'] },
      },
      update: {
        $set: { state: 'DONE', cursor: layers.length, seq: newSeq },
        $unset: { owner: 1, heartbeatAt: 1, dueAt: 1, strict: 1, started: 1 },
        $currentDate: { completedAt: true },
        $push: { layers: { $each: layers }, log: { $each: log } },
      },
    },
  };
}

/** The floor handles no fault: any of them spoils the measurement, so the leg ends. @param {unknown} error */
function fail(error) {
  console.error(error);
  process.exit(1);
}
