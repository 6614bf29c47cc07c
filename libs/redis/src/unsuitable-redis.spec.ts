import { Cluster, Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { unsuitableRedis } from './unsuitable-redis.js';

const one = new Redis({ lazyConnect: true });
const cluster = new Cluster([{ host: '127.0.0.1', port: 1 }], { lazyConnect: true });

it.each([
  [one, '6.0.20', 'version 6.0: Weft needs 6.2 or later'],
  [one, '6.2.0', null],
  [one, '10.0.0', null],
  [cluster, '6.2.14', 'version 6.2: Weft needs 7.0 or later'],
  [cluster, '7.0.0', null],
  [cluster, 'of nobody', null],
])('%# says whether a version is too old', (redis, version, sentence) => {
  const said = unsuitableRedis(redis, `# Server\r\nredis_version:${version}\r\n`);
  if (sentence === null) expect(said).toBeNull();
  else expect(said).toContain(sentence);
});
