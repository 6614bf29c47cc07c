import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '@weft/config';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeSecrets, type SecretsWanted } from './make-secrets.js';

const USER = process.getuid?.() ?? 0;

let folder: string;
let wanted: SecretsWanted;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weft-secrets-'));
  const places = { mongodb: 'mongo:27017', redis: 'valkey:6379' };
  wanted = { folder, ...places, weftUser: USER, storesUser: USER, storesData: [] };
});
afterEach(() => rmSync(folder, { recursive: true }));

const files = (): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
const textOf = (path: string): string => readFileSync(join(folder, 'made', path), 'utf8');
const modeOf = (path: string): number => statSync(join(folder, path)).mode & 0o777;

it('makes every secret once: a second start changes nothing', () => {
  expect(makeSecrets(wanted)).toBe(true);
  const paths = files().filter((path) => statSync(join(folder, path)).isFile());
  const before = paths.map((path) => readFileSync(join(folder, path), 'utf8'));
  expect(new Set(before.map((text) => /[\w-]{20,}/.exec(text)?.[0])).size).toBe(7); // the passwords of the databases are in several files
  expect(makeSecrets(wanted)).toBe(false);
  expect(paths.map((path) => readFileSync(join(folder, path), 'utf8'))).toEqual(before);
});

it('lets only their users read them, and leaves no draft', () => {
  makeSecrets(wanted);
  expect(readdirSync(folder)).toEqual(['made']);
  for (const path of ['made/weft', 'made/stores']) {
    expect(modeOf(path)).toBe(0o700);
    for (const name of readdirSync(join(folder, path))) expect(modeOf(join(path, name))).toBe(0o600);
  }
});

it('an interrupted start leaves no secrets, and the next one makes all of them', () => {
  mkdirSync(join(folder, '.made-0123456789ab', 'weft'), { recursive: true });
  expect(makeSecrets(wanted)).toBe(true);
  expect(readdirSync(join(folder, 'made', 'weft'))).toHaveLength(6);
});

it('makes what the processes take, and the same passwords for the databases', () => {
  makeSecrets(wanted);
  const file = (name: string): string => join(folder, 'made', 'weft', name);
  const settings = loadSettings(
    {
      MONGODB_URI_FILE: file('mongodb_uri'),
      REDIS_URL_FILE: file('redis_url'),
      ENC_KEY_SECRET_FILE: file('enc_key_secret'),
      ENV_KEY_SALT_FILE: file('env_key_salt'),
      METRICS_TOKEN_FILE: file('metrics_token'),
      WEFT_ADMIN_PASSWORD_FILE: file('admin_password'),
    },
    { standalone: false },
  );
  const password = textOf('stores/mongodb_password');
  expect(settings.mongodb.uri).toMatch(`mongodb://weft:${password}@mongo:27017/?replicaSet=rs0`);
  expect(settings.redis.url).toBe(`redis://:${textOf('stores/valkey_password')}@valkey:6379`);
  expect(textOf('stores/valkey.conf')).toBe(`requirepass ${textOf('stores/valkey_password')}\n`);
  expect(settings.admin.password).toHaveLength(20);
});
