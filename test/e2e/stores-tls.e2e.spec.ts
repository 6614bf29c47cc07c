// Servers and processes of its own: they take only clients with certificates, whose users have the rights that docs/deploy asks for.
import {
  ApiClient,
  CLIENT,
  CLIENT_EXPIRED,
  CLIENT_OF_STRANGER,
  PRIVATE_CA,
  privateMongod,
  privateRedis,
  processEnv,
  scratchFolder,
  spawnProcess,
  waitFor,
  STORE,
  STORE_ELSEWHERE,
  STORE_EXPIRED,
  STORE_OF_STRANGER,
  STORES_CA,
} from '@weft/testing';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { certificateFiles, writeCertificates } from '#tools/servers/certificates.mjs';
import { asMember } from '#tools/servers/mongod-access.mjs';
import { redisCluster } from '../chaos/harness/redis-cluster.js';
import { founded } from '../fixtures/founded.js';
import { diagnose } from './harness/diagnose.js';
import { runScript } from './harness/run-script.js';

const NAME = 'weft';
const DOCS = readFileSync('docs/deploy/redis.md', 'utf8');
const SUBJECT = 'CN=weft,O=Weft';
const ROLES = (['readWrite', 'dbAdmin'] as const).map((role) => ({ role, db: NAME }));

const ours = { authority: STORES_CA, ...STORE };
const [mongod, redis] = await Promise.all([
  privateMongod({ certificates: ours }),
  privateRedis({ certificates: ours }),
]);
const member = await new mongoose.mongo.MongoClient(
  asMember({ port: mongod.port, secret: readFileSync(join(mongod.folder, 'secret'), 'utf8') }),
).connect();
const operator = new Redis(redis.uri);
afterAll(() => operator.disconnect());
afterAll(() => member.close());
await member.db('$external').command({ createUser: SUBJECT, roles: ROLES });
const rules = /^user weft on >… (.*)$/m.exec(DOCS)?.[1]?.split(' ') ?? [];
await operator.acl('SETUSER', NAME, 'on', '>least', ...rules);

const sentinel = await privateRedis({ sentinel: true, certificates: ours });
const ofSentinel = new Redis(sentinel.uri);
afterAll(() => ofSentinel.disconnect());
const FINDER = 'finder';
const findingRules = /^user finder on >… (.*)$/m.exec(DOCS)?.[1]?.split(' ') ?? [];
await ofSentinel.call('ACL', 'SETUSER', FINDER, 'on', '>finds', ...findingRules);
await ofSentinel.call('SENTINEL', 'MONITOR', 'plays', '127.0.0.1', String(redis.tlsPort), '1');
await ofSentinel.call('SENTINEL', 'SET', 'plays', 'auth-pass', new URL(redis.uri).password);

const folder = scratchFolder('certificates');
const file = (name: string, text: string): string => {
  const path = join(folder, `${name}.pem`);
  writeFileSync(path, text);
  return path;
};
const pem = ({ cert, key }: typeof CLIENT): string => `${cert}\n${key}`;
const CA = file('ca', STORES_CA);
const OWN = file('own', pem(CLIENT));

interface Given {
  readonly ca?: string;
  /** null: none */
  readonly own?: string | null;
}

interface GivenToSentinels extends Given {
  readonly user?: string;
  readonly password?: string;
}

function query({ ca = CA, own = OWN }: Given): string {
  const named = { tlsCAFile: ca, ...(own !== null && { tlsCertificateKeyFile: own }) };
  return new URLSearchParams(named).toString();
}

const redisUrl = (given: Given = {}): string => `rediss://${NAME}:least@127.0.0.1:${redis.tlsPort}/?${query(given)}`;
const sentinelUrl = ({ user = FINDER, password = 'finds', ...given }: GivenToSentinels = {}): string =>
  `rediss+sentinel://${NAME}:least@127.0.0.1:${sentinel.tlsPort}/plays?sentinelUsername=${user}&sentinelPassword=${password}&${query(given)}`;
/** The certificate is its user, too. */
const mongodbUri = (given: Given = {}): string =>
  `mongodb://127.0.0.1:${mongod.port}/?replicaSet=rs0&serverSelectionTimeoutMS=5000&authSource=$external&authMechanism=MONGODB-X509&tls=true&${query(given)}`;

const envOf = (url: string, uri = mongodbUri()) =>
  processEnv({ mongodbUri: uri, mongodbDb: NAME, redisUrl: url, queuePrefix: NAME });

/** @returns what the doctor finds of the two stores that is an error */
async function faults(env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const findings = await diagnose(env);
  const wrong = findings.filter(({ check, severity }) => severity === 'error' && /^(mongodb|redis)/.test(check));
  return wrong.map(({ check, says }) => `${check}: ${says}`);
}

/** Runs flows. @returns what the doctor then finds wrong with the stores */
async function runsWith(url: string): Promise<readonly string[]> {
  const env = envOf(url);
  const cookie = await founded({ mongodbUri: mongod.uri, mongodbDb: NAME });
  const processes = await Promise.all(
    (['api', 'worker', 'scheduler', 'realtime'] as const).map((app) => spawnProcess(app, env)),
  );
  onTestFinished(async () => void (await Promise.all(processes.map((process) => process.stop()))));
  const admin = new ApiClient(processes[0]?.url ?? '', { cookie });
  const flow = await admin.createFlow({ name: `Greets over ${url.split(':')[0]}` });
  await admin.addLayer(flow.id, { ref: 'a', appId: 'text-template', args: { template: 'hello' } });
  const runs = await Promise.all(Array.from({ length: 30 }, () => admin.run(flow.id)));
  for (const { playId } of runs) await admin.waitForPlay(playId, { state: 'DONE' });
  return faults(env);
}

describe('stores with TLS that ask for a client certificate', () => {
  it('carry an installation, whose user of MongoDB is its certificate', async () => {
    expect(await runsWith(redisUrl())).toEqual([]);
  });

  it('show certificates, of which the doctor says how long they are valid', async () => {
    const { validTo } = new X509Certificate(STORE.cert);
    const { said: output } = await runScript('standalone/src/doctor.main.js', ['--json'], envOf(redisUrl()));
    const { findings } = JSON.parse(output) as { readonly findings: readonly { check: string; says: string }[] };
    const said = findings.flatMap(({ check, says }) =>
      /^(mongodb|redis).certificate/.test(check) ? [`${check}: ${says}`] : [],
    );
    expect(said).toEqual([
      `mongodb.certificate: The certificate of 127.0.0.1:${mongod.port} is valid until ${validTo}.`,
      `redis.certificate: The certificate of Redis is valid until ${validTo}.`,
    ]);
  });

  it('carry one with a Redis Cluster', async () => {
    const cluster = await redisCluster({ certificates: ours, rights: [...rules, '+cluster|slots'] });
    expect(await runsWith(`${cluster.uri}?${query({})}`)).toEqual([]);
    expect(await cluster.refused()).toEqual([]);
  });

  it('carry one whose Redis Sentinels know, also with TLS and with a user of their own', async () => {
    expect(await runsWith(sentinelUrl())).toEqual([]);
  });

  it.concurrent.for<{ what: string; given: GivenToSentinels; why: string }>([
    {
      what: 'another authority',
      given: { ca: file('other-ca-of-sentinel', PRIVATE_CA) },
      why: 'no Sentinel can be reached: certificate not accepted (SELF_SIGNED_CERT_IN_CHAIN)',
    },
    {
      what: 'another password of Sentinels',
      given: { password: 'other' },
      why: 'no Sentinel answers as one: WRONGPASS invalid username-password pair or user is disabled.',
    },
  ])(
    'of which Sentinels know one are not reached with $what, as processes and the doctor say',
    async ({ given, why }, { onTestFinished: afterIt }) => {
      const env = envOf(sentinelUrl(given));
      const worker = await spawnProcess('worker', env, { readyWithinMs: 0 });
      afterIt(() => worker.kill());
      const where = `Redis plays, by Sentinels at 127.0.0.1:${sentinel.tlsPort}`;
      expect(await faults(env)).toEqual([`redis.reached: ${where}: ${why.replace(/\.$/, '')}.`]);
      const said = async () => (await fetch(`${worker.url}/health`)).text();
      await waitFor(async () => (await said().catch(() => '')).includes(`${where}: ${why}`), {
        what: 'the worker to say why',
      });
    },
  );

  it.concurrent.each(findingRules)('are not found by a user of Sentinels without %s', async (rule) => {
    const user = `without-${rule.split('|')[1]}`;
    await ofSentinel.call('ACL', 'SETUSER', user, 'on', '>finds', ...findingRules.filter((other) => other !== rule));
    const [said, ...others] = await faults(envOf(sentinelUrl({ user })));
    expect(said).toContain('no Sentinel answers as one: NOPERM ');
    expect(others).toEqual([]);
  });

  const MONGO = `mongodb.reached: MongoDB at 127.0.0.1:${mongod.port}`;
  const REDIS = `redis.reached: Redis at 127.0.0.1:${redis.tlsPort}`;
  const REFUSED = /: (certificate not accepted \(ERR_SSL_[\w/]+\)|connection (closed|failed \((ECONNRESET|EPIPE)\)): a server does this that asks for a client certificate and gets none that it accepts)\.$/; // prettier-ignore

  // each waits for as long as the doctor asks a store that refuses it
  it.concurrent('are not accepted by the doctor without the authority that signed their certificates', async () => {
    const given = { ca: file('other-ca', PRIVATE_CA) };
    const [ofMongo, ofRedis] = await faults(envOf(redisUrl(given), mongodbUri(given)));
    // the servers send the authority, too
    expect(ofMongo).toBe(`${MONGO}: certificate not accepted (SELF_SIGNED_CERT_IN_CHAIN).`);
    expect(ofRedis).toBe(`${REDIS}: certificate not accepted (SELF_SIGNED_CERT_IN_CHAIN).`);
  });

  it.concurrent.each([
    ['no certificate', null],
    ['a certificate that has expired', CLIENT_EXPIRED],
    ['a certificate by a stranger', CLIENT_OF_STRANGER],
  ])('refuse a client with %s, and the doctor says so', async (_name, certificate) => {
    const given = { own: certificate && file('other', pem(certificate)) };
    const found = await faults(envOf(redisUrl(given), mongodbUri(given)));
    const [ofMongo, ofRedis, ...ofFiles] = found;
    for (const [store, said] of [
      [MONGO, ofMongo],
      [REDIS, ofRedis],
    ] as const) {
      // prettier-ignore
      expect(said?.slice(0, store.length)).toBe(store);
      expect(said?.slice(store.length)).toMatch(REFUSED);
    }
    const expired = (store: string) => `${store}.client_certificate: The certificate in ${given.own} has expired (Jan 31 00:00:00 2020 GMT).`; // prettier-ignore
    expect(ofFiles).toEqual(certificate === CLIENT_EXPIRED ? [expired('mongodb'), expired('redis')] : []);
  });

  it.each([
    ['is for another name', STORE_ELSEWHERE, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['is by a stranger', STORE_OF_STRANGER, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ])('whose certificate %s are named by the doctor', async (_name, certificate, code) => {
    onTestFinished(() => show([mongod, redis], ours));
    await show([mongod, redis], { authority: STORES_CA, ...certificate });
    const why = `certificate not accepted (${code}).`;
    expect(await faults(envOf(redisUrl()))).toEqual([`${MONGO}: ${why}`, `${REDIS}: ${why}`]);
  });

  it('whose certificate has expired are named by the doctor (a MongoDB with such a one does not start)', async () => {
    onTestFinished(() => show([redis], ours));
    await show([redis], { authority: STORES_CA, ...STORE_EXPIRED });
    expect(await faults(envOf(redisUrl()))).toEqual([`${REDIS}: certificate not accepted (CERT_HAS_EXPIRED).`]);
  });
});

/** The servers take it while they run. */
async function show(servers: readonly { readonly folder: string }[], certificates: typeof ours): Promise<void> {
  for (const server of servers) await writeCertificates(server.folder, certificates);
  const { certificate, key } = certificateFiles(redis.folder);
  await operator.call('CONFIG', 'SET', 'tls-cert-file', certificate, 'tls-key-file', key);
  await member.db('admin').command({ rotateCertificates: 1 });
}
