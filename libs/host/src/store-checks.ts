import type { Settings } from '@weft/config';
import type { HealthCheck } from '@weft/observability';
import { MAJORITY, type Mongo } from '@weft/persistence';
import type { BusRedis } from '@weft/realtime-bus';

const PROBES = 'health_probes';
const MONGO_DEADLINE_MS = 2_000;
const REDIS_KEY_SECONDS = 10;

interface ProbeDocument {
  _id: string;
  at: Date;
}

/** A durable write: a primary that answers but cannot keep anything (no majority, no disk) is not well. */
export function mongoCheck(mongo: Mongo, processName: string): HealthCheck {
  const probes = mongo.collection<ProbeDocument>(PROBES);
  return {
    name: 'mongodb',
    check: async () => {
      await probes.updateOne(
        { _id: processName },
        { $currentDate: { at: true } },
        { upsert: true, writeConcern: MAJORITY, timeoutMS: MONGO_DEADLINE_MS },
      );
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
