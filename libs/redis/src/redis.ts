import { Cluster, type Redis as OneRedis } from 'ioredis';

/** A connection to one server, or those to the servers of a cluster. */
export type Redis = OneRedis | Cluster;

export function isCluster(redis: Redis): redis is Cluster {
  return redis instanceof Cluster;
}

/** The servers that take writes. Of a cluster those that are known and reached now. */
export function serversOf(redis: Redis): readonly OneRedis[] {
  return isCluster(redis) ? redis.nodes('master') : [redis];
}

/** Where it is, for people; without password. */
export function addressOf(redis: Redis): string {
  if (isCluster(redis)) return `Redis Cluster at ${namesOf(Reflect.get(redis, 'startupNodes') as Named[])}`;
  const { sentinels, name, path, ...own } = redis.options;
  if (sentinels) return `Redis ${name ?? ''}, by Sentinels at ${namesOf(sentinels)}`;
  return `Redis at ${path ?? namesOf([own])}`;
}

interface Named {
  readonly host?: string | undefined;
  readonly port?: number | undefined;
}

function namesOf(servers: readonly Partial<Named>[]): string {
  return servers.map(({ host = 'localhost', port = 6379 }) => `${host}:${port}`).join(', ');
}

/** What ioredis says of a command whose connection ended. */
const CLOSED = 'Connection is closed.';

/** What the connection failed with last, until it is established. */
export function watchErrors(redis: Redis): () => Error | undefined {
  let last: Error | undefined;
  const note = (error: Error): void => {
    // it was closed because of an earlier error
    if (!last || error.message !== CLOSED) last = error;
  };
  redis.on('error', (error: Error & { readonly lastNodeError?: Error }) => note(error.lastNodeError ?? error));
  redis.on('node error', note);
  redis.on('ready', () => (last = undefined)); // an earlier error does not explain the next one
  return () => last;
}

/** To a channel; in a cluster to the server that has its slot. @returns how many listen */
export async function publish(redis: Redis, channel: string, message: string): Promise<number> {
  return isCluster(redis) ? Number(await redis.spublish(channel, message)) : redis.publish(channel, message);
}
