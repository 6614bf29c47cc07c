import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { CATALOG } from './catalog.js';
import { parseConfigFile, withConfigFile } from './config-file.js';
import { loadSettings } from './load-settings.js';
import { reportSettings } from './report-settings.js';
import type { Environment } from './settings.js';
import { SettingsError } from './settings-error.js';

const SECRET = createHash('sha256').update('secret').digest('hex');
const ENOUGH: Environment = {
  MONGODB_URI: 'mongodb://db.example:27017/?replicaSet=rs0',
  REDIS_URL: 'redis://redis.example:6379',
  ENC_KEY_SECRET: SECRET,
  ENV_KEY_SALT: createHash('sha256').update('salt').digest('hex'),
};

function faultsOf(env: Environment, standalone = false): readonly string[] {
  try {
    loadSettings(env, { standalone });
  } catch (error) {
    if (error instanceof SettingsError) return error.lines;
    throw error;
  }
  return [];
}

describe('loadSettings', () => {
  it('refuses a cookie for plain http where the service is reached by https', () => {
    const env = { ...ENOUGH, SESSION_COOKIE_SECURE: 'false' };
    expect(faultsOf({ ...env, API_URL: 'https://weft.example.com' })).toEqual([
      'SESSION_COOKIE_SECURE: is off, but API_URL is https; leave it on',
    ]);
    expect(faultsOf({ ...env, API_URL: 'http://weft.internal' })).toEqual([]);
  });

  it('of the standalone app says of each setting who gave it, and that the secrets that it made are set', () => {
    const folder = mkdtempSync(join(tmpdir(), 'weft-config-'));
    const given = { SESSION_TTL_HOURS: '2' };
    const file = parseConfigFile('weft.yaml', 'logging:\n  level: warn\nmongodb:\n  uri: mongodb://db.example');
    const provided = { REDIS_URL: 'redis://127.0.0.1', SHUTDOWN_GRACE_SECONDS: '25', WEFT_DATA_DIR: folder };
    const env = { ...withConfigFile(given, file), ...provided };
    const report = reportSettings(loadSettings(env, { standalone: true, file, given }));
    const sources = Object.fromEntries(report.map(({ key, source, value }) => [key, [source, value]]));
    expect(sources).toMatchObject({
      'session.ttl_hours': ['environment', 2],
      'logging.level': ['file', 'warn'],
      'mongodb.uri': ['file', '[secret]'],
      'redis.url': ['default', '[secret]'],
      'server.shutdown_grace_seconds': ['default', 25],
      'secrets.enc_key_secret': ['default', '[secret]'],
      'secrets.env_key_salt': ['default', '[secret]'],
    });
    rmSync(folder, { recursive: true });
  });

  it('of the standalone app names the line of the file that is wrong', () => {
    const file = parseConfigFile('weft.yaml', 'logging:\n  level: loud');
    const env = { ...ENOUGH, ...withConfigFile({}, file) };
    const load = (): unknown => loadSettings(env, { standalone: true, file, given: {} });
    expect(load).toThrow(/^.*weft\.yaml:2 logging\.level: /s);
  });

  it('has the defaults of the contract when only the stores and the secrets are given', () => {
    const settings = loadSettings(ENOUGH, { standalone: false });
    expect(settings).toMatchObject({
      server: {
        host: '0.0.0.0',
        port: 3000,
        apiUrl: 'http://localhost:3000',
        trustProxy: [],
        shutdownGraceSeconds: 30,
        shutdownNoticeSeconds: 5,
      },
      mongodb: { db: 'weft' },
      logging: { level: 'info', maxSizeMb: 100, maxBackups: 10, maxAgeDays: 30, compress: true },
      session: { ttlHours: 1, maxHours: 24, cookieSecure: true, cookieHttpOnly: true, cookieSameSite: 'strict' },
      websocket: { pingPeriodSeconds: 15, readDeadlineSeconds: 30, writeDeadlineSeconds: 10 },
      queue: { prefix: 'weft', shards: 1 },
      worker: { slots: 200 },
      sandbox: { processes: 16 },
      run: { window: 0, backlogMax: 1_000_000 },
    });
  });

  it('reports every bad setting at once, each with its name', () => {
    const lines = faultsOf({
      SERVER_PORT: '70000',
      LOG_LEVEL: 'loud',
      SESSION_COOKIE_SECURE: 'maybe',
      ENC_KEY_SECRET: 'short',
      TRUST_PROXY: '10.0.0.0/33',
      WORKER_SLOTS: '1.5',
    });
    expect(lines.map((line) => line.slice(0, line.indexOf(':')))).toEqual([
      'SERVER_PORT',
      'TRUST_PROXY',
      'MONGODB_URI',
      'REDIS_URL',
      'ENC_KEY_SECRET',
      'ENV_KEY_SALT',
      'LOG_LEVEL',
      'SESSION_COOKIE_SECURE',
      'WORKER_SLOTS',
    ]);
  });

  it('never repeats a secret in a message', () => {
    const secrets = {
      ENC_KEY_SECRET: 'hunter2-is-not-hex',
      WEFT_ADMIN_PASSWORD: 'too-short',
      METRICS_TOKEN: 'tiny token',
      MONGODB_URI: 'db:swordfish@host',
      REDIS_URL: 'user:swordfish@host',
    };
    const text = faultsOf({ ...ENOUGH, ...secrets }).join('\n');
    for (const [name, value] of Object.entries(secrets)) {
      expect(text).toContain(name);
      expect(text).not.toContain(value);
    }
  });

  it('takes an empty text for not set', () => {
    expect(loadSettings({ ...ENOUGH, SERVER_PORT: '', LOG_LEVEL: ' ' }, { standalone: false })).toMatchObject({
      server: { port: 3000 },
      logging: { level: 'info' },
    });
  });

  it('refuses settings that contradict each other', () => {
    expect(
      faultsOf({
        ...ENOUGH,
        WEBSOCKET_PING_PERIOD_SECONDS: '40',
        SESSION_COOKIE_SAME_SITE: 'none',
        SESSION_COOKIE_SECURE: 'false',
        SESSION_TTL_HOURS: '48',
        MICROSOFT_CLIENT_ID: 'an-app',
      }).map((line) => line.split(':')[0]),
    ).toEqual([
      'WEBSOCKET_READ_DEADLINE_SECONDS',
      'MICROSOFT_CLIENT_SECRET',
      'SESSION_COOKIE_SAME_SITE',
      'SESSION_TTL_HOURS',
    ]);
  });

  it('knows Microsoft by the names of the contract', () => {
    const redirectUri = 'https://weft.example.com/auth/callback/';
    const { oauth2 } = loadSettings(
      {
        ...ENOUGH,
        MICROSOFT_CLIENT_ID: 'an-app',
        MICROSOFT_CLIENT_SECRET: 's3cret~',
        MICROSOFT_REDIRECT_URI: redirectUri,
        OAUTH2_AUTO_CREATE_USERS: 'true',
      },
      { standalone: false },
    );
    expect(oauth2).toEqual({
      clientId: 'an-app',
      clientSecret: 's3cret~',
      redirectUri,
      tenant: 'common',
      scopes: ['openid', 'profile', 'email'],
      autoCreateUsers: true,
      autoAssignCompany: null,
      autoAssignRole: 'none',
    });
  });

  it.each(['0'.repeat(64), 'deadbeef'.repeat(8), Buffer.from(Array.from({ length: 32 }, (_, i) => i)).toString('hex')])(
    'refuses a secret that nobody made by chance: %s',
    (weak) => {
      expect(faultsOf({ ...ENOUGH, ENC_KEY_SECRET: weak })).toEqual([expect.stringContaining('too regular')]);
      expect(faultsOf({ ...ENOUGH, ENV_KEY_SALT: weak })).toHaveLength(1);
    },
  );

  it('reads earlier secrets, also a weak one, so that it can be replaced', () => {
    const [a, b] = ['aB'.repeat(32), '01'.repeat(32)];
    const settings = loadSettings({ ...ENOUGH, ENC_KEY_SECRET_PREVIOUS: `${a}, ${b}` }, { standalone: false });
    expect(settings.secrets.encKeySecretPrevious).toEqual([a.toLowerCase(), b]);
    expect(faultsOf({ ...ENOUGH, ENC_KEY_SECRET_PREVIOUS: `${b},short` })).toHaveLength(1);
  });

  it('takes origins of pages, or all', () => {
    const origins = (CORS_ORIGINS: string) =>
      loadSettings({ ...ENOUGH, CORS_ORIGINS }, { standalone: false }).server.corsOrigins;
    expect(origins('https://App.example/, http://localhost:5173')).toEqual([
      'https://app.example',
      'http://localhost:5173',
    ]);
    expect(origins('*')).toEqual(['*']);
    for (const one of ['app.example', 'https://app.example/path', 'https://*.example', 'null', 'ftp://a.example'])
      expect(faultsOf({ ...ENOUGH, CORS_ORIGINS: one })).toEqual([
        expect.stringContaining(`CORS_ORIGINS: has "${one}"`),
      ]);
  });

  it('reads egress rules with and without a port, IPv6 with a port in brackets', () => {
    const { egress } = loadSettings(
      { ...ENOUGH, EGRESS_ALLOW: '10.0.0.0/8, 127.0.0.1/32:8080,[fd00::/8]:443,::1,[2001:db8::1]' },
      { standalone: false },
    );
    expect(egress.allow).toEqual([
      { cidr: '10.0.0.0/8', port: null },
      { cidr: '127.0.0.1/32', port: 8080 },
      { cidr: 'fd00::/8', port: 443 },
      { cidr: '::1/128', port: null },
      { cidr: '2001:db8::1/128', port: null },
    ]);
  });

  it.each(['10.0.0.0/8:0', '10.0.0.0/8:70000', 'example.com', '300.1.1.1', '[fd00::/8:443', '[10.0.0.0/64]:1'])(
    'refuses the egress rule %s',
    (rule) => expect(faultsOf({ ...ENOUGH, EGRESS_ALLOW: rule })).toHaveLength(1),
  );

  it.each([
    'mongodb+srv://weft:p%40ss@cluster.example.net/?retryWrites=true',
    'mongodb://a.example:27017,b.example:27018/weft?replicaSet=rs0',
    'mongodb://[::1]:27017',
  ])('takes the address %s', (uri) => expect(faultsOf({ ...ENOUGH, MONGODB_URI: uri })).toEqual([]));

  it.each(['mongodb://a:b:c@d:e', 'mongodb://', 'http://host', 'mongodb://host:port', 'mongodb://us er@host'])(
    'refuses the address %s',
    (uri) => expect(faultsOf({ ...ENOUGH, MONGODB_URI: uri })).toHaveLength(1),
  );

  it('cannot be changed once read', () => {
    const settings = loadSettings(ENOUGH, { standalone: false });
    expect(() => Object.assign(settings.server, { port: 1 })).toThrow(TypeError);
  });
});

describe('loadSettings of the standalone app', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'weft-settings-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const load = (more: Environment = {}) =>
    loadSettings(
      { ...ENOUGH, ENC_KEY_SECRET: '', ENV_KEY_SALT: '', WEFT_DATA_DIR: join(folder, 'data'), ...more },
      { standalone: true },
    );

  it('makes its secrets once, readable by their owner only', () => {
    const first = load().secrets;
    expect(first.encKeySecret).toMatch(/^[0-9a-f]{64}$/);
    expect(first.envKeySalt).not.toBe(first.encKeySecret);
    expect(load().secrets).toEqual(first);
    expect(statSync(join(folder, 'data', 'secrets.json')).mode & 0o777).toBe(0o600);
  });

  it('lets the environment have the last word on each secret', () => {
    const made = load().secrets;
    expect(load({ ENC_KEY_SECRET: SECRET }).secrets).toEqual({ ...made, encKeySecret: SECRET });
  });

  it('refuses a damaged file instead of making other secrets', () => {
    load();
    const path = join(folder, 'data', 'secrets.json');
    writeFileSync(path, '{"encKeySecret":"00"}');
    expect(() => load()).toThrow(SettingsError);
    expect(readFileSync(path, 'utf8')).toBe('{"encKeySecret":"00"}');
  });

  it('makes nothing when another setting is wrong', () => {
    expect(() => load({ SERVER_PORT: 'x' })).toThrow(SettingsError);
    expect(() => statSync(join(folder, 'data'))).toThrow('ENOENT');
  });

  it('listens on loopback and lets the cookie go over http there, and only there', () => {
    expect(load()).toMatchObject({ server: { host: '127.0.0.1' }, session: { cookieSecure: false } });
    expect(load({ SERVER_HOST: '0.0.0.0' }).session.cookieSecure).toBe(true);
    expect(load({ API_URL: 'https://weft.example.com' }).session.cookieSecure).toBe(true);
    expect(load({ SESSION_COOKIE_SECURE: 'true' }).session.cookieSecure).toBe(true);
  });
});

describe('CATALOG', () => {
  it('gives every setting an environment name of its own and a sentence', () => {
    const entries = Object.values(CATALOG);
    expect(new Set(entries.map((entry) => entry.env)).size).toBe(entries.length);
    for (const { says } of entries) expect(says).toMatch(/^[A-Z].*\.$/);
  });
});
