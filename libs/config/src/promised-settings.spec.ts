import { describe, expect, it } from 'vitest';
import { CATALOG, type SettingKey } from './catalog.js';
import { parseConfigFile } from './config-file.js';
import type { SettingEntry } from './setting-entry.js';

/** No default is promised. */
const NONE = Symbol('none');

/** The promised settings, docs/operator-contract.md §3: section and key, environment name (null: none is promised), default. */
const PROMISED: readonly (readonly [key: string, env: string | null, otherwise: unknown])[] = [
  ['session.ttl_hours', 'SESSION_TTL_HOURS', 1],
  ['session.cookie_secure', 'SESSION_COOKIE_SECURE', true],
  ['session.cookie_http_only', 'SESSION_COOKIE_HTTP_ONLY', true],
  ['session.cookie_same_site', 'SESSION_COOKIE_SAME_SITE', 'strict'],
  ['session.cookie_domain', null, ''],
  ['session.cookie_path', null, '/'],
  ['oauth2.client_id', 'MICROSOFT_CLIENT_ID', NONE],
  ['oauth2.client_secret', 'MICROSOFT_CLIENT_SECRET', NONE],
  ['oauth2.redirect_uri', 'MICROSOFT_REDIRECT_URI', NONE],
  ['oauth2.scopes', null, ['openid', 'profile', 'email']],
  ['oauth2.auto_create_users', 'OAUTH2_AUTO_CREATE_USERS', NONE],
  ['oauth2.auto_assign_company', null, NONE],
  ['websocket.ping_period_seconds', null, 15],
  ['websocket.read_deadline_seconds', null, 30],
  ['websocket.write_deadline_seconds', null, 10],
  ['logging.level', 'LOG_LEVEL', NONE],
  ['logging.max_size_mb', null, 100],
  ['logging.max_backups', null, 10],
  ['logging.max_age_days', null, 30],
  ['logging.compress', null, true],
  ['retention.cleanup_interval', 'RETENTION_CLEANUP_INTERVAL', '2m'],
  ['retention.audit_cadence', 'RETENTION_AUDIT_CADENCE', '30d'],
  ['retention.audit_min_entries', 'RETENTION_AUDIT_MIN_ENTRIES', 10],
  ['retention.audit_enforced_minimum', 'RETENTION_AUDIT_ENFORCED_MINIMUM', '14d'],
  ['retention.flows_all_cadence', 'RETENTION_FLOWS_ALL_CADENCE', '90d'],
  ['retention.flows_all_min_entries', 'RETENTION_FLOWS_ALL_MIN_ENTRIES', 100],
  ['retention.flows_filtered_cadence', 'RETENTION_FLOWS_FILTERED_CADENCE', '30d'],
  ['retention.flows_filtered_min_entries', 'RETENTION_FLOWS_FILTERED_MIN_ENTRIES', 10],
  ['retention.flows_filtered_enforced_minimum', 'RETENTION_FLOWS_FILTERED_ENFORCED_MINIMUM', '3d'],
  ['server.port', 'SERVER_PORT', NONE],
  ['mongodb.uri', 'MONGODB_URI', NONE],
  ['mongodb.db', 'MONGODB_DB', NONE],
  ['server.api_url', 'API_URL', NONE],
  ['secrets.env_key_salt', 'ENV_KEY_SALT', NONE],
  ['secrets.enc_key_secret', 'ENC_KEY_SECRET', NONE],
  ['cache.max_size_mb', 'CACHE_MAX_SIZE_MB', NONE],
];

describe('the settings of the contract', () => {
  it.each(PROMISED)('%s is one of the catalogue, with its name and default', (key, env, otherwise) => {
    const entry: SettingEntry<unknown> | undefined = CATALOG[key as SettingKey];
    expect(entry?.env).toBe(env ?? entry?.env);
    expect(entry).toBeDefined();
    if (otherwise !== NONE) expect(entry.otherwise).toEqual(otherwise);
  });

  it('are read from a settings file under their keys', () => {
    const sections = new Map<string, string[]>();
    for (const [key] of PROMISED) {
      const [section = '', name] = key.split('.');
      sections.set(section, [...(sections.get(section) ?? []), `  ${name}: x`]);
    }
    const text = [...sections].map(([section, lines]) => `${section}:\n${lines.join('\n')}`).join('\n');
    const { values, faults } = parseConfigFile('weft.yaml', text);
    expect(faults).toEqual([]);
    expect([...values.keys()].sort()).toEqual(PROMISED.map(([key]) => key).sort());
  });
});
