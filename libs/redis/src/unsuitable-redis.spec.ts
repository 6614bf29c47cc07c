import { Cluster, Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { unsuitableRedis } from './unsuitable-redis.js';

const one = new Redis({ lazyConnect: true });
const cluster = new Cluster([{ host: '127.0.0.1', port: 1 }], { lazyConnect: true });

const infoOf = (version: string) => `# Server\r\nredis_version:${version}\r\n`;

it.each([
  ['a server', '6.0.20', one, 'version 6.0: Weft needs 6.2 or later'],
  ['a cluster', '6.2.14', cluster, 'version 6.2: Weft needs 7.0 or later'],
] as const)('says that %s of version %s is too old', (_which, version, redis, sentence) => {
  expect(unsuitableRedis(redis, infoOf(version))).toContain(sentence);
});

it.each([
  ['a server', '6.2.0', one],
  ['a server', '10.0.0', one],
  ['a cluster', '7.0.0', cluster],
  ['a cluster', 'that it does not tell', cluster],
] as const)('takes %s of version %s', (_which, version, redis) => {
  expect(unsuitableRedis(redis, infoOf(version))).toBeNull();
});
