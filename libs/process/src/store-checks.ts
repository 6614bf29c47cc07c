import type { Settings } from '@weft/config';
import { sayWhy, type CheckResult, type HealthCheck } from '@weft/observability';
import { PayloadStore, SystemScope, type Mongo } from '@weft/store';
import { DATA_LEVEL, isProvisioned, RunningProcesses, type ProcessSign } from '@weft/records';
import { addressOf, isOfConnection, RedisNames, serversOf, unsuitableRedis, type Redis } from '@weft/redis';

const REDIS_KEY_SECONDS = 10;
const WANTED_POLICY = 'noeviction';
const INFO_SECTIONS = ['server', 'memory'];

const FOUNDING = new SystemScope('whether there is a company at all');

/** What each check of MongoDB says of it. */
type OfMongo = Pick<HealthCheck, 'where' | 'lastError'>;

export function mongoChecks(mongo: Mongo, process: Omit<ProcessSign, 'level'>) {
  const of = { where: addressOfMongo(mongo), lastError: errorsOfMembers(mongo) };
  return { database: databaseCheck(mongo, process, of), storage: storageCheck(mongo, of) };
}

/** The sign of life that migrations wait for: a durable write, which shows whether MongoDB stores what is written. */
function databaseCheck(mongo: Mongo, process: Omit<ProcessSign, 'level'>, of: OfMongo): HealthCheck {
  const running = new RunningProcesses(mongo);
  return {
    name: 'mongodb',
    ...of,
    check: async () => {
      await running.tell({ ...process, level: DATA_LEVEL });
      return { status: 'healthy' };
    },
  };
}

/** The check that shows whether Redis takes what is written. */
export const REDIS_CHECK = 'redis';

/** A write: a Redis that answers PING and refuses everything else (full, AOF disk lost) is unhealthy. */
export function redisCheck(
  redis: Redis,
  settings: Pick<Settings, 'queue'>,
  processName: string,
  lastError: () => Error | undefined,
): HealthCheck {
  const key = new RedisNames(settings.queue.prefix).health(processName);
  return {
    name: REDIS_CHECK,
    where: addressOf(redis),
    check: async () => {
      if (redis.status === 'ready') {
        const written = await redis.set(key, '1', 'EX', REDIS_KEY_SECONDS).catch((error: unknown) => {
          // the error of a write that was under way when the connection ended says nothing of that
          if (redis.status === 'ready') throw (isOfConnection(error) ? lastError() : null) ?? error;
        });
        if (written !== undefined) return { status: 'healthy' };
      }
      const last = lastError();
      return { status: 'unhealthy', error: last ? sayWhy(last) : 'connection closed' };
    },
  };
}

function addressOfMongo({ connection }: Mongo): string {
  const { srvHost, hosts } = connection.getClient().options;
  return `MongoDB at ${srvHost ?? hosts.join(', ')}`;
}

/** Operations wait for a server for longer than a check does. @returns what the driver last met at the first member that it cannot use */
function errorsOfMembers({ connection }: Mongo): () => Error | undefined {
  const errors = new Map<string, Error>();
  connection.getClient().on('serverDescriptionChanged', ({ address, newDescription: { error } }) => {
    if (error) errors.set(address, error);
    else errors.delete(address);
  });
  return () => errors.values().next().value;
}

/** Jobs that are evicted delay their plays: the process continues, and health shows it until it is corrected. */
export function redisPolicyCheck(redis: Redis): HealthCheck {
  let last: CheckResult = { status: 'healthy' };
  return {
    name: 'redis-policy',
    where: addressOf(redis),
    check: async () => {
      if (redis.status !== 'ready') return last;
      // unknown if Redis does not report it
      const infos = serversOf(redis).map(async (server) => {
        const sections = await Promise.all(INFO_SECTIONS.map((name) => server.info(name))).catch(() => []);
        return policyFaults(redis, sections.join('\n'));
      });
      const faults = [...new Set((await Promise.all(infos)).flat())];
      last = faults.length === 0 ? { status: 'healthy' } : { status: 'unhealthy', error: faults.join('; ') };
      return last;
    },
  };
}

function policyFaults(redis: Redis, info: string): readonly string[] {
  const unsuitable = unsuitableRedis(redis, info); // it was not reachable when this process started, or is another one now
  if (unsuitable !== null) return [unsuitable];
  const policy = /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? WANTED_POLICY;
  return policy === WANTED_POLICY ? [] : [`maxmemory-policy is ${policy}, not ${WANTED_POLICY}: jobs may be evicted`];
}

/** Whether anybody can sign in. Once there is an admin, there always is one. */
export function provisionedCheck(mongo: Mongo): HealthCheck {
  let isThere = false;
  return {
    name: 'first admin',
    check: async () => {
      isThere ||= await isProvisioned(mongo, FOUNDING);
      return isThere
        ? { status: 'healthy' }
        : { status: 'unhealthy', error: 'the database is empty: start an api, which makes the first admin' };
    },
  };
}

/** Whether large outputs can be read. */
function storageCheck(mongo: Mongo, of: OfMongo): HealthCheck {
  const payloads = new PayloadStore(mongo);
  return {
    name: 'storage',
    ...of,
    check: async () => {
      await payloads.answers();
      return { status: 'healthy' };
    },
  };
}
