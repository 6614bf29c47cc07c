import type { Settings } from '@weft/config';
import { PEER_EXAMPLE } from '@weft/testing';
import { createServer } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { checkMongo, disk } from './check-mongo.js';

describe('the disk of MongoDB', () => {
  it.each([
    [null, 'ok'],
    [0.5, 'ok'],
    [0.81, 'warning'],
    [0.96, 'error'],
  ] as const)('%s full is %s', (share, severity) => {
    expect(disk(share)).toMatchObject({ check: 'mongodb.disk', severity });
  });
});

describe('a MongoDB with a certificate of an authority that nobody named', () => {
  const server = createServer(PEER_EXAMPLE).listen(0, '127.0.0.1');
  server.on('tlsClientError', () => undefined);
  afterAll(() => void server.close());

  it('is said to have it', async () => {
    const { port } = server.address() as AddressInfo;
    const uri = `mongodb://127.0.0.1:${port}/?replicaSet=rs0&tls=true`;
    const secrets = { encKeySecret: 'a'.repeat(64), envKeySalt: '5'.repeat(64) };
    expect(await checkMongo({ mongodb: { uri, db: 'weft' }, secrets } as Settings, null)).toMatchObject([
      {
        check: 'mongodb.reached',
        severity: 'error',
        says: `MongoDB at 127.0.0.1:${port}: certificate not accepted (UNABLE_TO_VERIFY_LEAF_SIGNATURE).`,
        advice: expect.stringContaining('tlsCAFile') as string,
      },
    ]);
  });
});
