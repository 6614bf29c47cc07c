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

/** With this ends what ioredis says of a command whose connection ended, and of Sentinels whose connections did. */
const CLOSED = 'Connection is closed.';

/** Of several servers. Its cause is the error of the socket. */
class UnreachedServer extends Error {
  override readonly name = 'UnreachedServer';

  constructor(which: string, cause: Error) {
    super(which, { cause });
  }
}

const OF_CONNECTION = /(?:Connection is closed\.|\bconnect E[A-Z]+ \S+)$/;

/** Whether the command failed for want of a connection, for which `watchErrors` has the reason. */
export function isOfConnection(error: unknown): boolean {
  return error instanceof Error && OF_CONNECTION.test(error.message);
}

/** What the connection failed with last, until it is established. */
export function watchErrors(redis: Redis): () => Error | undefined {
  let last: Error | undefined;
  const note = (error: Error): void => {
    // it was closed because of an earlier error
    if (!last || !error.message.endsWith(CLOSED)) last = error;
  };
  redis.on('error', (error: Error & { readonly lastNodeError?: Error }) => {
    if (error.lastNodeError) last ??= error.lastNodeError;
    else note(error);
  });
  // of one of several servers; one that answers with a refusal is reached
  redis.on('node error', (error: Error, server: string) => {
    const isOfSocket = error.name !== 'ReplyError' && !error.message.endsWith(CLOSED);
    note(isOfSocket ? new UnreachedServer(server, error) : error);
  });
  redis.on('ready', () => (last = undefined)); // an earlier error does not explain the next one
  return () => last;
}

/** To a channel; in a cluster to the server that has its slot. @returns how many listen */
export async function publish(redis: Redis, channel: string, message: string): Promise<number> {
  return isCluster(redis) ? Number(await redis.spublish(channel, message)) : redis.publish(channel, message);
}
