import { expect, it } from 'vitest';
import { redisAddress } from './redis-address.js';

it('of one server is taken as it is', () => {
  const url = 'redis://:secret@one:6379/2';
  expect(redisAddress(url)).toEqual({ url, options: {} });
});

it('names Sentinels, the primary, and who asks each of them', () => {
  const url = 'redis+sentinel://weft:a%40b@one:1,two,[::1]:3/plays?db=2&sentinelUsername=watch&sentinelPassword=c';
  expect(redisAddress(url)).toEqual({
    url: null,
    options: {
      sentinels: [
        { host: 'one', port: 1 },
        { host: 'two', port: 26_379 },
        { host: '::1', port: 3 },
      ],
      name: 'plays',
      username: 'weft',
      password: 'a@b',
      db: 2,
      sentinelUsername: 'watch',
      sentinelPassword: 'c',
    },
  });
});

it('names some servers of a cluster', () => {
  expect(redisAddress('redis+cluster://weft:a%40b@one:1,two,[::1]:3')).toEqual({
    url: null,
    nodes: [
      { host: 'one', port: 1 },
      { host: 'two', port: 6_379 },
      { host: '::1', port: 3 },
    ],
    options: { username: 'weft', password: 'a@b' },
  });
  expect(redisAddress('rediss+cluster://one').options).toMatchObject({ tls: {} });
});

it('encrypts connections to Redis and to Sentinels', () => {
  expect(redisAddress('rediss+sentinel://:secret@one/plays').options).toMatchObject({
    password: 'secret',
    tls: {},
    sentinelTLS: {},
    enableTLSForSentinelMode: true,
  });
});
