import mongoose, { type mongo } from 'mongoose';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Mongo } from './mongo.js';
import type { KindOfServer } from './unsuitable-mongo.js';

const { BSON } = mongoose.mongo;
const HEADER_BYTES = 16;
const [OP_REPLY, OP_QUERY, OP_MSG] = [1, 2004, 2013];

/** Answers each command as such a MongoDB answers `hello`. */
async function mongodOf(kind: KindOfServer): Promise<number> {
  const hello: mongo.Document = {
    ...{ ok: 1, isWritablePrimary: !kind.isreplicaset, helloOk: true, minWireVersion: 0, maxWireVersion: 21 },
    ...kind,
    ...{ maxBsonObjectSize: 16_777_216, maxMessageSizeBytes: 48_000_000, maxWriteBatchSize: 100_000 },
    ...{ localTime: new Date(), logicalSessionTimeoutMinutes: 30, readOnly: false },
  };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => socket.write(answer(bytes, BSON.serialize(hello))));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return (server.address() as AddressInfo).port;
}

function answer(asked: Buffer, document: Uint8Array): Buffer {
  const isQuery = asked.readInt32LE(12) === OP_QUERY;
  const before = isQuery ? Buffer.alloc(20) : Buffer.alloc(5);
  if (isQuery) before.writeInt32LE(1, 16);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32LE(HEADER_BYTES + before.length + document.length, 0);
  header.writeInt32LE(asked.readInt32LE(4), 8);
  header.writeInt32LE(isQuery ? OP_REPLY : OP_MSG, 12);
  return Buffer.concat([header, before, document]);
}

const ALONE = 'MongoDB is not a replica set: start it with --replSet and initiate it, because transactions need one.';
const SHARDED = 'MONGODB_URI leads to a sharded cluster, which Weft does not support: use one replica set.';

describe('a MongoDB of the wrong kind is refused in one sentence', () => {
  it.each([
    ['one without a replica set', '/', {}, ALONE],
    ['one without the replica set that the address names', '/?replicaSet=rs0', {}, ALONE],
    ['a router of a sharded cluster', '/', { msg: 'isdbgrid' }, SHARDED],
    [
      'MongoDB 5.0',
      '/',
      { setName: 'rs0', maxWireVersion: 13 },
      'MONGODB_URI leads to a MongoDB older than 6.0: Weft needs 6.0 or later.',
    ],
    [
      'a replica set that was not initiated',
      '/?replicaSet=rs0',
      { isreplicaset: true },
      'The replica set of MongoDB is not initiated: run rs.initiate() on it once.',
    ],
  ] as const)('%s', async (_what, path, kind, sentence) => {
    const port = await mongodOf(kind);
    const opening = Mongo.open({
      uri: `mongodb://127.0.0.1:${port}${path}`,
      db: 'weft',
      appName: 'spec',
      selectWithinMs: 200,
    });
    await expect(opening).rejects.toMatchObject({ name: 'UnsuitableMongo', message: sentence });
  });
});
