// Processes of its own: they run on a database that a release has left.
import { ApiClient, liveMongo, liveRedis, processEnv, spawnProcess, TEST_ADMIN } from '@weft/testing';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { watchPlays } from '../chaos/harness/cluster.js';
import { endAll, faultsOf } from '../upgrade/all-states.js';
import { diagnose } from './harness/diagnose.js';
import { runScript } from './harness/run-script.js';

const FOLDER = fileURLToPath(new URL('../fixtures/released/', import.meta.url));
const ENDING = '.weft-backup';

const [mongo, redis] = [liveMongo({ isNew: true }), liveRedis()];
const servers = { mongodbUri: mongo.uri, mongodbDb: mongo.db, redisUrl: redis.url, queuePrefix: redis.prefix };
const env = processEnv(servers);
const { plays } = await watchPlays(servers);

/** The only one, which the newest release before this build has made: `npm run test:upgrade -- --make-database`. */
const [file = '', ...others] = readdirSync(FOLDER).filter((name) => name.endsWith(ENDING));

it('every play in the database that a release has left ends once in this build, as its flow says', async () => {
  expect([file, others]).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+\.weft-backup$/), []]);
  expect(await runScript('standalone/src/restore.main.js', [join(FOLDER, file)], env)).toMatchObject({ code: 0 });
  const left = await plays.find().toArray();
  expect(new Set(left.map(({ state }) => state))).toEqual(
    new Set(['DONE', 'FAIL', 'SKIP', 'FILTERED', 'WAIT', 'DEFERRED', 'ON_HOLD']),
  );
  const version = file.slice(0, -ENDING.length);
  const ahead = (await diagnose(env, version)).filter(({ check }) => check.startsWith('upgrade.'));
  expect(ahead.map(({ check }) => check)).toEqual(expect.arrayContaining(['upgrade.downgrade', 'upgrade.indexes']));
  expect(ahead.filter(({ severity }) => severity === 'error')).toEqual([]);

  const apps = ['api', 'worker', 'scheduler'] as const;
  const processes = await Promise.all(apps.map((app) => spawnProcess(app, env)));
  onTestFinished(async () => {
    await Promise.all(processes.map((process) => process.stop()));
  });
  const admin = await new ApiClient(processes[0]?.url ?? '').login(TEST_ADMIN);
  await endAll(admin, plays);
  const accepted = left.map(({ _id }) => _id);
  expect(await faultsOf(plays, accepted)).toEqual([]);
  expect((await admin.send('GET', '/api/v1/audit/verify')).body).toMatchObject({ ok: true });
  const [keyed] = left.filter(({ idempotencyKey }) => idempotencyKey === 'order 1');
  const replay = await admin.run(keyed?.flowId ?? '', { idempotencyKey: 'order 1', args: { ends: 'DONE' } });
  expect(replay.playId).toBe(keyed?._id);
});
