// Servers and processes of its own: their users have the rights that docs/deploy asks for, and no others.
import { ApiClient, privateMongod, privateRedis, processEnv, scratchFolder, spawnProcess } from '@weft/testing';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { asMember } from '#tools/servers/mongod-access.mjs';
import { founded } from '../fixtures/founded.js';
import { diagnose } from './harness/diagnose.js';
import { runScript } from './harness/run-script.js';

const NAME = 'weft';
const DOCS = ['docs/deploy/mongodb.md', 'docs/deploy/redis.md'].map((file) => readFileSync(file, 'utf8')).join('\n');
/** Connections of a process, in the arithmetic of docs/deploy/mongodb.md. */
const POOL = 5;
const WATCHING = 2;

const [mongod, redis] = await Promise.all([privateMongod(), privateRedis()]);
const member = await new mongoose.mongo.MongoClient(
  asMember({ port: mongod.port, secret: readFileSync(join(mongod.folder, 'secret'), 'utf8') }),
).connect();
afterAll(() => member.close());
const roles = [...DOCS.matchAll(/\{ role: '(\w+)', db: '(\w+)' \}/g)].map(([, role, db]) => ({ role, db }));
await member.db('admin').command({ createUser: 'least', pwd: 'least', roles });

const rules = /^user weft on >… (.*)$/m.exec(DOCS)?.[1]?.split(' ') ?? [];
const operator = new Redis(redis.uri);
afterAll(() => operator.disconnect());
await operator.acl('SETUSER', NAME, 'on', '>least', ...rules);

const env = processEnv({
  mongodbUri: `mongodb://least:least@127.0.0.1:${mongod.port}/?replicaSet=rs0&authSource=admin&maxPoolSize=${POOL}`,
  mongodbDb: NAME,
  redisUrl: `redis://${NAME}:least@127.0.0.1:${redis.port}`,
  queuePrefix: NAME,
});

it('works with users of least rights, as many connections as the address allows, and so do doctor, backup and restore', async () => {
  expect([roles, rules.length]).toEqual([[{ role: 'readWrite', db: NAME }, { role: 'dbAdmin', db: NAME }], expect.any(Number)]); // prettier-ignore
  const cookie = await founded({ mongodbUri: env.MONGODB_URI ?? '', mongodbDb: NAME });
  const api = await spawnProcess('api', env);
  const others = await Promise.all((['worker', 'scheduler', 'realtime'] as const).map((app) => spawnProcess(app, env)));
  const admin = new ApiClient(api.url, { cookie });
  const flow = await admin.createFlow({ name: 'Greets' });
  await admin.addLayer(flow.id, { ref: 'a', appId: 'text-template', args: { template: 'hello' } });
  const runs = await Promise.all(Array.from({ length: 60 }, () => admin.run(flow.id)));
  for (const { playId } of runs) await admin.waitForPlay(playId, { state: 'DONE' });

  const { connections } = await member.db('admin').command({ serverStatus: 1, connections: 1 });
  const clients = await member
    .db('admin')
    .aggregate<{ _id: string; count: number }>([
      { $currentOp: { allUsers: true, idleConnections: true } },
      { $match: { appName: /^weft-/ } },
      { $group: { _id: '$appName', count: { $sum: 1 } } },
    ])
    .toArray();
  expect(clients.length, JSON.stringify(connections)).toBe(4);
  for (const { _id, count } of clients) expect(count, _id).toBeLessThanOrEqual(POOL + WATCHING);

  const wrong = (await diagnose(env)).filter(
    ({ check, severity }) => severity !== 'ok' && !check.startsWith('public.'),
  );
  expect(wrong.map(({ check }) => check).filter((check) => check !== 'mongodb.disk')).toEqual([
    'mongodb.replica_set',
    'database.backup',
  ]);

  const file = join(scratchFolder('backup'), 'weft.weft-backup');
  expect(await runScript('standalone/src/backup.main.js', [file], env)).toMatchObject({ code: 0 });
  await Promise.all([api, ...others].map((process) => process.stop()));
  expect(await runScript('standalone/src/restore.main.js', [file, '--replace'], env)).toMatchObject({ code: 0 });
  expect(await operator.keys('*')).toEqual([]);
});
