import { isCluster, type Redis } from './redis.js';

const MODE = /^(?:redis|server)_mode:(\w+)/m;
const VERSION = /^redis_version:(\d+\.\d+)/m;
/** Of a cluster the first one with channels that belong to a hash slot. */
const OLDEST = { server: 6.2, cluster: 7.0 };
/** What a server outside a cluster answers when it is asked for the slots; a Sentinel does not know the command. */
const OUTSIDE_A_CLUSTER = /cluster support disabled|unknown command.*cluster/i;

const FAULTS: Readonly<Record<string, string>> = {
  cluster: 'REDIS_URL leads to a Redis Cluster: write redis+cluster:// (docs/deploy/redis.md).',
  sentinel:
    'REDIS_URL leads to a Sentinel, which stores nothing: write redis+sentinel:// and the name of the primary (docs/deploy/redis.md).',
};

/**
 * Why a Redis of this kind cannot be used at this address, in one sentence; null: it can.
 *
 * @param info what one of its servers says of itself: section `server`
 */
export function unsuitableRedis(redis: Redis, info: string): string | null {
  const fault = isCluster(redis) ? undefined : FAULTS[MODE.exec(info)?.[1] ?? ''];
  if (fault !== undefined) return fault;
  const version = VERSION.exec(info)?.[1] ?? 'unknown';
  const oldest = isCluster(redis) ? OLDEST.cluster : OLDEST.server;
  if (!(Number(version) < oldest)) return null;
  return `The Redis of REDIS_URL has version ${version}: Weft needs ${oldest.toFixed(1)} or later (docs/deploy/redis.md).`;
}

/** The same by why it could not be connected to; null: that says nothing of its kind. */
export function unsuitableBy(redis: Redis, failure: Error | undefined): string | null {
  if (!isCluster(redis) || !OUTSIDE_A_CLUSTER.test(failure?.message ?? '')) return null;
  return 'REDIS_URL names a cluster and leads to a server outside one: write redis:// for one server, redis+sentinel:// for Sentinels (docs/deploy/redis.md).';
}
