import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { loadSettings } from '@weft/config';
import { liveMongo, liveRedis, privateMongod } from '@weft/testing';
import mongoose from 'mongoose';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';

import { asMember } from '#tools/servers/mongod-access.mjs';
import { provisionTasks, joinTasks } from './join-tasks.js';
import type { BootTask, RunningProcess } from './process-options.js';
import { startProcess } from './start-process.js';

const mongo = liveMongo({ isNew: true });
const redis = liveRedis();
const dataDir = mkdtempSync(join(tmpdir(), 'weft-founding-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

@Module({})
class NothingModule {}

const hex = (): string => randomBytes(32).toString('hex');
const [SECRET, SALT] = [hex(), hex()];
const PASSWORD = 'seven grey herons';
const ADMIN = { WEFT_ADMIN_EMAIL: 'ada@weft.test', WEFT_ADMIN_PASSWORD: PASSWORD };

const running: RunningProcess[] = [];
afterAll(() => Promise.all(running.map((each) => each.stop())));

let database = '';
beforeEach(() => {
  database = `${mongo.db}-${hex().slice(0, 8)}`;
});

interface Started {
  readonly url: string;
  readonly log: () => string;
}

async function start(
  kind: 'founding' | 'joining',
  env: Record<string, string> = {},
  bootTasks = kind === 'founding' ? provisionTasks() : joinTasks(),
): Promise<Started> {
  const settings = loadSettings(
    {
      ...{ MONGODB_URI: mongo.uri, MONGODB_DB: database, REDIS_URL: redis.url, QUEUE_PREFIX: redis.prefix },
      ...{ SERVER_HOST: '127.0.0.1', SERVER_PORT: '0', WEFT_DATA_DIR: dataDir },
      ...{ ENC_KEY_SECRET: SECRET, ENV_KEY_SALT: SALT, ...env },
    },
    { standalone: false },
  );
  let lines = '';
  const started = await startProcess({
    ...{ name: 'api', module: NothingModule, settings, embedded: true },
    bootTasks,
    needs: { database: true, queue: false, ...(kind === 'joining' && { admin: true }) },
    logOut: { write: (line) => (lines += line) },
  });
  running.push(started);
  return { url: `http://127.0.0.1:${started.port}`, log: () => lines };
}

describe('a process', () => {
  it.each([
    ['ENC_KEY_SECRET', { ENC_KEY_SECRET: hex() }],
    ['ENV_KEY_SALT', { ENV_KEY_SALT: hex() }],
  ])('with another %s than the installation does not start, and says so', async (_name, env) => {
    await start('joining');
    await expect(start('joining', env)).rejects.toThrow(
      /^Could not .+: ENC_KEY_SECRET or ENV_KEY_SALT is not that of the installation in this database\. .+ docs/,
    );
    await start('joining');
  });
});

describe('an election during the start', () => {
  /** Longer than a command waits for a primary. */
  const ELECTION_SECONDS = 6;

  it('is waited for at each task, and the log says so', async () => {
    const { port, folder, uri } = await privateMongod();
    const member = new mongoose.mongo.MongoClient(
      asMember({ port, secret: readFileSync(join(folder, 'secret'), 'utf8') }),
    );
    onTestFinished(() => member.close());
    const stepDown = () => member.db('admin').command({ replSetStepDown: ELECTION_SECONDS, force: true });
    const worksBefore: BootTask = { name: 'step down', run: stepDown };
    for (const index of [1, joinTasks().length]) {
      const { log } = await start(
        'founding',
        { MONGODB_URI: uri, ...ADMIN },
        provisionTasks().toSpliced(index, 0, worksBefore),
      );
      expect(log()).toMatch(/waiting for MongoDB: /);
    }
  });
});

describe('the first admin', () => {
  it('is waited for by processes that do not make it, and they are unhealthy until it is there', async () => {
    const worker = await start('joining', ADMIN);
    const health = async () => (await fetch(`${worker.url}/health`)).json() as Promise<object>;
    expect((await fetch(`${worker.url}/health`)).status).toBe(503);
    expect(await health()).toMatchObject({
      checks: { database: { error: expect.stringMatching(/first admin/) as string } },
    });
    const api = await start('founding', ADMIN);
    expect((await fetch(`${api.url}/health`)).status).toBe(200);
    await expect.poll(async () => (await fetch(`${worker.url}/health`)).status).toBe(200);
    expect(api.log()).toContain('First admin: ada@weft.test, with the password of WEFT_ADMIN_PASSWORD');
    expect(worker.log()).not.toContain('First admin');
    expect(api.log()).not.toContain(PASSWORD);
  });

  it('is not made without a password, and the refusal names the setting', async () => {
    await expect(start('founding')).rejects.toThrow(/Set WEFT_ADMIN_PASSWORD, 12 characters to 72 bytes/);
  });

  it('keeps its password when another one is set later, which a warning says', async () => {
    const first = await start('founding', ADMIN);
    const again = await start('founding', ADMIN);
    const other = await start('founding', { ...ADMIN, WEFT_ADMIN_PASSWORD: 'eight grey herons' });
    await expect.poll(other.log).toMatch(/"level":"WARN".*WEFT_ADMIN_PASSWORD have no effect.*admin:reset-password/);
    for (const { log } of [first, again]) expect(log()).not.toContain('no effect');
    expect(other.log()).not.toContain('eight grey herons');
  });
});
