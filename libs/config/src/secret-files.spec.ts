import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

import { parseConfigFile, withConfigFile } from './config-file.js';
import { loadSettings } from './load-settings.js';
import { reportSettings } from './report-settings.js';
import { SettingsError } from './settings-error.js';
import type { Environment, Settings } from './settings.js';

const [SECRET = '', SALT = ''] = ['a', 'b'].map((text) => createHash('sha256').update(text).digest('hex'));
const STORES = { MONGODB_URI: 'mongodb://db.example/?replicaSet=rs0', REDIS_URL: 'redis://redis.example' };
const ENOUGH = { ...STORES, ENC_KEY_SECRET: SECRET, ENV_KEY_SALT: SALT };

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'weft-secrets-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const load = (env: Environment): Settings => loadSettings(env, { standalone: false });

function faultsOf(env: Environment): readonly string[] {
  try {
    load(env);
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.lines;
    throw error;
  }
}

it('reads a secret from the file that NAME_FILE names, and counts as given by the environment', () => {
  const env = {
    ...STORES,
    ENC_KEY_SECRET_FILE: file('key', `${SECRET}\n`),
    ENV_KEY_SALT_FILE: file('salt', SALT),
    METRICS_TOKEN_FILE: file('token', 'a token of the installation'.replaceAll(' ', '-')),
  };
  const settings = load(env);
  expect(settings.secrets).toMatchObject({ encKeySecret: SECRET, envKeySalt: SALT });
  expect(settings.server.metricsToken).toBe('a-token-of-the-installation');
  const [report] = reportSettings(settings).filter(({ key }) => key === 'server.metrics_token');
  expect(report).toMatchObject({ value: '[secret]', source: 'environment' });
});

it('a secret in a file goes before the settings file, and is passed on under its own name', () => {
  const settings = parseConfigFile('weft.yaml', 'redis: { url: redis://from-the-file }');
  const env = { REDIS_URL_FILE: file('redis', 'redis://from-the-secret'), LOG_LEVEL: 'warn' };
  expect(withConfigFile(env, settings)).toEqual({ REDIS_URL: 'redis://from-the-secret', LOG_LEVEL: 'warn' });
});

it('a secret that cannot be used is refused with the name of the file, and without its content', () => {
  const missing = join(folder, 'missing');
  expect(
    faultsOf({
      ...ENOUGH,
      METRICS_TOKEN_FILE: file('token', 'tiny'),
      ENC_KEY_SECRET_FILE: file('key', SECRET),
      WEFT_ADMIN_PASSWORD_FILE: file('password', ' \n'),
      MICROSOFT_CLIENT_SECRET_FILE: missing,
      OTEL_EXPORTER_OTLP_HEADERS_FILE: folder,
      ENC_KEY_SECRET_PREVIOUS_FILE: '/dev/zero',
    }),
  ).toEqual([
    `WEFT_ADMIN_PASSWORD_FILE: ${join(folder, 'password')} is empty; write the secret into it`,
    'ENC_KEY_SECRET_FILE: goes without ENC_KEY_SECRET; set one of them',
    'ENC_KEY_SECRET_PREVIOUS_FILE: /dev/zero is too large for a secret; name the file with its text',
    `MICROSOFT_CLIENT_SECRET_FILE: ${missing} cannot be read (ENOENT); write the path of a file`,
    `OTEL_EXPORTER_OTLP_HEADERS_FILE: ${folder} cannot be read (EISDIR); write the path of a file`,
    'METRICS_TOKEN_FILE: is "…"; write something like 16 or more visible characters',
  ]);
});

it('settings that are not secret are not read from files', () => {
  expect(load({ ...ENOUGH, LOG_LEVEL_FILE: file('level', 'debug') }).logging.level).toBe('info');
});
