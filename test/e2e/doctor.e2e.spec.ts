// Processes of its own: what the doctor is to find is broken in them.
import { VERSION } from '@weft/client';
import {
  privateClusterServer,
  privateMongod,
  privateRedis,
  processEnv,
  scratchFolder,
  spawnProcess,
  waitFor,
} from '@weft/testing';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { afterAll, describe, expect, it } from 'vitest';
import { findMongod, freePort } from '#tools/servers/index.mjs';
import { asMember } from '#tools/servers/mongod-access.mjs';
import { exitCodeOf, type Finding } from '../../apps/standalone/src/doctor/finding.js';
import { founded } from '../fixtures/founded.js';
import { diagnose } from './harness/diagnose.js';
import { publicProxy } from './harness/public-proxy.js';
import { runScript } from './harness/run-script.js';

const OTHER = createHash('sha256').update('another secret').digest('hex');
const [mongod, server] = await Promise.all([privateMongod(), privateRedis()]);
const env = processEnv({ mongodbUri: mongod.uri, mongodbDb: 'weft', redisUrl: server.uri, queuePrefix: 'doctor' });
await founded({ mongodbUri: mongod.uri, mongodbDb: 'weft' });
const [api, realtime] = await Promise.all([spawnProcess('api', env), spawnProcess('realtime', env)]);
afterAll(() => Promise.all([api.stop(), realtime.stop()]));
const front = await publicProxy({ api: api.port, realtime: realtime.port });
const redis = new Redis(server.uri);
afterAll(() => redis.disconnect());

/** With the settings of the processes, and these. */
const settingsWith = (more: Readonly<Record<string, string>>) => ({ ...env, API_URL: front.url, ...more });

function judged(findings: readonly Finding[]) {
  // How full the disk is depends on the machine: `check-mongo.spec` has that.
  const worse = findings.filter(({ check, severity }) => check !== 'mongodb.disk' && severity !== 'ok');
  return { findings, faults: Object.fromEntries(worse.map(({ check, severity }) => [check, severity])) };
}

/** Runs the program. */
async function run(more: Readonly<Record<string, string>> = {}, args: readonly string[] = []) {
  const { code, said } = await runScript('standalone/src/doctor.main.js', ['--json', ...args], settingsWith(more));
  const { findings } = JSON.parse(said) as { readonly findings: readonly Finding[] };
  return { code, said, ...judged(findings) };
}

/** What the program does, without a process of its own. `code`: with which it would end. */
async function find(more: Readonly<Record<string, string>> = {}, upgradeFrom?: string) {
  const findings = await diagnose(settingsWith(more), upgradeFrom);
  return { code: exitCodeOf(findings), ...judged(findings) };
}

const client = await new mongoose.mongo.MongoClient(mongod.uri).connect();
afterAll(() => client.close());

/** @returns the address of MongoDB for a user who may do everything with documents, and not see which indexes there are */
async function readerWithoutIndexes(): Promise<string> {
  const secret = readFileSync(join(mongod.folder, 'secret'), 'utf8');
  const member = await new mongoose.mongo.MongoClient(asMember({ port: mongod.port, secret })).connect();
  const privileges = [{ resource: { db: 'weft', collection: '' }, actions: ['find', 'insert', 'update', 'remove'] }];
  const admin = member.db('admin');
  await admin.command({ createRole: 'reader', privileges, roles: ['clusterMonitor'] });
  await admin.command({ createUser: 'reader', pwd: 'reader', roles: ['reader'] });
  await member.close();
  return `mongodb://reader:reader@127.0.0.1:${mongod.port}/?replicaSet=rs0&authSource=admin`;
}

const REDIS_PASSWORD = new URL(server.uri).password;
const ONE_MEMBER = { 'mongodb.replica_set': 'warning' };
const FRESH = { ...ONE_MEMBER, 'database.backup': 'warning' };

describe('the doctor', () => {
  it('finds nothing but what a small installation lacks, and says no secret', async () => {
    const { code, said, findings, faults } = await run();
    expect([code, faults]).toEqual([1, FRESH]);
    expect(findings.map(({ check }) => check)).toEqual(
      expect.arrayContaining([
        'redis.aof',
        'keys.installation',
        'database.indexes',
        'public.sockets /api/ws',
        'egress.proxy',
      ]),
    );
    for (const finding of findings) expect(finding.advice === '').toBe(finding.severity === 'ok');
    for (const secret of [env.ENC_KEY_SECRET, env.ENV_KEY_SALT, REDIS_PASSWORD, new URL(mongod.uri).password]) {
      expect(secret).not.toBe('');
      expect(said).not.toContain(secret);
    }
    const text = await runScript('standalone/src/doctor.main.js', [], { ...env, API_URL: front.url });
    expect([text.code, text.said]).toEqual([1, expect.stringMatching(/^WARNING mongodb.replica_set: /m)]);
  });

  it('finds a Redis that may lose what it is given, or takes no writes', async () => {
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    await redis.config('SET', 'appendonly', 'no');
    await redis.replicaof('127.0.0.1', 9);
    const { code, faults } = await find();
    await redis.replicaof('NO', 'ONE');
    await redis.config('SET', 'appendonly', 'yes');
    await redis.config('SET', 'maxmemory-policy', 'noeviction');
    expect([code, faults]).toEqual([
      2,
      { ...FRESH, 'redis.eviction': 'error', 'redis.aof': 'warning', 'redis.role': 'error' },
    ]);
  });

  it('finds secrets of another installation, and settings that are none', async () => {
    expect(await find({ ENC_KEY_SECRET: OTHER })).toMatchObject({
      code: 2,
      faults: { ...FRESH, 'keys.installation': 'error' },
    });
    expect(await run({ SERVER_PORT: 'x' })).toMatchObject({ code: 2, faults: { settings: 'error' } });
  });

  it('finds a proxy in front that does not pass on upgrades, or leads to the API alone', async () => {
    const sockets = ['/api/ws', '/ws/plays/doctor', '/socket.io/'].map((path) => `public.sockets ${path}`);
    const faults = { ...FRESH, ...Object.fromEntries(sockets.map((check) => [check, 'error'])) };
    const expected: object = { code: 2, faults };
    const stripping = await publicProxy({ api: api.port, realtime: realtime.port, passesUpgrades: false });
    expect(await find({ API_URL: stripping.url })).toMatchObject(expected);
    expect(await find({ API_URL: api.url })).toMatchObject(expected);
    expect((await find({ API_URL: 'http://127.0.0.1:9' })).faults).toEqual({ ...FRESH, 'public.reached': 'error' });
  });

  it('finds a Redis of another kind than its address says, and no process starts with it', async () => {
    const ofCluster = await privateClusterServer();
    const wrong = [
      [ofCluster.uri, 'write redis+cluster://'],
      [server.uri.replace('redis:', 'redis+cluster:'), 'write redis:// for one server'],
    ] as const;
    const tried = wrong.map(async ([REDIS_URL, advice]) => {
      const { code, findings, faults } = await run({ REDIS_URL });
      expect([code, faults]).toEqual([2, { ...FRESH, 'redis.role': 'error' }]);
      expect(findings.find(({ check }) => check === 'redis.role')?.says).toContain(advice);
      const refused = await runScript('scheduler/src/main.js', [], { ...env, REDIS_URL });
      expect([refused.code, refused.said]).toEqual([1, expect.stringContaining(advice)]);
    });
    await Promise.all(tried);
  });

  it('finds a cluster of Redis that lacks a slot', async () => {
    const { uri } = await privateClusterServer();
    const operator = new Redis(uri);
    await operator.config('SET', 'cluster-announce-ip', '127.0.0.1'); // it has met nobody who knows
    await operator.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16382').finally(() => operator.disconnect());
    const { findings } = await find({ REDIS_URL: uri.replace('redis:', 'redis+cluster:') });
    expect(findings.find(({ check }) => check === 'redis.reached')?.says).toMatch(/: CLUSTERDOWN [^:]*\.$/);
  });

  it('finds an address of MongoDB that does not follow an election', async () => {
    const { findings } = await find({
      MONGODB_URI: `${mongod.uri.replace('replicaSet=rs0&', '')}&directConnection=true`,
    });
    expect(findings.find(({ check }) => check === 'mongodb.replica_set')?.says).toContain('directConnection=true');
  });

  it('finds stores that are not reached, and an outgoing proxy that is not', async () => {
    const gone = {
      REDIS_URL: 'redis://:hidden@127.0.0.1:9',
      EGRESS_PROXY: 'http://me:hidden@127.0.0.1:9',
      EGRESS_ALLOW: '0.0.0.0/0',
    };
    const [{ faults, said }, lost] = await Promise.all([
      run(gone),
      run({ MONGODB_URI: 'mongodb://me:hidden@127.0.0.1:9/?serverSelectionTimeoutMS=1000' }),
    ]);
    expect(faults).toEqual({ ...FRESH, 'redis.reached': 'error', 'egress.proxy': 'error', 'egress.allow': 'error' });
    expect(said).not.toContain('hidden');
    expect([lost.code, lost.faults]).toEqual([2, { 'mongodb.reached': 'error' }]);
    expect(lost.said).not.toContain('hidden');
  });

  it('says before an upgrade what that needs, without the checks of this build against the database of the one before', async () => {
    const plain = await run({}, ['--upgrade-from', `v${VERSION}`]);
    expect([plain.code, plain.faults]).toEqual([1, FRESH]);
    const said = plain.findings.filter(({ check }) => check.startsWith('upgrade.'));
    expect(said.map(({ check, says }) => [check, says])).toEqual([
      ['upgrade.version', `From ${VERSION} to ${VERSION}, which is this build.`],
      ['upgrade.retention', expect.stringContaining('retention deletes ended plays after 7d')],
      ['upgrade.settings', expect.stringContaining('No setting that you use')],
      ['upgrade.database', expect.stringContaining(`is of ${VERSION}`)],
      ['upgrade.processes', expect.stringMatching(/^No standstill/)],
      ['upgrade.migrations', 'No migration will run.'],
      ['upgrade.downgrade', expect.stringContaining('is possible')],
      ['upgrade.indexes', 'No index has to be built.'],
    ]);

    await client.db('weft').collection('flows').dropIndexes();
    const indexes = await find({}, VERSION);
    expect([indexes.code, indexes.faults]).toEqual([1, FRESH]);
    expect(indexes.findings.find(({ check }) => check === 'upgrade.indexes')?.says).toMatch(
      /^\d+ indexes will be built .+ flows \{/,
    );
    expect((await find()).faults).toEqual({ ...FRESH, 'database.indexes': 'warning' });
  });

  it('refuses a version from which no upgrade leads here, and says why', async () => {
    // `judge-version.spec` has the others
    for (const version of ['9.9.9', '']) {
      const { code, faults, findings } = await find({}, version);
      expect([code, faults]).toEqual([2, { ...FRESH, 'upgrade.version': 'error' }]);
      expect(findings.filter(({ check }) => check.startsWith('upgrade.'))).toHaveLength(1);
    }
    const without = await runScript('standalone/src/doctor.main.js', ['--upgrade-from'], env);
    expect([without.code, without.said]).toEqual([2, expect.stringContaining('npm run doctor')]);
  });

  it('says that a database is empty, of a newer release, not readable or not reached, before an upgrade', async () => {
    const ask = async (more: Readonly<Record<string, string>>) => {
      const { code, findings } = await find(more, VERSION);
      const wrong = findings.filter(({ check, severity }) => check.startsWith('upgrade.') && severity !== 'ok');
      return { code, wrong: wrong.map(({ check, severity, says }) => [check, severity, says]) };
    };
    const empty = await ask({ MONGODB_DB: 'elsewhere' });
    expect(empty.wrong).toEqual([['upgrade.database', 'warning', 'The database elsewhere is empty.']]);

    const migrations = client.db('weft').collection<{ _id: string; status: string }>('migrations');
    await migrations.insertOne({ _id: 'of-another-year', status: 'done' });
    const newer = await ask({});
    await migrations.deleteOne({ _id: 'of-another-year' });
    const says = expect.stringContaining('the migration of-another-year') as string;
    expect([newer.code, newer.wrong]).toEqual([2, [['upgrade.database', 'error', says]]]);

    const MONGODB_URI = await readerWithoutIndexes();
    const unread = await ask({ MONGODB_URI });
    expect(unread.wrong).toEqual([['upgrade.indexes', 'error', 'This could not be read: Unauthorized.']]);

    const lost = await run({ MONGODB_URI: 'mongodb://me:hidden@127.0.0.1:9/?serverSelectionTimeoutMS=1000' }, [
      `--upgrade-from=${VERSION}`,
    ]);
    expect([lost.code, lost.faults]).toEqual([2, { 'mongodb.reached': 'error' }]);
    expect(lost.findings.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['upgrade.version', 'upgrade.settings']),
    );
    expect(lost.said).not.toContain('hidden');
  });

  it('finds a MongoDB that is not a replica set', async () => {
    const port = await freePort();
    const { path } = await findMongod({ env: process.env, log: () => undefined });
    const alone = spawn(path, ['--port', `${port}`, '--bind_ip', '127.0.0.1', '--dbpath', scratchFolder('alone')]);
    const ended = new Promise((resolve) => alone.once('exit', resolve));
    try {
      await waitFor(() => listens(port), { what: 'mongod to listen', withinMs: 30_000 });
      const { faults } = await find({ MONGODB_URI: `mongodb://127.0.0.1:${port}` });
      expect(faults).toMatchObject({ 'mongodb.replica_set': 'error' });
    } finally {
      alone.kill('SIGKILL');
      await ended;
    }
  });
});

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
