import type { Settings } from '@weft/config';
import { type Mongo } from '@weft/store';
import { lookAtTarget } from '@weft/records';
import { Batch, installationKeys, openRedis, type Redis } from '@weft/redis';
import { Trouble } from '#tools/setup/trouble.mjs';

const CONNECT_WITHIN_MS = 5_000;

/** @throws Trouble when processes run on the database, or when it or Redis is in use and may not be replaced */
export async function assertRoom(mongo: Mongo, settings: Settings, mayReplace: boolean): Promise<void> {
  const { processes, filled, isRestoring } = await lookAtTarget(mongo);
  if (processes.length > 0) {
    throw new Trouble(`Processes run on the database ${settings.mongodb.db}: ${processes.join(', ')}.`, 'Stop them.');
  }
  if (filled.length > 0 && !isRestoring && !mayReplace) {
    throw new Trouble(
      `The database ${settings.mongodb.db} is not empty (${filled.slice(0, 3).join(', ')}, …).`,
      'Name another one (MONGODB_DB), or replace it: --replace.',
    );
  }
  const { prefix } = settings.queue;
  const isQueueThere = await withRedis(settings, async (redis) => {
    for await (const _ of installationKeys(redis, prefix)) return true;
    return false;
  });
  if (isQueueThere && !isRestoring && !mayReplace) {
    throw new Trouble(
      `Redis has a queue with the prefix ${prefix}, which belongs to another state of the database.`,
      'Empty Redis, set another QUEUE_PREFIX, or let its keys be removed: --replace.',
    );
  }
}

/** The queue of before names plays that are not stored now, or are in another state. */
export async function clearRedis(settings: Settings): Promise<void> {
  await withRedis(settings, async (redis) => {
    for await (const keys of installationKeys(redis, settings.queue.prefix)) {
      const removals = new Batch(redis);
      for (const key of keys) removals.of(key).unlink(key);
      await removals.answers();
    }
  });
}

async function withRedis<T>({ redis: { url } }: Settings, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = openRedis(url, 'commands', 'weft-restore');
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(notThere()), CONNECT_WITHIN_MS);
      redis.once('ready', () => {
        clearTimeout(timer);
        resolve();
      });
    });
    return await work(redis);
  } finally {
    redis.disconnect();
  }
}

function notThere(): Trouble {
  return new Trouble('Redis cannot be reached: keys of another state of the database may be there.', 'Start it first.');
}
