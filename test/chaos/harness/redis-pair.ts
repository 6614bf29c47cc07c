import { privateRedis, waitFor, type LocalServer } from '@weft/testing';
import { Redis } from 'ioredis';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll } from 'vitest';

/** The same on both, so that the address has one user. */
const USER = { name: 'weft', password: 'of-both-servers' };
/** As long as Sentinel needs to agree that a primary is lost. */
const NOTICED_AFTER_MS = 2_000;
const SENTINELS = ['one', 'two', 'three'];
const NAME = 'plays';
const NOBODY = ['127.0.0.1', 9] as const;

export interface RedisPair {
  /** An address that leads to the primary, or that of its Sentinels (docs/deploy/redis.md). */
  readonly uri: string;
  /**
   * Kills the primary, promotes the standby and lets the address lead to it; the server that was killed starts again as the standby.
   *
   * @param laggedMs for how long the standby got nothing before: what was written meanwhile is lost
   */
  failOver(laggedMs?: number): Promise<void>;
}

/** A Redis with a standby, behind one address. Gone after the file's last test. */
export async function redisPair(): Promise<RedisPair> {
  let [primary, standby] = await Promise.all([privateRedis(), privateRedis()]);
  await Promise.all([prepare(primary), prepare(standby)]);
  await follow(standby, primary);
  const address = await movingAddress(primary.port);
  return {
    uri: `redis://${USER.name}:${USER.password}@127.0.0.1:${address.port}`,
    failOver: async (laggedMs = 0) => {
      const [lost, next] = [primary, standby];
      if (laggedMs > 0) await on(next, (redis) => redis.replicaof(...NOBODY));
      await lasts(laggedMs);
      await lost.kill();
      address.leadTo(null);
      await lasts(NOTICED_AFTER_MS);
      await on(next, (redis) => redis.replicaof('NO', 'ONE'));
      address.leadTo(next.port);
      [primary, standby] = [next, lost];
      await lost.start();
      await prepare(lost);
      await follow(lost, next);
    },
  };
}

/** A Redis with a standby, whose three Sentinels promote it when its primary is gone. Gone after the file's last test. */
export async function watchedPair(): Promise<RedisPair> {
  let [primary, standby] = await Promise.all([privateRedis(), privateRedis()]);
  await Promise.all([prepare(primary), prepare(standby)]);
  await follow(standby, primary);
  const sentinels = await Promise.all(SENTINELS.map(() => privateRedis({ sentinel: true })));
  for (const sentinel of sentinels) await on(sentinel, (redis) => watch(redis, primary));
  const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  const leadTo = async ({ port }: LocalServer) => {
    const named = sentinels.map((sentinel) =>
      on(sentinel, (redis) => redis.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME) as Promise<string[] | null>),
    );
    return (await Promise.all(named)).every((address) => address?.[1] === String(port));
  };
  return {
    uri: `redis+sentinel://${USER.name}:${USER.password}@${hosts}/${NAME}?sentinelPassword=${USER.password}`,
    failOver: async () => {
      const [lost, next] = [primary, standby];
      await lost.kill();
      await waitFor(() => leadTo(next), { what: 'the Sentinels to promote the standby', withinMs: 60_000 });
      [primary, standby] = [next, lost];
      await lost.start();
      await prepare(lost);
      await isLinked(lost);
    },
  };
}

/** They speak to each other as the same user, too. */
async function watch(redis: Redis, primary: LocalServer): Promise<void> {
  await redis.call('ACL', 'SETUSER', 'default', 'on', `>${USER.password}`, '~*', '&*', '+@all');
  await redis.call('SENTINEL', 'CONFIG', 'SET', 'sentinel-pass', USER.password);
  await redis.call('SENTINEL', 'MONITOR', NAME, '127.0.0.1', String(primary.port), '2');
  const settings = { 'auth-user': USER.name, 'auth-pass': USER.password, 'down-after-milliseconds': NOTICED_AFTER_MS, 'failover-timeout': 5_000 }; // prettier-ignore
  for (const [name, value] of Object.entries(settings)) await redis.call('SENTINEL', 'SET', NAME, name, String(value));
}

async function prepare(server: LocalServer): Promise<void> {
  await on(server, async (redis) => {
    await redis.acl('SETUSER', USER.name, 'on', `>${USER.password}`, '~*', '&*', '+@all');
    await redis.config('SET', 'masteruser', USER.name);
    await redis.config('SET', 'masterauth', USER.password);
    // no delay before a full copy: the standby is to be ready soon
    await redis.config('SET', 'repl-diskless-sync-delay', '0');
  });
}

async function follow(standby: LocalServer, primary: LocalServer): Promise<void> {
  await on(standby, async (redis) => {
    await redis.replicaof('127.0.0.1', primary.port);
  });
  await isLinked(standby);
}

async function isLinked(standby: LocalServer): Promise<void> {
  await on(standby, async (redis) => {
    const hasCopy = async () => (await redis.info('replication')).includes('master_link_status:up');
    await waitFor(hasCopy, { what: 'the standby to have a copy', withinMs: 60_000 });
  });
}

async function on<T>(server: LocalServer, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(server.uri, { maxRetriesPerRequest: 3 });
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

async function lasts(ms: number): Promise<void> {
  const until = performance.now() + ms;
  await waitFor(() => performance.now() > until, { what: 'the time to pass', withinMs: ms + 10_000 });
}

/** What a proxy or a service in front of the pair does. */
async function movingAddress(first: number) {
  let target: number | null = first;
  const open = new Set<Socket>();
  const keep = (socket: Socket, peer: Socket): void => {
    open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      open.delete(socket);
      peer.destroy();
    });
  };
  const listener = createServer({ noDelay: true }, (client) => {
    if (target === null) return void client.destroy();
    const server = connect({ host: '127.0.0.1', port: target, noDelay: true });
    keep(client, server);
    keep(server, client);
    client.pipe(server).pipe(client);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  afterAll(() => {
    listener.close();
    for (const socket of open) socket.destroy();
  });
  return {
    port: (listener.address() as AddressInfo).port,
    /** Connections to the one before end. @param port null: to nobody */
    leadTo: (port: number | null) => {
      target = port;
      for (const socket of open) socket.destroy();
    },
  };
}
