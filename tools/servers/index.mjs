// Provides MongoDB and Redis without root and without Docker, for the standalone app, the tests and the bench.
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isAlive } from '../setup/process-info.mjs';
import { findKafka } from './find-kafka.mjs';
import { findMariadb } from './find-mariadb.mjs';
import { findMongod } from './find-mongod.mjs';
import { findPostgres } from './find-postgres.mjs';
import { findRedis } from './find-redis.mjs';
import { findTlsRedis } from './find-tls-redis.mjs';
import { kafkaKind } from './kafka.mjs';
import { openLocalServer } from './local-server.mjs';
import { mariadbKind } from './mariadb.mjs';
import { MONGOD, mongodKind, mongodMember } from './mongod.mjs';
import { freePort } from './ports.mjs';
import { postgresKind } from './postgres.mjs';
import { redisKind } from './redis.mjs';
import { readSecret } from './secret.mjs';
import { readRecord, stopPid } from './server-process.mjs';

export { faketimeEnv, findFaketime } from './find-faketime.mjs';
export { findMongod } from './find-mongod.mjs';
export { freePort, isFree } from './ports.mjs';

/** @typedef {import('./local-server.mjs').LocalServer} LocalServer */
/** @typedef {import('./certificates.mjs').Certificates} Certificates */

/** Knows a Kafka that runs. */
const NO_KAFKA = kafkaKind({ jars: '', tlsPort: 0, certificate: { key: '', cert: '' } });

/**
 * @typedef {object} ServerOptions
 * @property {string} folder for its data, log and record; created when missing
 * @property {NodeJS.ProcessEnv} [env] from which PATH and WEFT_CACHE_DIR are read
 * @property {(line: string) => void} [log] receives a line for each step that takes long
 * @property {number} [port] default: the port of the last start over this folder, else a free one
 */

/**
 * @param {ServerOptions & { historySeconds?: number, cacheGb?: number | undefined, certificates?: Certificates }} options
 * `historySeconds`: how far back it can be read; so long the files of what is dropped stay open (default: MongoDB's, 300).
 * `cacheGb`: memory of its cache (0.5). `certificates`: it takes TLS, too, at the same port
 * @returns {Promise<LocalServer>}
 */
export function startMongod({
  folder,
  port,
  historySeconds,
  cacheGb,
  certificates,
  env = process.env,
  log = () => {},
}) {
  return openLocalServer(mongodKind({ historySeconds, cacheGb, certificates }), {
    folder,
    port,
    findBinary: async () => (await findMongod({ env, log })).path,
  });
}

/**
 * One of several members of a replica set. The caller, which starts them, initiates the set.
 * @param {ServerOptions & { memberEnv?: Readonly<Record<string, string>> }} options `memberEnv`: what its environment has besides
 * @returns {Promise<LocalServer>}
 */
export function startMongodMember({ folder, port, memberEnv, env = process.env, log = () => {} }) {
  const findBinary = async () => (await findMongod({ env, log })).path;
  return openLocalServer(mongodMember({ env: memberEnv }), { folder, port, findBinary });
}

/**
 * @param {ServerOptions & { persistent?: boolean, sentinel?: boolean, cluster?: boolean, certificates?: Certificates }} options
 * `certificates`: it takes TLS, too, at `tlsPort`
 * @returns {Promise<LocalServer & { clusterPort?: number | undefined, tlsPort?: number | undefined }>}
 */
export async function startRedis({ folder, port, env = process.env, log = () => {}, ...options }) {
  const { persistent, sentinel, cluster, certificates } = options;
  const encrypting = certificates ? await findTlsRedis({ env }) : null;
  const tls = certificates && encrypting ? { port: await freePort(), certificates, env: encrypting.env } : undefined;
  const findBinary = async () => encrypting?.path ?? (await findRedis({ env, log })).path;
  const clusterPort = cluster ? await freePort() : undefined;
  const server = await openLocalServer(redisKind({ persistent, sentinel, clusterPort, tls }), {
    folder,
    port,
    findBinary,
  });
  return Object.assign(server, { clusterPort, tlsPort: tls?.port });
}

/**
 * @param {ServerOptions & { certificate?: { readonly key: string, readonly cert: string } | undefined }} options `certificate`: it offers TLS
 * @returns {Promise<LocalServer>}
 */
export function startPostgres({ folder, port, certificate, env = process.env }) {
  return openLocalServer(postgresKind({ certificate }), { folder, port, findBinary: () => findPostgres({ env }) });
}

/**
 * @param {ServerOptions & { certificate?: { readonly key: string, readonly cert: string } | undefined }} options `certificate`: it offers TLS
 * @returns {Promise<LocalServer>}
 */
export async function startMariadb({ folder, port, certificate, env = process.env }) {
  const { path, ...found } = await findMariadb({ env });
  return openLocalServer(mariadbKind({ ...found, certificate }), { folder, port, findBinary: async () => path });
}

/**
 * @param {ServerOptions & { certificate: { readonly key: string, readonly cert: string } }} options `certificate`: with which it offers TLS
 * @returns {Promise<LocalServer & { tlsPort: number }>}
 */
export async function startKafka({ folder, port, certificate, env = process.env, log = () => {} }) {
  const [jars, tlsPort] = [await findKafka({ env, log }), await freePort()];
  const kind = kafkaKind({ jars, tlsPort, certificate });
  return Object.assign(await openLocalServer(kind, { folder, port, findBinary: async () => 'java' }), { tlsPort });
}

/**
 * Stops every server that was started over a folder below this one and whose parent process has ended.
 * @param {string} folder
 */
export async function stopAbandoned(folder) {
  const entries = await readdir(folder, { recursive: true, encoding: 'utf8' }).catch(() => []);
  for (const entry of entries.filter((name) => basename(name) === 'server.json')) {
    const place = join(folder, dirname(entry));
    const record = await readRecord(place);
    if (record === null || record.pid <= 0 || !isAlive(record.pid)) continue;
    const secret = await readSecret(place);
    for (const kind of [MONGOD, redisKind(), postgresKind(), mariadbKind({ env: {}, share: '' }), NO_KAFKA]) {
      if (await kind.isOurs({ ...record, folder: place, secret })) await stopPid(record.pid, { signal: 'SIGKILL' });
    }
  }
}

/**
 * @typedef {object} Servers
 * @property {string} mongodbUri
 * @property {string} redisUrl
 * @property {() => Promise<void>} stop stops the servers that were started here, not those that the environment named
 */

/**
 * The two servers that the product needs: those that the environment names, otherwise servers started here over `folder`.
 * @param {{ folder: string, env: NodeJS.ProcessEnv, log: (line: string) => void, historySeconds?: number }} options
 * @returns {Promise<Servers>}
 */
export async function provideServers({ folder, env, log, historySeconds }) {
  const [mongod, redis] = await Promise.allSettled([
    env.MONGODB_URI ? Promise.resolve(null) : startMongod({ folder: join(folder, 'mongod'), env, log, historySeconds }),
    env.REDIS_URL ? Promise.resolve(null) : startRedis({ folder: join(folder, 'redis'), env, log }),
  ]);
  const started = [mongod, redis].map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : null));
  const stop = async () => {
    for (const server of started) {
      const fault = await server?.fault();
      if (fault) log(fault.message);
      await server?.stop();
    }
  };
  for (const outcome of [mongod, redis]) {
    if (outcome.status === 'rejected') {
      await stop();
      throw outcome.reason;
    }
  }
  return {
    mongodbUri: env.MONGODB_URI || /** @type {LocalServer} */ (started[0]).uri,
    redisUrl: env.REDIS_URL || /** @type {LocalServer} */ (started[1]).uri,
    stop,
  };
}
