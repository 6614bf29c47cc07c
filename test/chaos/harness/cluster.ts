import type { Play } from '@weft/engine';
import { PLAYS } from '@weft/store';
import { QueueInspector } from '@weft/queue';
import { QueueKeys, openRedis } from '@weft/redis';
import { privateMongod, privateRedis, waitFor, type LocalServer, type ProcessServers } from '@weft/testing';
import mongoose from 'mongoose';
import { afterAll } from 'vitest';
import { startFleet, type Fleet, type FleetOptions } from '../../e2e/harness/fleet.js';
import { SHORT_TIMES_ENV } from './short-times.js';

export type StoredPlays = mongoose.mongo.Collection<Play>;

/** What is stored of the plays of an installation. */
export interface WatchedPlays {
  /** Direct access to the database, without the product. */
  readonly plays: StoredPlays;
  /** MongoDB's clock before the first play: where its record of the plays' history begins. */
  readonly since: mongoose.mongo.Timestamp;
  /** How many of these plays are in none of the final states. */
  open(playIds: readonly string[]): Promise<number>;
  /** How many jobs wait for a worker or are with one. */
  jobs(): Promise<number>;
  /** Whether a job for this play waits for a worker or is with one. */
  hasJob(playId: string): Promise<boolean>;
  /** How many plays are with a worker: it has their job, or owns them. A job of several plays ends when all have owners. */
  taken(): Promise<number>;
  /** Resolves when no job is left. */
  queueEmpty(withinMs: number): Promise<void>;
}

/** A fleet, and what is stored of its plays. */
export interface WatchedFleet extends Fleet, WatchedPlays {}

/** One on servers of its own, which may be killed, frozen and started again. */
export interface Cluster extends WatchedFleet {
  readonly mongod: LocalServer;
  readonly redis: LocalServer;
}

export interface WatchedOptions extends Pick<FleetOptions, 'apps' | 'env'> {
  /**
   * The processes have `TIMES`: for a test that waits for leases or locks to end. Not for one whose faults are slow or silent
   * connections: the time limits of connections, with which the protocol's times are compared there, are the whole ones. Default false.
   */
  readonly shortTimes?: boolean;
}

export interface ClusterOptions extends WatchedOptions {
  /** False: Redis forgets everything when it is killed. */
  readonly persistentRedis?: boolean;
}

/** Call it at the top of a spec file: all of it ends after the file's last test. */
export async function startCluster({ persistentRedis = true, ...options }: ClusterOptions = {}): Promise<Cluster> {
  const [mongod, redis] = await Promise.all([privateMongod(), privateRedis({ persistent: persistentRedis })]);
  return { ...(await watchedFleet({ mongodbUri: mongod.uri, redisUrl: redis.uri }, options)), mongod, redis };
}

/** On servers that somebody else looks after. Call it at the top of a spec file: all of it ends after the file's last test. */
export async function watchedFleet(
  servers: { readonly mongodbUri: string; readonly redisUrl: string },
  { apps, env, shortTimes = false }: WatchedOptions = {},
): Promise<WatchedFleet> {
  const fleet = await startFleet({ apps, env: { ...env, ...(shortTimes && SHORT_TIMES_ENV) }, servers });
  return { ...fleet, ...(await watchPlays(fleet.servers, Number(env?.QUEUE_SHARDS ?? 1))) };
}

/** What is stored of the plays of this installation, and its queue. Closed after the file's last test. */
export async function watchPlays(servers: ProcessServers, shards = 1): Promise<WatchedPlays> {
  const client = await mongoose.mongo.MongoClient.connect(servers.mongodbUri, { maxPoolSize: 2 });
  const connection = openRedis(servers.redisUrl, 'commands', 'chaos');
  const queue = new QueueInspector(connection, new QueueKeys(servers.queuePrefix, shards));
  afterAll(async () => {
    await Promise.allSettled([queue.close(), client.close()]);
    connection.disconnect();
  });
  const db = client.db(servers.mongodbDb);
  const plays: StoredPlays = db.collection(PLAYS);
  const jobs = async (): Promise<number> => {
    const { waiting, active } = await queue.depth();
    return waiting + active;
  };
  const withoutJob = async (filter: mongoose.mongo.Filter<Play>) => {
    const found = await plays.find(filter, { projection: { company_id: 1, epoch: 1 } }).toArray();
    return queue.missing(
      found.map(({ _id, company_id: companyId, epoch }) => ({ playId: _id, companyId, epoch })),
      'lists',
    );
  };
  const { operationTime } = await db.command({ ping: 1 });
  return {
    plays,
    since: operationTime as mongoose.mongo.Timestamp,
    open: (playIds) =>
      plays.countDocuments({ _id: { $in: [...playIds] }, state: { $nin: ['DONE', 'FAIL', 'SKIP', 'FILTERED'] } }),
    jobs,
    hasJob: async (playId) => (await withoutJob({ _id: playId })).length === 0,
    taken: async () => (await queue.depth()).active + (await withoutJob({ owner: { $exists: true } })).length,
    queueEmpty: async (withinMs) => {
      await waitFor(async () => (await jobs()) === 0, { what: 'the queue to be empty', withinMs });
    },
  };
}
