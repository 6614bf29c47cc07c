import { Redis, type RedisOptions } from 'ioredis';
import { redisAddress } from './redis-address.js';

/**
 * The use of a connection decides how it fails: commands fail at once, blocking and subscriber connections never give up.
 */
export type RedisPurpose = 'commands' | 'blocking' | 'subscriber';

const MAX_BACKOFF_MS = 1_000;
const ANSWER_WITHIN_MS = 5_000;
/**
 * BullMQ blocks for at most ten seconds: far less than the time of its lock on jobs, which is renewed over the same
 * connection.
 */
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

const backoff = (attempt: number): number => Math.min(50 * attempt, MAX_BACKOFF_MS);

/** Reports nothing: health checks and every failing command do. An 'error' without a listener would end the process. */
const ignore = (): void => undefined;

/**
 * Opens one connection. It reconnects for ever, with a back-off of at most a second. While it is down, `commands` fail at
 * once instead of waiting in memory, so that a run is accepted without its doorbell and nothing piles up. A connection whose
 * awaited answer does not come is closed: after a connection breaks without a FIN or RST, the system takes a quarter of an
 * hour to notice.
 *
 * @param url of one server, or of the Sentinels that know the primary; with TLS also `tlsCAFile` and `tlsCertificateKeyFile`, as
 *   in an address of MongoDB
 * @param name shows in CLIENT LIST
 */
export function openRedis(url: string, purpose: RedisPurpose, name: string): Redis {
  const shared: RedisOptions = {
    connectionName: name,
    connectTimeout: 3_000,
    keepAlive: 5_000,
    retryStrategy: backoff,
    sentinelRetryStrategy: backoff,
    sentinelCommandTimeout: ANSWER_WITHIN_MS,
  };
  const address = redisAddress(url);
  const options = { ...shared, ...BY_PURPOSE[purpose], ...address.options };
  const redis = outliveSockets(address.url === null ? new Redis(options) : new Redis(address.url, options));
  redis.on('error', ignore);
  if (purpose === 'subscriber') keepAsking(redis);
  return redis;
}

/**
 * ioredis listens for the first error of a socket only. One with TLS may have two, and the second would end the process. BullMQ
 * duplicates connections.
 */
function outliveSockets(redis: Redis): Redis {
  let socket = redis.stream;
  Object.defineProperty(redis, 'stream', {
    get: () => socket,
    set: (next: Redis['stream']) => {
      next.on('error', ignore);
      socket = next;
    },
  });
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (override) => outliveSockets(duplicate(override));
  return redis;
}

/** A subscriber awaits no answers: without pings it would not notice that its peer is gone. */
function keepAsking(redis: Redis): void {
  const timer = setInterval(() => {
    if (redis.status === 'ready') redis.ping().catch(() => undefined); // the connection broke: it is opened again
  }, PING_EVERY_MS);
  timer.unref();
  redis.once('end', () => clearInterval(timer));
}
