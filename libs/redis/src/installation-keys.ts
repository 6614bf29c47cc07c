import { serversOf, type Redis } from './redis.js';

const KEYS_PER_SCAN = 1_000;

/** The keys of one installation, some at a time: those that `RedisNames` and `QueueKeys` build with its prefix. */
export async function* installationKeys(redis: Redis, prefix: string): AsyncGenerator<readonly string[]> {
  for (const server of serversOf(redis)) {
    for await (const keys of server.scanStream({ count: KEYS_PER_SCAN }) as AsyncIterable<string[]>) {
      const ours = keys.filter((key) => key.startsWith(`${prefix}:`) || key.startsWith(`{${prefix}:`));
      if (ours.length > 0) yield ours;
    }
  }
}
