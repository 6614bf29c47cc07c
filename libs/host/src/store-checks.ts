import type { Settings } from '@weft/config';
import type { HealthCheck } from '@weft/observability';
import { DATA_LEVEL, ProcessLevels, type Mongo } from '@weft/persistence';
import type { BusRedis } from '@weft/realtime-bus';

const MONGO_DEADLINE_MS = 2_000;
const REDIS_KEY_SECONDS = 10;

/** The sign of life that migrations wait for: a durable write, which tells whether MongoDB keeps what it is given. */
export function mongoCheck(mongo: Mongo, processName: string): HealthCheck {
  const levels = new ProcessLevels(mongo);
  return {
    name: 'mongodb',
    check: async () => {
      await levels.tell(processName, DATA_LEVEL, MONGO_DEADLINE_MS);
      return { status: 'healthy' };
    },
  };
}

/** A write: a Redis that answers PING and refuses everything else (full, AOF disk gone) is not well. */
export function redisCheck(redis: BusRedis, settings: Settings, processName: string): HealthCheck {
  const key = `${settings.queue.prefix}:health:${processName}`;
  return {
    name: 'redis',
    check: async () => {
      if (redis.status !== 'ready') return { status: 'unhealthy', error: 'connection failed' };
      await redis.set(key, '1', 'EX', REDIS_KEY_SECONDS);
      return { status: 'healthy' };
    },
  };
}
