// @ts-check
/**
 * The API of the floor: accepts a run, stores the play in a group commit, answers when that write is durable, and rings. It has
 * no users, flows or rules, so it measures what the protocol itself costs.
 */
import { createServer } from 'node:http';
import { Queue } from 'bullmq';
import { groupCommit } from './group-commit.mjs';
import { newPlay } from './new-play.mjs';
import { ensureIndexes, openRedis, openStores, QUEUE, required } from './stores.mjs';

const COMPANY_ID = '0floorcompany0000000';
const playsPerJob = Number(required('PLAYS_PER_JOB'));
const RUN_PATH = /^\/api\/v1\/flows\/([0-9a-z]{20})\/run$/;

const { client, plays } = await openStores();
await ensureIndexes(plays);
const redis = openRedis('floor-api');
const queue = new Queue(QUEUE, { connection: redis, prefix: required('QUEUE_PREFIX') });
await queue.waitUntilReady();

const ring = groupCommit(async (/** @type {import('./new-play.mjs').StoredPlay[]} */ group) => {
  const jobs = Array.from({ length: Math.ceil(group.length / playsPerJob) }, (_, n) =>
    group.slice(n * playsPerJob, (n + 1) * playsPerJob),
  );
  await queue.addBulk(
    jobs.map((plays) => ({
      name: 'play',
      data: plays.map((play) => ({ playId: play._id, companyId: play.company_id, flowId: play.flowId, epoch: 1 })),
      opts: { jobId: `${plays[0]?._id}-1`, attempts: 1, removeOnComplete: true, removeOnFail: false },
    })),
  );
});

const accept = groupCommit(async (/** @type {import('./new-play.mjs').StoredPlay[]} */ group) => {
  await plays.insertMany(group, { ordered: false });
  for (const play of group) ring(play).catch(fail);
});

const server = createServer((request, response) => {
  const flowId = request.method === 'POST' ? RUN_PATH.exec(request.url ?? '')?.[1] : undefined;
  if (flowId === undefined) {
    response.writeHead(404).end();
    return;
  }
  /** @type {Buffer[]} */
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const body = JSON.parse(chunks.length === 1 ? String(chunks[0]) : String(Buffer.concat(chunks)));
    const play = newPlay(COMPANY_ID, flowId, body.args);
    accept(play).then(() => {
      const answer = `{"playId":"${play._id}","state":"RUN"}`;
      response.writeHead(202, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': answer.length,
        location: `/api/v1/plays/${play._id}`,
      });
      response.end(answer);
    }, fail);
  });
});

server.listen(Number(required('SERVER_PORT')), '127.0.0.1', () => process.send?.({ ready: true }));
process.on('SIGTERM', async () => {
  server.close();
  server.closeAllConnections();
  await queue.close();
  redis.disconnect();
  await client.close();
  process.disconnect?.();
});

/** The floor handles no fault: any of them spoils the measurement, so the leg ends. @param {unknown} error */
function fail(error) {
  console.error(error);
  process.exit(1);
}
