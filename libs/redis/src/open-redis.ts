import { Cluster, Redis as OneRedis, type ClusterOptions, type RedisOptions } from 'ioredis';
import { ChannelSubscriber, type Channels } from './channel-subscriber.js';
import { ClusterSubscriber } from './cluster-subscriber.js';
import { redisAddress, type Host } from './redis-address.js';
import { isCluster, type Redis } from './redis.js';

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

/** For each server that is asked which server has which slot. */
const SLOTS_WITHIN_MS = 2_000;
const SLOTS_EVERY_MS = 2_000;

const backoff = (attempt: number): number => Math.min(50 * attempt, MAX_BACKOFF_MS);

const SHARED: RedisOptions = {
  connectTimeout: 3_000,
  keepAlive: 5_000,
  retryStrategy: backoff,
  sentinelRetryStrategy: backoff,
  sentinelCommandTimeout: ANSWER_WITHIN_MS,
};

/** Reports nothing: health checks and every failing command do. An 'error' without a listener would end the process. */
const ignore = (): void => undefined;

/**
 * Opens one connection, or those to a cluster. It reconnects for ever, with a back-off of at most a second. While it is down, `commands`
 * fail at once instead of waiting in memory (in a cluster after two seconds, in which a standby may have taken over), so that a run is
 * accepted without its doorbell and nothing piles up. A connection whose awaited answer does not come is closed: after a connection
 * breaks without a FIN or RST, the system takes a quarter of an hour to notice.
 *
 * @param url of one server, of the Sentinels that know the primary, or of a cluster; with TLS also `tlsCAFile` and
 *   `tlsCertificateKeyFile`, as in an address of MongoDB
 * @param name shows in CLIENT LIST
 */
export function openRedis(url: string, purpose: RedisPurpose, name: string): Redis {
  const { nodes, ...address } = redisAddress(url);
  const options = { ...SHARED, connectionName: name, ...BY_PURPOSE[purpose], ...address.options };
  // commands learn of moved slots by their answers, subscriptions do not
  if (nodes) return openCluster(nodes, options, purpose === 'subscriber' ? SLOTS_EVERY_MS : undefined);
  if (address.url !== null) return prepared(new OneRedis(address.url, options), purpose);
  return sayWhySentinelsFail(prepared(new OneRedis(options), purpose));
}

/** Opens what brings messages of channels, with connections of purpose `subscriber`. */
export function openChannels(url: string, name: string): Channels {
  const redis = openRedis(url, 'subscriber', name);
  if (!isCluster(redis)) return new ChannelSubscriber(redis);
  const { options } = redisAddress(url);
  return new ClusterSubscriber(redis, (server) => {
    const { hostname, port } = new URL(`redis://${server}`);
    const at = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
    const own = { ...SHARED, connectionName: name, ...BY_PURPOSE.subscriber, autoResubscribe: false };
    return prepared(new OneRedis({ ...own, ...options, ...at }), 'subscriber');
  });
}

function prepared(redis: OneRedis, purpose: RedisPurpose): OneRedis {
  outliveSockets(redis);
  redis.on('error', ignore);
  if (purpose === 'subscriber') keepAsking(redis);
  return redis;
}

function openCluster(
  nodes: readonly Host[],
  { enableOfflineQueue, retryStrategy: _onlyAsACluster, ...redisOptions }: RedisOptions,
  slotsRefreshInterval?: number,
): Cluster {
  const options: ClusterOptions = {
    enableOfflineQueue: enableOfflineQueue ?? true,
    enableReadyCheck: false, // a cluster that is down says so at each command
    clusterRetryStrategy: backoff,
    slotsRefreshTimeout: SLOTS_WITHIN_MS,
    slotsRefreshInterval,
    dnsLookup: (name, found) => found(null, name), // by the system at each connection; certificates are for names
    redisOptions,
  };
  const redis = new Cluster([...nodes], options);
  redis.on('error', ignore);
  // of a connection that asks for slots ioredis itself says only that it is closed
  redis.on('+node', (node: OneRedis) =>
    outliveSockets(node, (cause) => redis.emit('node error', cause, `${node.options.host}:${node.options.port}`)),
  );
  return redis;
}

/**
 * ioredis listens for the first error of a socket only. One with TLS may have two, and the second would end the process. BullMQ
 * duplicates connections.
 */
function outliveSockets(redis: OneRedis, onError: (error: Error) => void = ignore): OneRedis {
  let socket = redis.stream;
  Object.defineProperty(redis, 'stream', {
    get: () => socket,
    set: (next: OneRedis['stream']) => {
      next.on('error', onError);
      socket = next;
    },
  });
  const duplicate = redis.duplicate.bind(redis);
  redis.duplicate = (override) => outliveSockets(duplicate(override), onError);
  return redis;
}

/** ioredis itself says only that the connections to them are closed. */
function sayWhySentinelsFail(redis: OneRedis): OneRedis {
  const connector = Reflect.get(redis, 'connector') as { connectToSentinel(...asked: readonly unknown[]): OneRedis };
  const connectToSentinel = connector.connectToSentinel.bind(connector);
  connector.connectToSentinel = (...asked) =>
    connectToSentinel(...asked).on('error', (cause) => {
      // one that answers with a refusal is reached
      if (cause.name !== 'ReplyError') redis.emit('node error', cause, 'no Sentinel can be reached');
    });
  return redis;
}

/** A subscriber awaits no answers: without pings it would not notice that its peer is gone. */
function keepAsking(redis: OneRedis): void {
  const timer = setInterval(() => {
    if (redis.status === 'ready') redis.ping().catch(() => undefined); // the connection broke: it is opened again
  }, PING_EVERY_MS);
  timer.unref();
  redis.once('end', () => clearInterval(timer));
}
