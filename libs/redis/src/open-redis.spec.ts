import { PEER_EXAMPLE, PRIVATE_CA } from '@weft/testing';
import type { Redis as OneRedis } from 'ioredis';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createPlain, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { openRedis } from './open-redis.js';

const folder = mkdtempSync(join(tmpdir(), 'weft-certificates-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return encodeURIComponent(path);
};

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Answers OK to everything, with a certificate of the private authority, to those who have one of it. */
async function encrypted(): Promise<{ readonly port: number; readonly peer: Promise<TLSSocket> }> {
  const { promise: peer, resolve } = Promise.withResolvers<TLSSocket>();
  const own = { ...PEER_EXAMPLE, ca: PRIVATE_CA, requestCert: true };
  const server = createServer(own, (socket) => {
    resolve(socket);
    socket.on('error', () => undefined);
    socket.on('data', () => socket.write('+OK\r\n'));
  });
  return { port: await portOf(server), peer };
}

function opened(url: string) {
  const redis = openRedis(url, 'commands', 'spec') as OneRedis;
  onTestFinished(() => redis.disconnect());
  return redis;
}

describe('a connection to Redis with TLS', () => {
  it('reports the code of a certificate that is not trusted', async () => {
    const { port } = await encrypted();
    const [error] = (await once(opened(`rediss://127.0.0.1:${port}`), 'error')) as [Error];
    expect(error).toMatchObject({ code: 'SELF_SIGNED_CERT_IN_CHAIN' });
  });

  it('trusts the authority that the address names, and shows the certificate that it names', async () => {
    const { port, peer } = await encrypted();
    const [ca, own] = [file('ca.pem', PRIVATE_CA), file('own.pem', `${PEER_EXAMPLE.cert}\n${PEER_EXAMPLE.key}`)];
    opened(`rediss://127.0.0.1:${port}/?tlsCAFile=${ca}&tlsCertificateKeyFile=${own}`);
    expect((await peer).authorized).toBe(true);
  });

  it('does not end the process when a socket has a second error, also in the duplicates that BullMQ makes', async () => {
    const port = await portOf(createPlain((socket) => socket.on('error', () => undefined)));
    const redis = opened(`redis://127.0.0.1:${port}`);
    const duplicate = redis.duplicate();
    duplicate.on('error', () => undefined);
    onTestFinished(() => duplicate.disconnect());
    for (const each of [redis, duplicate]) {
      if (each.status !== 'connect') await once(each, 'connect');
      const socket = each.stream;
      for (const code of ['first', 'second']) expect(() => socket.emit('error', new Error(code))).not.toThrow();
    }
  });
});
