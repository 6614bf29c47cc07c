import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';
import { afterAll, describe, expect, it } from 'vitest';
import { freePort, startMongod, startRedis, type LocalServer } from '#tools/servers/index.mjs';
import { scratchFolder } from '../test-run.js';
import { waitFor } from '../wait-for.js';

const { MongoClient } = mongoose.mongo;
const opened: LocalServer[] = [];
afterAll(() => Promise.all(opened.map((server) => server.stop())));
async function open(starting: Promise<LocalServer>): Promise<LocalServer> {
  const server = await starting;
  opened.push(server);
  return server;
}

const folders = { mongod: scratchFolder('mongod'), redis: scratchFolder('redis') };
const mongod = await open(startMongod({ folder: folders.mongod }));
const redis = await open(startRedis({ folder: folders.redis }));
const binaryOf = (folder: string) =>
  (JSON.parse(readFileSync(join(folder, 'server.json'), 'utf8')) as { binary: string }).binary;

/** The answer that a local user without the secret gets for a command. */
async function asStranger(port: number, command: Readonly<Record<string, unknown>>): Promise<string> {
  const client = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`);
  try {
    await client.db('admin').command(command);
    return 'ok';
  } catch (error) {
    return (error as { codeName?: string }).codeName ?? String(error);
  } finally {
    await client.close();
  }
}

async function insert(uri: string, id: string): Promise<void> {
  const client = await MongoClient.connect(uri);
  await client
    .db('weft')
    .collection<{ _id: string }>('items')
    .insertOne({ _id: id }, { writeConcern: { w: 'majority' } });
  await client.close();
}

async function ids(uri: string): Promise<readonly string[]> {
  const client = await MongoClient.connect(uri);
  const found = await client.db('weft').collection<{ _id: string }>('items').find().sort({ _id: 1 }).toArray();
  await client.close();
  return found.map(({ _id }) => _id);
}

async function ask<T>(url: string, command: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { retryStrategy: null, maxRetriesPerRequest: 0 });
  client.on('error', () => undefined);
  try {
    return await command(client);
  } finally {
    client.disconnect();
  }
}

const passwordOf = (uri: string) => new URL(uri).password;

describe('a provided server', () => {
  it('does nothing for who has no password', async () => {
    expect(await asStranger(mongod.port, { listDatabases: 1 })).toBe('Unauthorized');
    // what an unprotected local server would allow while it has no user
    const user = { createUser: 'me', pwd: 'me', roles: ['root'] };
    expect(await asStranger(mongod.port, user)).toBe('Unauthorized');
    const initiate = { replSetInitiate: {} };
    expect(await asStranger(mongod.port, initiate)).toBe('Unauthorized');
    for (const url of [`redis://127.0.0.1:${redis.port}`, `redis://:wrong@127.0.0.1:${redis.port}`]) {
      await expect(ask(url, (client) => client.keys('*'))).rejects.toThrow();
      await expect(ask(url, (client) => client.publish('c', 'm'))).rejects.toThrow();
    }
    await insert(mongod.uri, 'with the password');
    expect(await ask(redis.uri, (client) => client.ping())).toBe('PONG');
  });

  it('has its password in no command line, and in files of its owner alone', () => {
    for (const { pid, uri, folder } of [mongod, redis]) {
      const password = passwordOf(uri);
      expect(password).toMatch(/^[0-9a-f]{64}$/);
      expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(password);
      expect(statSync(folder).mode & 0o077).toBe(0);
      for (const file of ['secret', 'redis.conf'].filter((name) => readdirSync(folder).includes(name))) {
        expect(statSync(join(folder, file)).mode & 0o077).toBe(0);
        expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(
          readFileSync(join(folder, file), 'utf8').trim(),
        );
      }
    }
    expect(passwordOf(mongod.uri)).not.toBe(passwordOf(redis.uri));
  });

  it('takes a new secret where the old one is gone or half written', async () => {
    await mongod.stop();
    writeFileSync(join(folders.mongod, 'secret'), 'ab');
    const again = await open(startMongod({ folder: folders.mongod }));
    expect(passwordOf(again.uri)).not.toBe(passwordOf(mongod.uri));
    expect(await ids(again.uri)).toEqual(['with the password']);
  });
});

describe('a data folder of a version that had no passwords', () => {
  async function startUnprotected(folder: string, binary: string, args: readonly string[], port: number) {
    const child = spawn(binary, args, { cwd: folder, stdio: 'ignore' });
    await once(child, 'spawn');
    const pid = child.pid ?? 0;
    writeFileSync(join(folder, 'server.json'), `${JSON.stringify({ pid, port, binary })}\n`);
    return child;
  }

  async function oldMongod() {
    const [folder, port] = [scratchFolder('mongod'), await freePort()];
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o755);
    const place = ['--replSet', 'rs0', '--port', String(port), '--bind_ip', '127.0.0.1', '--nounixsocket'];
    const files = ['--dbpath', folder, '--logpath', join(folder, 'mongod.log')];
    const child = await startUnprotected(folder, binaryOf(folders.mongod), [...place, ...files], port);
    const members = [{ _id: 0, host: `127.0.0.1:${port}` }];
    await waitFor(async () => (await asStranger(port, { replSetInitiate: { _id: 'rs0', members } })) === 'ok', {
      what: 'the replica set',
    });
    await insert(`mongodb://127.0.0.1:${port}/?replicaSet=rs0`, 'from before');
    return { folder, port, child };
  }

  it('opens with all its data in it, and then asks for one', async () => {
    const { folder, port, child } = await oldMongod();
    child.kill('SIGTERM');
    await once(child, 'exit');
    const now = await open(startMongod({ folder }));
    expect(now.port).toBe(port);
    expect(await ids(now.uri)).toEqual(['from before']);
    expect(await asStranger(port, { listDatabases: 1 })).toBe('Unauthorized');
    expect(statSync(folder).mode & 0o077).toBe(0);
  });

  async function oldRedis() {
    const [folder, port] = [scratchFolder('redis'), await freePort()];
    mkdirSync(folder, { recursive: true });
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--appendonly', 'yes', '--save', ''];
    const child = await startUnprotected(folder, binaryOf(folders.redis), args, port);
    const set = () => ask(`redis://127.0.0.1:${port}`, (client) => client.set('key', 'from before'));
    await waitFor(async () => (await set()) === 'OK', { what: 'the old Redis' });
    return { folder, port, child };
  }

  it('is protected also where its servers were left running', async () => {
    const before = await Promise.all([oldMongod(), oldRedis()]);
    const [ofMongod, ofRedis] = before;
    const [database, queue] = await Promise.all([
      open(startMongod({ folder: ofMongod.folder })),
      open(startRedis({ folder: ofRedis.folder })),
    ]);
    expect(before.map(({ child }) => child.exitCode ?? child.signalCode)).not.toContain(null);
    expect(await ids(database.uri)).toEqual(['from before']);
    expect(await asStranger(database.port, { listDatabases: 1 })).toBe('Unauthorized');
    expect(await ask(queue.uri, (client) => client.get('key'))).toBe('from before');
    await expect(ask(`redis://127.0.0.1:${queue.port}`, (client) => client.get('key'))).rejects.toThrow(/NOAUTH/);
  });
});
