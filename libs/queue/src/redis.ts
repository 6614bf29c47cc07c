import { Redis, type RedisOptions } from 'ioredis';

/** What a connection is for decides how it fails: commands at once, blocking and subscriber connections never give up. */
export type RedisPurpose = 'commands' | 'blocking' | 'subscriber';

const MAX_BACKOFF_MS = 1_000;

/**
 * Opens one connection. It reconnects for ever with a back-off of at most a second; while it is down, `commands` fail at
 * once instead of waiting in memory, so that a run is accepted without its doorbell and nothing piles up.
 *
 * @param name shows in CLIENT LIST
 */
export function openRedis(url: string, purpose: RedisPurpose, name: string): Redis {
  const shared: RedisOptions = {
    connectionName: name,
    connectTimeout: 3_000,
    keepAlive: 5_000,
    retryStrategy: (attempt) => Math.min(50 * attempt, MAX_BACKOFF_MS),
  };
  const redis =
    purpose === 'commands'
      ? new Redis(url, { ...shared, enableOfflineQueue: false, maxRetriesPerRequest: 1, commandTimeout: 5_000 })
      : new Redis(url, { ...shared, maxRetriesPerRequest: null, autoResubscribe: true });
  redis.on('error', () => undefined); // health and every failing command tell; an unheard 'error' would end the process
  return redis;
}
