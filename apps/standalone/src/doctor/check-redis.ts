import type { Settings } from '@weft/config';
import type { Redis as OneRedis } from 'ioredis';
import {
  addressOf,
  isOfConnection,
  isCluster,
  openRedis,
  RedisNames,
  serversOf,
  unsuitableBy,
  unsuitableRedis,
  watchErrors,
  type Redis,
} from '@weft/redis';
import { sayWhy } from '@weft/observability';
import { shownOn } from './certificates.js';
import { clockFinding, type ClockReading } from './check-clocks.js';
import { error, ok, warning, worstOf, type Finding } from './finding.js';
import { unreached } from './unreached.js';

const CONNECT_WITHIN_MS = 5_000;
/** What another attempt within this time does not change. */
const IS_FINAL = /certificate|TLS|WRONGPASS|NOAUTH|NOPERM/;
const MUCH = 0.8;

/** Redis as docs/deploy/redis.md asks for it. It only reads. */
export async function checkRedis({ redis: { url }, queue: { prefix } }: Settings): Promise<readonly Finding[]> {
  const redis = openRedis(url, 'commands', 'weft-doctor');
  const lastError = watchErrors(redis);
  try {
    await connected(redis, lastError);
    // one that lacks slots refuses this
    if (isCluster(redis)) await redis.exists(new RedisNames(prefix).health('doctor'));
    return worstOf(await Promise.all(serversOf(redis).map((server) => findingsOf(redis, server))));
  } catch (error_) {
    const cause = (isOfConnection(error_) ? lastError() : null) ?? error_;
    const fault = unsuitableBy(redis, lastError());
    if (fault !== null) return [wrongAddress(fault)];
    const advice =
      'Start it, or correct REDIS_URL, with rediss:// and certificates if its port takes TLS (docs/deploy/redis.md).';
    const until = 'Until then runs are accepted and wait.';
    const hasTls = url.startsWith('rediss');
    return [unreached('redis.reached', { where: addressOf(redis), cause, hasTls, advice, until })];
  } finally {
    redis.disconnect();
  }
}

/** @param server what `redis` is connected to, or one server of the cluster */
async function findingsOf(redis: Redis, server: OneRedis): Promise<readonly Finding[]> {
  const text = await server.info();
  const fault = unsuitableRedis(redis, text);
  if (fault !== null) return [wrongAddress(fault)];
  const info = new Map(
    [...text.matchAll(/^([a-z_0-9]+):(.*?)\r?$/gim)].map(([, name = '', value = '']) => [name, value]),
  );
  const policy = (name: string) => info.get(name) ?? '';
  const version = policy('valkey_version') || policy('redis_version');
  const findings = [
    role(policy('role'), Number(policy('connected_slaves'))),
    eviction(policy('maxmemory_policy')),
    ...appendOnly(policy),
    memory(Number(policy('used_memory')), Number(policy('maxmemory'))),
    clockFinding('redis.clock', 'Redis', await readClock(server)),
    ...shownOn('redis.certificate', 'of Redis', server.stream),
  ];
  const named = (one: Finding) => (isCluster(redis) ? { ...one, says: `${addressOf(server)}: ${one.says}` } : one);
  return [ok('redis.reached', `${addressOf(redis)}, version ${version}, answers.`), ...findings.map(named)];
}

function wrongAddress(fault: string): Finding {
  return error('redis.role', fault, 'Correct REDIS_URL: no process starts with it.');
}

function connected(redis: Redis, lastError: () => Error | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const unknown = new Error('it closes each connection, or does not answer');
    unknown.name = 'ConnectionError';
    const giveUp = () => reject(lastError() ?? unknown);
    const timer = setTimeout(giveUp, CONNECT_WITHIN_MS);
    redis.on('error', () => {
      if (IS_FINAL.test(sayWhy(lastError()))) giveUp();
    });
    redis.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function role(role: string, standbys: number): Finding {
  if (role === 'master') return ok('redis.role', `It is a primary with ${standbys} standbys.`);
  return error(
    'redis.role',
    `The address of Redis leads to a ${role}.`,
    'Let it lead to the primary: a standby takes no writes.',
  );
}

function eviction(policy: string): Finding {
  if (policy === 'noeviction') return ok('redis.eviction', 'It evicts nothing.');
  return error(
    'redis.eviction',
    `maxmemory-policy is ${policy}: Redis may evict jobs.`,
    'Set maxmemory-policy to noeviction. Plays whose jobs were evicted are found again, but late.',
  );
}

function appendOnly(read: (name: string) => string): readonly Finding[] {
  if (read('aof_enabled') !== '1') {
    return [
      warning(
        'redis.aof',
        'appendonly is not yes: a restart of Redis forgets all jobs.',
        'Set appendonly to yes. No play is lost without it; waiting ones are delayed.',
      ),
    ];
  }
  if (read('aof_last_write_status') !== 'ok') {
    return [
      error('redis.aof', 'The append-only file could not be written.', 'Look at the disk of Redis: it refuses writes.'),
    ];
  }
  return [ok('redis.aof', 'It writes an append-only file.')];
}

function memory(used: number, max: number): Finding {
  const share = max > 0 ? used / max : 0;
  const says = max > 0 ? `${Math.round(share * 100)} % of its memory are used.` : 'It has no maxmemory.';
  if (share >= 1)
    return error('redis.memory', `${says} It refuses writes.`, 'Raise maxmemory; meanwhile accepted runs wait.');
  return share > MUCH
    ? warning('redis.memory', says, 'Raise maxmemory before it is full: then Redis refuses writes, and plays wait.')
    : ok('redis.memory', says);
}

async function readClock(redis: OneRedis): Promise<ClockReading> {
  const [before, askedAt] = [Date.now(), performance.now()];
  const [seconds, micros] = await redis.time();
  const tookMs = performance.now() - askedAt;
  return { aheadMs: Number(seconds) * 1_000 + Number(micros) / 1_000 - (before + tookMs / 2), uncertainMs: tookMs / 2 };
}
