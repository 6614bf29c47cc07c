import { SPECIFIED_DEFAULTS } from '@weft/retention';
import { isIP } from 'node:net';
import { resolve } from 'node:path';

import type { SettingKey, SettingValue } from './catalog.js';
import { readConfigFile, type ConfigFile } from './config-file.js';
import { readCertificates } from './certificate-file.js';
import { contradictions } from './contradictions.js';
import { rememberReport } from './report-settings.js';
import { SettingReader } from './setting-reader.js';
import { SettingsError } from './settings-error.js';
import type { Environment, Settings } from './settings.js';
import { standaloneSecrets } from './standalone-secrets.js';

export interface LoadOptions {
  /** The standalone app: listens on loopback, generates its own secrets, and needs no https there. */
  readonly standalone: boolean;
  /** Values of settings that the environment does not set. */
  readonly file?: ConfigFile | null;
  /** The environment without the values that this process adds itself: it determines the sources of settings. */
  readonly given?: Environment;
}

/**
 * Reads and checks all settings, from the environment, otherwise from the file. An empty text counts as not set.
 * @throws SettingsError with every bad setting at once
 */
export function loadSettings(env: Environment, options: LoadOptions): Settings {
  const reader = new SettingReader(env, options.file ?? null, options.given);
  const read = <K extends SettingKey>(key: K): SettingValue<K> => reader.read(key);
  const or = <K extends SettingKey>(key: K, otherwise: SettingValue<K>): SettingValue<K> => reader.or(key, otherwise);

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
      corsOrigins: read('server.cors_origins'),
      shutdownGraceSeconds: read('server.shutdown_grace_seconds'),
      shutdownNoticeSeconds: read('server.shutdown_notice_seconds'),
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
    egress: {
      allow: read('egress.allow'),
      deny: read('egress.deny'),
      refuseOwnNetworks: read('egress.refuse_own_networks'),
      proxy: proxyOf(read('egress.proxy'), read('egress.proxy_target')),
      ca: pemOf(read('egress.ca')),
    },
    backup: { passphrase: read('backup.passphrase') },
    ai: { prices: read('ai.prices') },
    logging: {
      level: read('logging.level'),
      maxSizeMb: read('logging.max_size_mb'),
      maxBackups: read('logging.max_backups'),
      maxAgeDays: read('logging.max_age_days'),
      compress: read('logging.compress'),
    },
    tracing: {
      endpoint: read('tracing.endpoint') || null,
      headers: read('tracing.headers'),
      sampleRatio: read('tracing.sample_ratio'),
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
    worker: { slots: read('worker.slots'), label: read('worker.label') },
    sandbox: { processes: read('sandbox.processes') },
    run: { window: read('run.window'), backlogMax: read('run.backlog_max') },
    triggers: { rate: read('triggers.rate'), companyRate: read('triggers.company_rate') },
    loadedAt: new Date(),
  };
  const faults = [...reader.faults, ...contradictions(draft)];
  if (faults.length > 0) throw new SettingsError(faults);
  const settings = deepFreeze(options.standalone ? { ...draft, secrets: completeSecrets(draft) } : draft);
  const { encKeySecret, envKeySalt } = settings.secrets;
  const effective = new Map<SettingKey, unknown>([
    ...reader.effective,
    ['secrets.enc_key_secret', encKeySecret],
    ['secrets.env_key_salt', envKeySalt],
  ]);
  rememberReport(settings, effective, reader.sourceOf);
  return settings;
}

/** The settings of this process, of its environment and its settings file: the one place that reads `process.env`. */
export function processSettings(options: Pick<LoadOptions, 'standalone'>): Settings {
  return loadSettings(process.env, { ...options, file: readConfigFile(process.env) });
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

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part);
  return Object.freeze(value);
}

function proxyOf(url: string | null, target: 'address' | 'name'): Settings['egress']['proxy'] {
  return url === null ? null : { url, target };
}

function pemOf(path: string | null): string | null {
  return path === null ? null : readCertificates(path);
}
