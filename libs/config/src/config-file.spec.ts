import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { parseConfigFile, readConfigFile, withConfigFile } from './config-file.js';
import { loadSettings } from './load-settings.js';
import { reportSettings } from './report-settings.js';
import { SettingsError } from './settings-error.js';

const STORES = { MONGODB_URI: 'mongodb://db.example/?replicaSet=rs0', REDIS_URL: 'redis://redis.example' };
const SECRETS = Object.fromEntries(
  ['ENC_KEY_SECRET', 'ENV_KEY_SALT'].map((name) => [name, createHash('sha256').update(name).digest('hex')]),
);
const ENOUGH = { ...STORES, ...SECRETS };

const FILE = `
# how long people stay signed in
session:
  ttl_hours: 2
  cookie_same_site: lax
oauth2:
  scopes: [openid, email]
  client_id:
logging: { level: debug, compress: no }
`;

describe('a settings file', () => {
  it('gives what the environment does not say, and the report tells who said it', () => {
    const file = parseConfigFile('weft.yaml', FILE);
    const settings = loadSettings({ ...ENOUGH, LOG_LEVEL: 'warn' }, { standalone: false, file });
    expect(settings).toMatchObject({
      session: { ttlHours: 2, cookieSameSite: 'lax', cookieSecure: true },
      oauth2: { scopes: ['openid', 'email'], clientId: null },
      logging: { level: 'warn', compress: false },
    });
    const sources = new Map(reportSettings(settings).map(({ key, source }) => [key, source]));
    expect(
      ['session.ttl_hours', 'logging.level', 'session.cookie_path'].map((key) => sources.get(key as never)),
    ).toEqual(['file', 'environment', 'default']);
  });

  it('keeps a text as it is written: a secret of digits is no number', () => {
    const secret = BigInt(`0x${createHash('sha256').update('digits').digest('hex')}`)
      .toString()
      .slice(0, 64);
    const text = `secrets:\n  enc_key_secret: ${secret}\nserver: { metrics_token: 0012345678901234567890 }`;
    const settings = loadSettings(
      { ...STORES, ...SECRETS, ENC_KEY_SECRET: '' },
      {
        standalone: false,
        file: parseConfigFile('weft.yaml', text),
      },
    );
    expect(settings.secrets.encKeySecret).toBe(secret);
    expect(settings.server.metricsToken).toBe('0012345678901234567890');
  });

  it('is refused with every fault at once, each with its line or key', () => {
    const text = 'session:\n  ttl_hour: 2\n  cookie_path: {a: 1}\nserver:\n  port: 70000\nworker: 5\n';
    const load = () => loadSettings(ENOUGH, { standalone: false, file: parseConfigFile('/etc/weft.yaml', text) });
    expect(load).toThrow(SettingsError);
    expect(faultsOf(load)).toEqual([
      '/etc/weft.yaml:2 session.ttl_hour: is no setting; "session" has ttl_hours, max_hours, cookie_secure, cookie_http_only, cookie_same_site, cookie_domain, cookie_path',
      '/etc/weft.yaml:3 session.cookie_path: write one value, or a list of values',
      '/etc/weft.yaml:6 worker: write sections with keys, like "session:" and below it, indented, "ttl_hours: 2"',
      '/etc/weft.yaml:5 server.port: is "70000"; write a whole number from 0 to 65535',
    ]);
  });

  it.each([
    ['a: [1', /^weft\.yaml:1 is no YAML that can be read: /],
    ['session:\n\tttl_hours: 1', /^weft\.yaml:2 is no YAML that can be read: Tabs/],
    ['session:\n  ttl_hours: 1\n  ttl_hours: 2', /^weft\.yaml:3 .*unique/],
    ['session:\n---\nserver:', /^weft\.yaml:2 is no YAML that can be read: a second document begins; write one$/],
    ['- session', /^weft\.yaml:1 write sections/],
  ])('that is no such YAML is refused: %j', (text, expected) => {
    expect(parseConfigFile('weft.yaml', text).faults.join('\n')).toMatch(expected);
  });

  it.each([
    ['sesion: { ttl_hours: 1 }', 'sesion.ttl_hours: is no setting; write session.ttl_hours'],
    ['cache: { size: 1 }', 'cache.size: is no setting; "cache" has max_size_mb'],
    ['log: { size: 1 }', /^weft\.yaml:1 log\.size: is no setting; the sections are server, .*, logging, /],
    ['LOG_LEVEL: debug', 'LOG_LEVEL: is a name for the environment; write logging: { level: … }'],
  ])('that says %j is told what it may have meant', (text, expected) => {
    const [fault] = parseConfigFile('weft.yaml', text).faults;
    if (typeof expected === 'string') expect(fault).toBe(`weft.yaml:1 ${expected}`);
    else expect(fault).toMatch(expected);
  });

  it('that says nothing changes nothing', () => {
    for (const text of ['', '# nothing yet', 'session:', 'session: ~']) {
      expect(parseConfigFile('weft.yaml', text)).toEqual({
        path: 'weft.yaml',
        values: new Map(),
        lines: new Map(),
        faults: [],
      });
    }
  });

  it('never shows a secret that is wrong', () => {
    const file = parseConfigFile('weft.yaml', 'server:\n  metrics_token: tiny token');
    expect(faultsOf(() => loadSettings(ENOUGH, { standalone: false, file }))).toEqual([
      'weft.yaml:2 server.metrics_token: is "…"; write something like 16 or more visible characters',
    ]);
  });
});

describe('readConfigFile', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'weft-config-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  it('reads the file that WEFT_CONFIG names', () => {
    const path = join(folder, 'installation.yaml');
    writeFileSync(path, FILE);
    expect(readConfigFile({ WEFT_CONFIG: path })?.values.get('session.ttl_hours')).toBe('2');
  });

  it('is a fault when there is none where WEFT_CONFIG says', () => {
    const path = join(folder, 'missing.yaml');
    expect(readConfigFile({ WEFT_CONFIG: path })?.faults).toEqual([
      `WEFT_CONFIG: ${path} cannot be read (ENOENT); write the path of a YAML file`,
    ]);
  });

  it('is a fault when it cannot be read, with what to do', () => {
    expect(readConfigFile({ WEFT_CONFIG: folder })?.faults).toEqual([
      `WEFT_CONFIG: ${folder} cannot be read (EISDIR); it is a folder: write the path of a YAML file in it`,
    ]);
  });
});

describe('withConfigFile', () => {
  it('writes what the file says under the names of the environment, which itself goes first', () => {
    const file = parseConfigFile('weft.yaml', 'mongodb: { uri: mongodb://a }\nredis: { url: redis://b }');
    expect(withConfigFile({ MONGODB_URI: 'mongodb://c', REDIS_URL: ' ', PATH: '/bin' }, file)).toEqual({
      MONGODB_URI: 'mongodb://c',
      REDIS_URL: 'redis://b',
      PATH: '/bin',
    });
  });
});

function faultsOf(load: () => unknown): readonly string[] {
  try {
    load();
  } catch (error) {
    if (error instanceof SettingsError) return error.lines;
    throw error;
  }
  return [];
}
