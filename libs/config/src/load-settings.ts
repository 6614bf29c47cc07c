import { SPECIFIED_DEFAULTS } from '@weft/retention';
import { isIP } from 'node:net';
import { resolve } from 'node:path';

import { CATALOG, type SettingKey, type SettingValue } from './catalog.js';
import type { SettingEntry } from './setting-entry.js';
import { readConfigFile, type ConfigFile } from './config-file.js';
import { SettingFault } from './parse.js';
import { rememberReport, type SettingSource } from './report-settings.js';
import { SettingsError } from './settings-error.js';
import type { Environment, Settings } from './settings.js';
import { standaloneSecrets } from './standalone-secrets.js';

export interface LoadOptions {
  /** The one-machine app: listens on loopback, makes its own secrets, and needs no https there. */
  readonly standalone: boolean;
  /** What holds where the environment says nothing. */
  readonly file?: ConfigFile | null;
}

/**
 * Reads and checks all settings: of the environment, else of the file. An empty text counts as not set.
 * @throws SettingsError with every bad setting at once
 */
export function loadSettings(env: Environment, options: LoadOptions): Settings {
  const file = options.file ?? null;
  const faults: string[] = [...(file?.faults ?? [])];
  const effective = new Map<SettingKey, unknown>();
  const keep = <T>(key: SettingKey, value: T): T => {
    effective.set(key, value);
    return value;
  };
  const told = (key: SettingKey): string => env[CATALOG[key].env]?.trim() ?? '';
  const inFile = (key: SettingKey): string => file?.values.get(key) ?? '';
  const given = (key: SettingKey): string => told(key) || inFile(key);
  const source = (key: SettingKey): SettingSource =>
    inFile(key) !== '' && given(key) === inFile(key) ? 'file' : told(key) === '' ? 'default' : 'environment';
  const read = <K extends SettingKey>(key: K): SettingValue<K> => {
    const name = source(key) === 'file' ? `${file?.path} ${key}` : CATALOG[key].env;
    return keep(
      key,
      readOne(key, given(key), (fault) => faults.push(`${name}: ${fault}`)),
    );
  };
  const or = <K extends SettingKey>(key: K, otherwise: SettingValue<K>): SettingValue<K> =>
    given(key) === '' ? keep(key, otherwise) : read(key);

  const host = or('server.host', options.standalone ? '127.0.0.1' : '0.0.0.0');
  const port = read('server.port');
  const apiUrl = or('server.api_url', `http://localhost:${port}`);
  const plainLoopback = options.standalone && isLoopback(host) && apiUrl.startsWith('http://');
  const dataDir = resolve(read('storage.data_dir'));
  const madeHere = options.standalone ? '' : undefined;

  const draft: Settings = {
    server: {
      host,
      port,
      apiUrl,
      trustProxy: read('server.trust_proxy'),
      shutdownGraceSeconds: read('server.shutdown_grace_seconds'),
      metricsToken: read('server.metrics_token'),
    },
    mongodb: { uri: read('mongodb.uri'), db: read('mongodb.db') },
    redis: { url: read('redis.url') },
    dataDir,
    admin: { email: read('admin.email'), password: read('admin.password') },
    secrets: {
      encKeySecret: madeHere === undefined ? read('secrets.enc_key_secret') : or('secrets.enc_key_secret', madeHere),
      encKeySecretPrevious: read('secrets.enc_key_secret_previous'),
      envKeySalt: madeHere === undefined ? read('secrets.env_key_salt') : or('secrets.env_key_salt', madeHere),
    },
    oauth2: {
      clientId: read('oauth2.client_id'),
      clientSecret: read('oauth2.client_secret'),
      redirectUri: read('oauth2.redirect_uri'),
      tenant: read('oauth2.tenant'),
      scopes: read('oauth2.scopes'),
      autoCreateUsers: read('oauth2.auto_create_users'),
      autoAssignCompany: read('oauth2.auto_assign_company'),
      autoAssignRole: read('oauth2.auto_assign_role'),
    },
    egress: { allow: read('egress.allow') },
    ai: { prices: read('ai.prices') },
    logging: {
      level: read('logging.level'),
      maxSizeMb: read('logging.max_size_mb'),
      maxBackups: read('logging.max_backups'),
      maxAgeDays: read('logging.max_age_days'),
      compress: read('logging.compress'),
    },
    session: {
      ttlHours: read('session.ttl_hours'),
      maxHours: read('session.max_hours'),
      cookieSecure: or('session.cookie_secure', !plainLoopback),
      cookieHttpOnly: read('session.cookie_http_only'),
      cookieSameSite: read('session.cookie_same_site'),
      cookieDomain: read('session.cookie_domain'),
      cookiePath: read('session.cookie_path'),
    },
    websocket: {
      pingPeriodSeconds: read('websocket.ping_period_seconds'),
      readDeadlineSeconds: read('websocket.read_deadline_seconds'),
      writeDeadlineSeconds: read('websocket.write_deadline_seconds'),
    },
    retention: {
      cleanupInterval: read('retention.cleanup_interval'),
      defaults: {
        ...SPECIFIED_DEFAULTS,
        audit: {
          cadence: read('retention.audit_cadence'),
          minEntries: read('retention.audit_min_entries'),
          enforcedMinimum: read('retention.audit_enforced_minimum'),
        },
        'flows.all': {
          ...SPECIFIED_DEFAULTS['flows.all'],
          cadence: read('retention.flows_all_cadence'),
          minEntries: read('retention.flows_all_min_entries'),
        },
        'flows.filtered': {
          cadence: read('retention.flows_filtered_cadence'),
          minEntries: read('retention.flows_filtered_min_entries'),
          enforcedMinimum: read('retention.flows_filtered_enforced_minimum'),
        },
      },
    },
    queue: { prefix: read('queue.prefix'), shards: read('queue.shards') },
    cache: { maxSizeMb: read('cache.max_size_mb') },
    worker: { slots: read('worker.slots') },
    run: { window: read('run.window'), backlogMax: read('run.backlog_max') },
    loadedAt: new Date(),
  };
  faults.push(...contradictions(draft));
  if (faults.length > 0) throw new SettingsError(faults);
  const settings = deepFreeze(options.standalone ? { ...draft, secrets: completeSecrets(draft) } : draft);
  rememberReport(settings, effective, source);
  return settings;
}

/** The settings of this process, of its environment and its settings file: the one place that reads `process.env`. */
export function processSettings(options: Pick<LoadOptions, 'standalone'>): Settings {
  return loadSettings(process.env, { ...options, file: readConfigFile(process.env) });
}

function readOne<K extends SettingKey>(key: K, text: string, onFault: (fault: string) => void): SettingValue<K> {
  const entry = CATALOG[key] as SettingEntry<SettingValue<K>>;
  try {
    if (text !== '') return entry.parse(text);
    if (isRequired(entry.otherwise)) throw new SettingFault(`is not set; write ${entry.otherwise.required}`);
    return entry.otherwise as SettingValue<K>;
  } catch (error) {
    if (!(error instanceof SettingFault)) throw error;
    const shown = entry.secret ? error.message.replaceAll(text || '\u0000', '…') : error.message;
    onFault(shown);
    return (isRequired(entry.otherwise) ? '' : entry.otherwise) as SettingValue<K>; // only to go on and find the other faults
  }
}

function contradictions(settings: Settings): string[] {
  const { server, session, websocket, oauth2 } = settings;
  const found: string[] = [];
  if (websocket.readDeadlineSeconds <= websocket.pingPeriodSeconds) {
    found.push(
      `${CATALOG['websocket.read_deadline_seconds'].env}: is not above the ping period; write more than ${websocket.pingPeriodSeconds}`,
    );
  }
  if ((oauth2.clientId === null) !== (oauth2.clientSecret === null)) {
    found.push(
      `${CATALOG['oauth2.client_secret'].env}: goes with ${CATALOG['oauth2.client_id'].env}; set both or neither`,
    );
  }
  if (session.cookieSameSite === 'none' && !session.cookieSecure) {
    found.push(
      `${CATALOG['session.cookie_same_site'].env}: none needs a secure cookie; write strict, or turn secure on`,
    );
  }
  if (!session.cookieSecure && server.apiUrl.startsWith('https:')) {
    found.push(`${CATALOG['session.cookie_secure'].env}: is off, but API_URL is https; leave it on`);
  }
  if (session.maxHours > 0 && session.ttlHours > session.maxHours) {
    found.push(`${CATALOG['session.ttl_hours'].env}: is above the longest session; write at most ${session.maxHours}`);
  }
  return found;
}

function completeSecrets({ secrets, dataDir }: Settings): Settings['secrets'] {
  if (secrets.encKeySecret && secrets.envKeySalt) return secrets;
  const made = standaloneSecrets(dataDir);
  return {
    ...secrets,
    encKeySecret: secrets.encKeySecret || made.encKeySecret,
    envKeySalt: secrets.envKeySalt || made.envKeySalt,
  };
}

function isRequired(otherwise: unknown): otherwise is { required: string } {
  return typeof otherwise === 'object' && otherwise !== null && 'required' in otherwise;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part);
  return Object.freeze(value);
}
