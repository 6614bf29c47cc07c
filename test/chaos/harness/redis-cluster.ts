import { privateClusterServer, waitFor, type Certificates } from '@weft/testing';
import { Redis } from 'ioredis';

type Server = Awaited<ReturnType<typeof privateClusterServer>>;

/** The commands that the product needs (docs/deploy/redis.md), for all keys and channels; the servers' own user copies data. */
const RIGHTS =
  '~* &* +@read +@write +@scripting +@transaction +@pubsub +@connection -@dangerous +info +time +cluster|slots'.split(
    ' ',
  );
const USER = { name: 'weft', password: 'of-all-servers' };
const PRIMARIES = 3;
const SLOTS = 16_384;
const CONVERGES_WITHIN_MS = 60_000;

/** Three primaries with a standby each. Gone after the file's last test. */
export interface RedisCluster {
  readonly uri: string;
  /** Kills the primary that has this key, waits until its standby has taken over, and starts it again as the standby. */
  failOver(key: string): Promise<void>;
  /** Moves the slots of these keys, with all that is in them, to the next primary. */
  moveSlots(keys: readonly string[]): Promise<void>;
  /** Empties the primary that has this key. */
  wipe(key: string): Promise<void>;
  /** Of the server that has this key. */
  portOf(key: string): Promise<number>;
  /** What its servers have refused to the user in `uri`: commands, keys and channels. */
  refused(): Promise<readonly string[]>;
}

/**
 * @param options.certificates with them, it takes TLS, too, and `uri` asks for it
 * @param options.rights of the user in `uri`
 */
export async function redisCluster({
  certificates,
  rights = RIGHTS,
}: { readonly certificates?: Certificates; readonly rights?: readonly string[] } = {}): Promise<RedisCluster> {
  const servers = await Promise.all(
    Array.from({ length: 2 * PRIMARIES }, () => privateClusterServer(certificates && { certificates })),
  );
  await Promise.all(servers.map((server) => prepare(server, rights)));
  await join(servers);
  const alive = (lost?: Server) => servers.find((server) => server !== lost) as Server;
  const serverOf = async (key: string, lost?: Server): Promise<Server> => {
    const port = await on(alive(lost), (redis) => portOfSlot(redis, key));
    return servers.find((server) => server.port === port) as Server;
  };
  return {
    uri: `${certificates ? 'rediss' : 'redis'}+cluster://${USER.name}:${USER.password}@${servers.map((server) => `127.0.0.1:${portOf(server)}`).join(',')}`,
    portOf: async (key) => (await serverOf(key)).port,
    refused: async () => (await Promise.all(servers.map((server) => on(server, refusedBy)))).flat(),
    wipe: async (key) => on(await serverOf(key), async (redis) => void (await redis.flushall())),
    failOver: async (key) => {
      const lost = await serverOf(key);
      await lost.kill();
      const isReplaced = async () => (await serverOf(key, lost)) !== lost && (await isWell(alive(lost)));
      await waitFor(isReplaced, { what: 'the standby to take over', withinMs: CONVERGES_WITHIN_MS });
      await lost.start();
      await prepare(lost, rights);
      await isLinked(lost);
    },
    moveSlots: async (keys) => {
      for (const key of keys) {
        const from = await serverOf(key);
        const roles = await Promise.all(servers.map((server) => on(server, (redis) => redis.role())));
        const primaries = servers.filter((_, i) => roles[i]?.[0] === 'master');
        const to = primaries[(primaries.indexOf(from) + 1) % primaries.length] as Server;
        await moveSlot(key, from, to, primaries);
      }
    },
  };
}

const portOf = ({ port, tlsPort }: Server): number => tlsPort ?? port;

async function refusedBy(redis: Redis): Promise<readonly string[]> {
  const entries = (await redis.acl('LOG')) as readonly (readonly unknown[])[];
  const read = (entry: readonly unknown[], field: string) => String(entry[entry.indexOf(field) + 1]);
  const ours = entries.filter((entry) => read(entry, 'username') === USER.name);
  return ours.map((entry) => `${read(entry, 'reason')} ${read(entry, 'object')}`);
}

async function prepare(server: Server, rights: readonly string[]): Promise<void> {
  await on(server, async (redis) => {
    await redis.acl('SETUSER', USER.name, 'on', `>${USER.password}`, ...rights);
    await redis.acl('SETUSER', 'standby', 'on', `>${USER.password}`, '+psync', '+replconf', '+ping');
    await redis.acl('SETUSER', 'mover', 'on', `>${USER.password}`, '~*', '+restore', '+restore-asking', '+select');
    await redis.config('SET', 'masteruser', 'standby');
    await redis.config('SET', 'masterauth', USER.password);
    await redis.config('SET', 'repl-diskless-sync-delay', '0');
  });
}

async function join(servers: readonly Server[]): Promise<void> {
  const [first] = servers as [Server];
  for (const server of servers.slice(1)) {
    const ports = [portOf(server), server.clusterPort].map(String);
    await on(first, (redis) => redis.call('CLUSTER', 'MEET', '127.0.0.1', ...ports));
  }
  const know = async (count: number) => {
    const known = servers.map((server) =>
      on(server, async (redis) =>
        String(await redis.cluster('NODES'))
          .trim()
          .split('\n'),
      ),
    );
    return (await Promise.all(known)).every((lines) => lines.length === count);
  };
  await waitFor(() => know(servers.length), { what: 'the servers to know each other', withinMs: CONVERGES_WITHIN_MS });
  const ids = await Promise.all(servers.map((server) => on(server, (redis) => redis.cluster('MYID'))));
  for (const [i, server] of servers.entries()) {
    const nth = i % PRIMARIES;
    const slots = [Math.ceil((nth * SLOTS) / PRIMARIES), Math.ceil(((nth + 1) * SLOTS) / PRIMARIES) - 1].map(String);
    await on(server, (redis) =>
      i < PRIMARIES
        ? redis.call('CLUSTER', 'ADDSLOTSRANGE', ...slots)
        : redis.call('CLUSTER', 'REPLICATE', ids[nth] ?? ''),
    );
  }
  const areWell = async () => (await Promise.all(servers.map(isWell))).every(Boolean);
  await waitFor(areWell, { what: 'the cluster to be well', withinMs: CONVERGES_WITHIN_MS });
  await Promise.all(servers.slice(PRIMARIES).map(isLinked));
}

function isWell(server: Server): Promise<boolean> {
  return on(server, async (redis) => (await redis.cluster('INFO')).includes('cluster_state:ok'));
}

async function isLinked(server: Server): Promise<void> {
  const hasCopy = () =>
    on(server, async (redis) => (await redis.info('replication')).includes('master_link_status:up'));
  await waitFor(hasCopy, { what: 'the standby to have a copy', withinMs: CONVERGES_WITHIN_MS });
}

async function portOfSlot(redis: Redis, key: string): Promise<number> {
  const slot = Number(await redis.cluster('KEYSLOT', key));
  const ranges = (await redis.cluster('SLOTS')) as unknown as [number, number, [string, number]][];
  const range = ranges.find(([first, last]) => first <= slot && slot <= last);
  return range?.[2][1] ?? 0;
}

/** As `redis-cli --cluster reshard` does it. */
async function moveSlot(key: string, from: Server, to: Server, primaries: readonly Server[]): Promise<void> {
  const slot = await on(from, async (redis) => String(await redis.cluster('KEYSLOT', key)));
  const [fromId, toId] = await Promise.all([from, to].map((server) => on(server, (redis) => redis.cluster('MYID'))));
  const set = (server: Server, ...to: readonly string[]) => on(server, (redis) => redis.call('CLUSTER', 'SETSLOT', slot, ...to)); // prettier-ignore
  await set(to, 'IMPORTING', fromId ?? '');
  await set(from, 'MIGRATING', toId ?? '');
  const access = ['AUTH2', 'mover', USER.password];
  for (;;) {
    const keys = (await on(from, (redis) => redis.call('CLUSTER', 'GETKEYSINSLOT', slot, '5'))) as string[];
    if (keys.length === 0) break;
    const target = ['127.0.0.1', String(to.port), '', '0', '5000'];
    await on(from, (redis) => redis.call('MIGRATE', ...target, ...access, 'KEYS', ...keys));
  }
  // the last one twice: it forgets who listens to channels of the slot
  for (const server of [to, from, ...primaries]) await set(server, 'NODE', toId ?? '');
}

async function on<T>(server: Server, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(server.uri, { maxRetriesPerRequest: 3 });
  redis.on('error', () => undefined); // the work fails
  try {
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}
