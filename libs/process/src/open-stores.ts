import type { Settings } from '@weft/config';
import { sayWhy } from '@weft/observability';
import { deriveAuditKey, isStoreUnavailable, Mongo, UnsuitableMongo } from '@weft/store';
import {
  openChannels,
  openRedis,
  serversOf,
  unsuitableBy,
  unsuitableRedis,
  type Channels,
  type Redis,
} from '@weft/redis';
import type { Logger } from 'pino';

import { BootError, type ProcessName } from './process-options.js';

const GIVE_UP_MS = 60_000;
const PAUSE_MS = 500;
/** No caller waits for a scheduler, and retention and migrations change much at once. */
const PATIENT_MS = 30_000;

/** Errors that waiting cannot resolve: the address or the credentials are wrong. */
const HOPELESS = /MongoParseError|MongoInvalidArgumentError|AuthenticationFailed|MongoMissingCredentialsError/;

/** @throws BootError with what to do */
export async function openMongo(settings: Settings, name: ProcessName, log: Logger): Promise<Mongo> {
  const { uri, db } = settings.mongodb;
  const { encKeySecret, envKeySalt } = settings.secrets;
  const auditKey = deriveAuditKey(encKeySecret, envKeySalt);
  const answerWithinMs = name === 'scheduler' ? PATIENT_MS : undefined;
  const open = async (): Promise<Mongo> => {
    try {
      return await Mongo.open({ uri, db, appName: `weft-${name}`, auditKey, answerWithinMs });
    } catch (error) {
      const { name: kind, message } = error as Error;
      const code = (error as { codeName?: string }).codeName ?? '';
      if (HOPELESS.test(kind) || HOPELESS.test(code)) {
        throw new BootError(`MongoDB refused the connection (${message}). Correct MONGODB_URI.`, { cause: error });
      }
      if (error instanceof UnsuitableMongo && !error.mayPass) throw new BootError(message, { cause: error });
      throw error;
    }
  };
  return untilReached(log, open, (error) => !(error instanceof BootError));
}

/**
 * Repeats what a start needs of MongoDB for up to a minute: in a cluster everything starts at once, and a primary may be elected.
 *
 * @throws BootError with what to do, or the error that does not pass
 */
export async function untilReached<T>(
  log: Logger,
  ask: () => Promise<T>,
  mayPass: (error: unknown) => boolean = isStoreUnavailable,
): Promise<T> {
  let since: number | undefined;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!mayPass(error)) throw error;
      const { message } = error as Error;
      const waitedMs = performance.now() - (since ??= performance.now());
      const says = `${sayWhy(error)}: ${message}`;
      if (waitedMs > GIVE_UP_MS) {
        const unreached = `MongoDB could not be reached for ${GIVE_UP_MS / 1_000} seconds (${says}). Start it, or correct MONGODB_URI.`;
        throw new BootError(error instanceof UnsuitableMongo ? message : unreached, { cause: error });
      }
      log.warn({ waited_seconds: Math.round(waitedMs / 1_000) }, `waiting for MongoDB: ${says}`);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

const FIRST_REDIS_MS = 2_000;

export interface RedisConnections {
  readonly commands: Redis;
  readonly channels: Channels;
}

/** Redis may be unreachable at startup as at any other time: the connections are established later. */
export function openRedisConnections(settings: Settings, name: ProcessName): RedisConnections {
  return {
    commands: openRedis(settings.redis.url, 'commands', `weft-${name}`),
    channels: openChannels(settings.redis.url, `weft-${name}-bus`),
  };
}

/** Gives Redis a moment to connect, so that the first check does not report an outage. Also returns without a connection. */
export async function firstContact(redis: Redis): Promise<void> {
  if (redis.status === 'ready') return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      redis.off('ready', done);
      redis.off('close', done);
      resolve();
    };
    const timer = setTimeout(done, FIRST_REDIS_MS);
    redis.on('ready', done);
    redis.on('close', done);
  });
}

/**
 * Refuses what is reached and is of another kind than its address says: another process could not find what this one rings for. Not
 * known, for want of a connection or of rights: it is used, and health shows what follows.
 *
 * @param failure why it could not be reached up to now
 * @throws BootError
 */
export async function assertSuitableRedis(redis: Redis, failure?: Error): Promise<void> {
  const isReady = redis.status === 'ready';
  const infos = isReady ? await Promise.all(serversOf(redis).map((one) => one.info('server').catch(() => ''))) : [];
  for (const fault of [unsuitableBy(redis, failure), ...infos.map((info) => unsuitableRedis(redis, info))])
    if (fault !== null) throw new BootError(fault);
}

/** Logs a warning once if Redis is configured so that it may lose jobs. Plays survive that, but are delayed. */
export function adviseOnRedis(redis: Redis, log: Logger): void {
  const look = async (): Promise<void> => {
    try {
      const sections = ['memory', 'persistence'];
      const asked = serversOf(redis).flatMap((one) => sections.map((section) => one.info(section)));
      const info = (await Promise.all(asked)).join('\n');
      const policy = /^maxmemory_policy:(?!noeviction)(\S+)/m.exec(info)?.[1];
      if (policy) {
        log.warn({ policy }, 'REDIS MAY EVICT JOBS: set maxmemory-policy to noeviction');
      }
      if (/^aof_enabled:0/m.test(info)) {
        log.warn('REDIS KEEPS NO LOG: set appendonly to yes, or every restart of Redis delays the waiting plays');
      }
    } catch (error) {
      if (redis.status === 'ready') log.warn({ err: error }, 'Redis did not say how it is set up');
    }
  };
  if (redis.status === 'ready') void look();
  else redis.once('ready', () => void look());
}
