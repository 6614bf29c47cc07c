const MODE = /^(?:redis|server)_mode:(\w+)/m;

const FAULTS: Readonly<Record<string, string>> = {
  cluster:
    'REDIS_URL leads to a Redis Cluster, which Weft does not support: use one server with a standby (docs/deploy/redis.md).',
  sentinel:
    'REDIS_URL leads to a Sentinel, which stores nothing: write redis+sentinel:// and the name of the primary (docs/deploy/redis.md).',
};

/**
 * Why a Redis of this kind cannot be used, in one sentence; null: it can.
 *
 * @param info what it says of itself: section `server`
 */
export function unsuitableRedis(info: string): string | null {
  return FAULTS[MODE.exec(info)?.[1] ?? ''] ?? null;
}
