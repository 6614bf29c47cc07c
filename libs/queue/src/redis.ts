import { Redis, type RedisOptions } from 'ioredis';

/** What a connection is for decides how it fails: commands at once, blocking and subscriber connections never give up. */
export type RedisPurpose = 'commands' | 'blocking' | 'subscriber';

const MAX_BACKOFF_MS = 1_000;
const ANSWER_WITHIN_MS = 5_000;
/** BullMQ blocks for ten seconds at most; far below its lock on jobs, which is renewed over the same connection. */
const BLOCKING_ANSWER_WITHIN_MS = 14_000;
const PING_EVERY_MS = 5_000;

const BY_PURPOSE: Readonly<Record<RedisPurpose, RedisOptions>> = {
  commands: {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    commandTimeout: ANSWER_WITHIN_MS,
    socketTimeout: ANSWER_WITHIN_MS,
  },
  blocking: { maxRetriesPerRequest: null, socketTimeout: BLOCKING_ANSWER_WITHIN_MS },
  subscriber: { maxRetriesPerRequest: null, autoResubscribe: true, socketTimeout: ANSWER_WITHIN_MS },
};

/**
 * Opens one connection. It reconnects for ever with a back-off of at most a second; while it is down, `commands` fail at
 * once instead of waiting in memory, so that a run is accepted without its doorbell and nothing piles up. A connection over
 * which an awaited answer does not come is given up: the peer of one that broke without a farewell is silent for a quarter
 * of an hour before the system notices.
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
  const redis = new Redis(url, { ...shared, ...BY_PURPOSE[purpose] });
  redis.on('error', () => undefined); // health and every failing command tell; an unheard 'error' would end the process
  if (purpose === 'subscriber') keepAsking(redis);
  return redis;
}

/** A subscriber awaits no answers: without a question of its own it would not notice that its peer is gone. */
function keepAsking(redis: Redis): void {
  const timer = setInterval(() => {
    if (redis.status === 'ready') redis.ping().catch(() => undefined); // the connection broke: it is made again
  }, PING_EVERY_MS);
  timer.unref();
  redis.once('end', () => clearInterval(timer));
}
