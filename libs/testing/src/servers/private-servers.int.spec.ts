import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { expect, it } from 'vitest';
import { startMongod } from '#tools/servers/index.mjs';
import { privateMongod, privateRedis } from './private-servers.js';
import { scratchFolder } from '../test-run.js';

it('keeps acknowledged writes of a mongod that was killed', async () => {
  const mongod = await privateMongod();
  await insert(mongod.uri, 'before');
  await mongod.kill();
  await mongod.start();
  await insert(mongod.uri, 'after');
  expect(await ids(mongod.uri)).toEqual(['after', 'before']);
});

it('finds the data again when the port of the last start is taken by somebody who does not answer', async () => {
  const folder = scratchFolder('mongod');
  const first = await startMongod({ folder });
  await insert(first.uri, 'kept');
  await first.stop();
  const squatter = createServer().listen(first.port, '127.0.0.1');
  await once(squatter, 'listening');
  const second = await startMongod({ folder });
  try {
    expect(second.port).not.toBe(first.port);
    expect(await ids(second.uri)).toEqual(['kept']);
    await insert(second.uri, 'more');
  } finally {
    await second.stop();
    squatter.close();
  }
});

it('takes over the server that an earlier process left running', async () => {
  const folder = scratchFolder('mongod');
  const left = await startMongod({ folder });
  const found = await startMongod({ folder });
  expect(found.pid).toBe(left.pid);
  await found.stop();
});

it('leaves a process alone that only has the number of its old server', async () => {
  const folder = scratchFolder('mongod');
  const mongod = await startMongod({ folder });
  await mongod.stop();
  const bystander = createServer().listen(0, '127.0.0.1');
  await once(bystander, 'listening');
  const { writeFile } = await import('node:fs/promises');
  const record = { pid: process.pid, port: (bystander.address() as AddressInfo).port, binary: process.execPath };
  await writeFile(`${folder}/server.json`, JSON.stringify({ ...record, binary: '' }));
  const again = await startMongod({ folder });
  expect(again.pid).not.toBe(process.pid);
  await again.stop();
  bystander.close();
});

it.each([
  { persistent: true, left: 'value' },
  { persistent: false, left: null },
])('a killed Redis with persistence $persistent has $left left', async ({ persistent, left }) => {
  const server = await privateRedis({ persistent });
  await ask(server.uri, (redis) => redis.set('key', 'value'));
  await server.kill();
  await server.start();
  expect(await ask(server.uri, (redis) => redis.get('key'))).toBe(left);
});

async function insert(uri: string, id: string): Promise<void> {
  const client = await mongoose.mongo.MongoClient.connect(uri);
  await client
    .db('test')
    .collection<{ _id: string }>('items')
    .insertOne({ _id: id }, { writeConcern: { w: 'majority', journal: true } });
  await client.close();
}

async function ids(uri: string): Promise<readonly string[]> {
  const client = await mongoose.mongo.MongoClient.connect(uri);
  const found = await client.db('test').collection<{ _id: string }>('items').find().sort({ _id: 1 }).toArray();
  await client.close();
  return found.map(({ _id }) => _id);
}

async function ask<T>(url: string, command: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(url);
  try {
    return await command(redis);
  } finally {
    await redis.quit();
  }
}
