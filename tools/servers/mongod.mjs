import { join } from 'node:path';
import mongoose from 'mongoose';
import { commandLine } from '../setup/process-info.mjs';
import { certificateFiles, writeCertificates } from './certificates.mjs';
import { askingForPassword, asMember, ensureUser, uriOf, withClient } from './mongod-access.mjs';
import { awaitReady, launch, stopPid } from './server-process.mjs';

const NOT_YET_INITIALIZED = 94;
const INVALID_CONFIG = 93;
const MOVE_WITHIN_MS = 30_000;

const CACHE_GB = 0.5;

/**
 * @param {{ port: number, folder: string }} place
 * @param {number} [cacheGb]
 */
const argsOf = ({ port, folder }, cacheGb = CACHE_GB) => [
  ...commonArgs({ port, folder }),
  ...askingForPassword(folder),
  ...['--wiredTigerCacheSizeGB', String(cacheGb), '--oplogSize', '512', '--networkMessageCompressors', 'snappy,zstd'],
  // A single node has no other member to step down for: the default 15 s of grace would be wasted.
  ...['--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=100'],
];

/**
 * A single-node replica set on the loopback address, with transactions and majority writes as in production.
 * @type {import('./local-server.mjs').ServerKind}
 */
export const MONGOD = {
  title: 'MongoDB',
  logFile: 'mongod.log',
  uri: uriOf,
  args: (place) => argsOf(place),
  isOurs: async ({ pid, folder }) => (await commandLine(pid)).includes(folder),
  isReady: ({ port, secret }) =>
    withClient(asMember({ port, secret }), async (client) => {
      const admin = client.db('admin');
      await ensureMember(admin, `127.0.0.1:${port}`);
      if ((await admin.command({ hello: 1 })).isWritablePrimary !== true) return false;
      await ensureUser(admin, { port, secret });
      return true;
    }),
  move: async ({ port, folder, secret, binary }) => {
    // Started outside the replica set, its configuration is a plain document. Started inside, the server would first look
    // for its member at the old address, where another process may now listen and keep it waiting.
    const alone = ['--port', String(port), '--bind_ip', '127.0.0.1', '--nounixsocket', '--dbpath', folder];
    const args = [...alone, ...askingForPassword(folder)];
    const pid = await launch({ folder, binary, args, port });
    try {
      const rewrite = (/** @type {import('mongoose').mongo.MongoClient} */ client) =>
        rewriteMember(client, `127.0.0.1:${port}`);
      const ask = () => withClient(asMember({ port, secret }), rewrite);
      await awaitReady({ title: 'MongoDB', folder, logFile: 'output.log', pid, withinMs: MOVE_WITHIN_MS, ask });
    } finally {
      await stopPid(pid);
    }
  },
};

/**
 * @typedef {object} MongodOptions
 * @property {number | undefined} [historySeconds] how far back it can be read
 * @property {number | undefined} [cacheGb] memory of its cache (0.5)
 * @property {import('./certificates.mjs').Certificates | undefined} [certificates] it takes TLS, too, from those who have one
 */

/**
 * @param {MongodOptions} [options]
 * @returns {import('./local-server.mjs').ServerKind}
 */
export function mongodKind({ historySeconds, cacheGb, certificates } = {}) {
  const history =
    historySeconds === undefined ? [] : ['--setParameter', `minSnapshotHistoryWindowInSeconds=${historySeconds}`];
  return {
    ...MONGOD,
    prepare: async ({ folder }) => {
      if (certificates) await writeCertificates(folder, certificates);
    },
    args: (place) => [...argsOf(place, cacheGb), ...history, ...(certificates ? encrypted(place.folder) : [])],
  };
}

/** @param {string} folder */
const encrypted = (folder) => {
  const { authority, both } = certificateFiles(folder);
  return ['--tlsMode', 'allowTLS', '--tlsCAFile', authority, '--tlsCertificateKeyFile', both];
};

/**
 * One of several members of a replica set, for fault tests: the caller initiates the set. Members require no password.
 * @param {{ env?: Readonly<Record<string, string>> }} [options] `env`: what its environment has besides, for fault tests
 * @returns {import('./local-server.mjs').ServerKind}
 */
export function mongodMember({ env } = {}) {
  const uri = (/** @type {{ port: number }} */ { port }) => `mongodb://127.0.0.1:${port}/?directConnection=true`;
  return {
    title: 'MongoDB',
    logFile: 'mongod.log',
    env,
    uri,
    args: ({ port, folder }) => [
      ...commonArgs({ port, folder }),
      // No compression between members, so that a relay can read which member sends; test commands make them say it.
      ...['--wiredTigerCacheSizeGB', '0.25', '--oplogSize', '512', '--networkMessageCompressors', 'disabled'],
      ...['--setParameter', 'enableTestCommands=1', '--setParameter', 'shutdownTimeoutMillisForSignaledShutdown=1000'],
      // A member that has just begun to read from one that is cut off then waits for an answer: 65 s by default, and meanwhile no majority
      // acknowledges what the next primary writes.
      ...['--setParameter', 'oplogInitialFindMaxSeconds=2', '--setParameter', 'oplogNetworkTimeoutBufferSeconds=1'],
    ],
    isOurs: MONGOD.isOurs,
    isReady: (place) =>
      withClient(uri(place), async (client) => (await client.db('admin').command({ ping: 1 })).ok === 1),
  };
}

/** @param {{ port: number, folder: string }} place */
function commonArgs({ port, folder }) {
  return [
    ...['--replSet', 'rs0', '--port', String(port), '--bind_ip', '127.0.0.1', '--nounixsocket'],
    ...['--dbpath', folder, '--logpath', join(folder, 'mongod.log'), '--logappend'],
    // The product never runs JavaScript in the server.
    '--noscripting',
    ...['--setParameter', 'diagnosticDataCollectionEnabled=false'],
  ];
}

/**
 * @param {import('mongoose').mongo.MongoClient} client
 * @param {string} host
 */
async function rewriteMember(client, host) {
  const change = { $set: { 'members.0.host': host } };
  // There is no set yet (the server was killed in its first second): nothing to rewrite.
  await client.db('local').collection('system.replset').updateOne({}, change);
  return true;
}

/**
 * Initiates the replica set on the first start, and repairs one whose configuration has another address (killed during a move).
 * @param {import('mongoose').mongo.Db} admin
 * @param {string} host
 */
async function ensureMember(admin, host) {
  try {
    await admin.command({ replSetGetStatus: 1 });
    return;
  } catch (error) {
    if (!(error instanceof mongoose.mongo.MongoServerError)) throw error;
    if (error.code === NOT_YET_INITIALIZED) {
      await admin.command({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host }] } });
      return;
    }
    if (error.code !== INVALID_CONFIG) throw error;
  }
  const { config } = await admin.command({ replSetGetConfig: 1 });
  if (config.members[0].host === host) return;
  const members = [{ ...config.members[0], host }];
  await admin.command({ replSetReconfig: { ...config, members, version: config.version + 1 }, force: true });
}
