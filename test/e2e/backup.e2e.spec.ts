// Processes of its own: their database is dropped and restored.
import type { PlayFrame } from '@weft/contracts';
import {
  ApiClient,
  liveRedis,
  processEnv,
  scratchFolder,
  socketClient,
  spawnProcess,
  TEST_ADMIN,
  waitFor,
} from '@weft/testing';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { steadyLoad } from '../chaos/harness/steady-load.js';
import { startFleet } from './harness/fleet.js';
import { runScript, type Ran } from './harness/run-script.js';

const BIG = 'x'.repeat(300_000);
const RUNS_PER_SECOND = 8;
const PASSPHRASE = 'a passphrase of the night shift';
const OTHER = createHash('sha256').update('another secret').digest('hex');
const redis = liveRedis();
const { admin, ledger, servers: own, one, of, add } = await startFleet({ env: { QUEUE_PREFIX: redis.prefix } });
const servers = { ...own, queuePrefix: redis.prefix };
const env: Record<string, string> = { ...processEnv(servers), BACKUP_PASSPHRASE: PASSPHRASE };
const file = join(scratchFolder('backup'), 'weft.backup');
const script = (
  name: 'backup' | 'restore',
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Ran> => runScript(`standalone/src/${name}.main.js`, args, { ...env, ...more });

const client = await new mongoose.mongo.MongoClient(servers.mongodbUri).connect();
afterAll(() => client.close());
ledger.answerWith(({ path }) => ({ status: 200, body: path === '/big' ? { big: BIG } : {} }));

const framesOf = async (who: ApiClient, realtime: string, playId: string): Promise<readonly PlayFrame[]> => {
  const socket = socketClient(`${realtime}/ws/plays/${playId}`, { headers: who.credentials });
  await socket.closed;
  return socket.frames;
};

it('copied under load and restored after both stores were lost, an installation goes on where it was', async () => {
  const { token } = await admin.createApiKey();
  const link = {
    type: 'web',
    name: 'Sealed',
    access_token: 'token-of-the-peer',
  };
  const { body: sealed } = await admin.send<{ id: string }>('POST', '/api/v1/integrations', link);
  const flow = await admin.createFlow({ name: 'Orders' });
  const url = `${ledger.url}/{{ $prev.args.what }}`;
  await admin.addLayer(flow.id, { ref: 'fetch', appId: 'web-request', args: { url } });
  await admin.addLayer(flow.id, { ref: 'pause', appId: 'delay', args: { ms: 1_500 } });
  await admin.addLayer(flow.id, {
    ref: 'tell',
    appId: 'web-request',
    args: { url: `${ledger.url}/told`, auth: { integrationId: sealed.id } },
  });
  const waiting = await admin.createFlow({ name: 'Waits' });
  await admin.addLayer(waiting.id, { ref: 'signal', appId: 'wait-event', args: { name: 'go' } });
  const ended = await admin.run(flow.id, { args: { what: 'big' }, idempotencyKey: 'the first' });
  await admin.waitForPlay(ended.playId);
  const told = await framesOf(admin, one('realtime').url, ended.playId);
  const parked = await admin.run(waiting.id);
  await admin.waitForPlay(parked.playId, { state: 'WAIT' });

  const load = steadyLoad(RUNS_PER_SECOND, (n) =>
    admin.run(flow.id, { args: { what: 'small' }, idempotencyKey: `${n}` }),
  );
  await waitFor(() => load.answered.length > RUNS_PER_SECOND, { what: 'runs to be accepted', withinMs: 20_000 });
  const accepted = load.answered.map(({ value }) => value.playId);
  const copied = await script('backup', [file, '--with-keys']);
  await load.stop();
  expect([copied.code, copied.said]).toEqual([0, expect.stringContaining('secrets of the installation are included')]);

  await Promise.all((['api', 'worker', 'realtime', 'scheduler'] as const).flatMap(of).map((process) => process.kill()));
  await client.db(servers.mongodbDb).dropDatabase();
  await redis.wipe();

  const foreign = await script('restore', [file], { ENC_KEY_SECRET: OTHER });
  expect([foreign.code, foreign.said]).toEqual([
    1,
    expect.stringContaining('made with an ENC_KEY_SECRET of fingerprint'),
  ]);
  expect(await client.db(servers.mongodbDb).collection('plays').countDocuments({})).toBe(0);
  expect(await script('restore', [file])).toMatchObject({ code: 0 });

  const [api, realtime] = await Promise.all([add('api'), add('realtime'), add('worker'), add('scheduler')]);
  const byKey = new ApiClient(api.url).withKey(token);
  const again = await new ApiClient(api.url).login(TEST_ADMIN);
  expect((await again.send('GET', '/api/v1/audit/verify')).body).toMatchObject({ ok: true });
  // a key of before, a play of before, and the stream of before
  expect(await framesOf(byKey, realtime.url, ended.playId)).toEqual(told);
  expect((await byKey.send('GET', `/api/v1/plays/${ended.playId}/layers/fetch/out`)).body).toMatchObject({
    json: { big: BIG },
  });
  const replay = await byKey.run(flow.id, { idempotencyKey: 'the first' });
  expect(replay.playId).toBe(ended.playId);
  for (const playId of accepted) await byKey.waitForPlay(playId, { state: 'DONE', withinMs: 60_000 });
  await byKey.send('POST', '/api/v1/events', { name: 'go' });
  await byKey.waitForPlay(parked.playId, { state: 'DONE' });
  const next = await byKey.run(flow.id, { args: { what: 'small' } });
  await byKey.waitForPlay(next.playId, { state: 'DONE' });
  expect((await framesOf(byKey, realtime.url, next.playId)).at(-1)?.type).toBe('play_complete');
});

it('a restore that is killed leaves a database on which no process starts, and the next one completes it', async () => {
  const db = `${servers.mongodbDb}_2`;
  const second = { ...env, MONGODB_DB: db, QUEUE_PREFIX: `${redis.prefix}-2` };
  onTestFinished(async () => {
    await client.db(db).dropDatabase();
  });
  await client
    .db(db)
    .collection('backups')
    .insertOne({ _id: 'restoring' as never, at: new Date(), backup: 'x' });
  await client
    .db(db)
    .collection('plays')
    .insertOne({ _id: 'a part' as never });
  const refused = await spawnProcess('worker', second, { readyWithinMs: 0 });
  expect(await refused.ended).toBe(1);
  expect(refused.output()).toContain('a restore of this database began');
  expect(await script('restore', [file], second)).toMatchObject({ code: 0 });
  expect(
    await client
      .db(db)
      .collection('plays')
      .findOne({ _id: 'a part' as never }),
  ).toBeNull();
  const full = await script('restore', [file], second);
  expect([full.code, full.said]).toEqual([1, expect.stringContaining('is not empty')]);
  expect(await script('restore', [file, '--replace'], second)).toMatchObject({ code: 0 });

  const keyFile = `${file}.env`;
  expect((await script('restore', [file, '--keys-to', keyFile], { ENC_KEY_SECRET: OTHER })).code).toBe(0);
  expect(readFileSync(keyFile, 'utf8')).toContain(`ENC_KEY_SECRET=${env.ENC_KEY_SECRET}\n`);
});
