import { describe, expect, it } from 'vitest';
import { CATALOG, type SettingKey } from './catalog.js';
import { parseConfigFile } from './config-file.js';
import type { SettingEntry } from './setting-entry.js';

/** No default is specified. */
const NONE = Symbol('none');

/** As the specification writes them: section and key, environment name (null: it gives none), default. */
const SPECIFIED: readonly (readonly [place: string, key: string, env: string | null, otherwise: unknown])[] = [
  ['§5.1', 'session.ttl_hours', 'SESSION_TTL_HOURS', 1],
  ['§5.1', 'session.cookie_secure', 'SESSION_COOKIE_SECURE', true],
  ['§5.1', 'session.cookie_http_only', 'SESSION_COOKIE_HTTP_ONLY', true],
  ['§5.1', 'session.cookie_same_site', 'SESSION_COOKIE_SAME_SITE', 'strict'],
  ['§5.1', 'session.cookie_domain', null, ''],
  ['§5.1', 'session.cookie_path', null, '/'],
  ['§5.3', 'oauth2.client_id', 'MICROSOFT_CLIENT_ID', NONE],
  ['§5.3', 'oauth2.client_secret', 'MICROSOFT_CLIENT_SECRET', NONE],
  ['§5.3', 'oauth2.redirect_uri', 'MICROSOFT_REDIRECT_URI', NONE],
  ['§5.3', 'oauth2.scopes', null, ['openid', 'profile', 'email']],
  ['§5.3', 'oauth2.auto_create_users', 'OAUTH2_AUTO_CREATE_USERS', NONE],
  ['§5.3', 'oauth2.auto_assign_company', null, NONE],
  ['§6.1', 'websocket.ping_period_seconds', null, 15],
  ['§6.1', 'websocket.read_deadline_seconds', null, 30],
  ['§6.1', 'websocket.write_deadline_seconds', null, 10],
  ['§6.4', 'logging.level', 'LOG_LEVEL', NONE],
  ['§6.4', 'logging.max_size_mb', null, 100],
  ['§6.4', 'logging.max_backups', null, 10],
  ['§6.4', 'logging.max_age_days', null, 30],
  ['§6.4', 'logging.compress', null, true],
  ['§6.5', 'retention.cleanup_interval', 'RETENTION_CLEANUP_INTERVAL', '2m'],
  ['§8', 'retention.audit_cadence', 'RETENTION_AUDIT_CADENCE', '30d'],
  ['§8', 'retention.audit_min_entries', 'RETENTION_AUDIT_MIN_ENTRIES', 10],
  ['§8', 'retention.audit_enforced_minimum', 'RETENTION_AUDIT_ENFORCED_MINIMUM', '14d'],
  ['§8', 'retention.flows_all_cadence', 'RETENTION_FLOWS_ALL_CADENCE', '90d'],
  ['§8', 'retention.flows_all_min_entries', 'RETENTION_FLOWS_ALL_MIN_ENTRIES', 100],
  ['§8', 'retention.flows_filtered_cadence', 'RETENTION_FLOWS_FILTERED_CADENCE', '30d'],
  ['§8', 'retention.flows_filtered_min_entries', 'RETENTION_FLOWS_FILTERED_MIN_ENTRIES', 10],
  ['§8', 'retention.flows_filtered_enforced_minimum', 'RETENTION_FLOWS_FILTERED_ENFORCED_MINIMUM', '3d'],
  ['§8', 'server.port', 'SERVER_PORT', NONE],
  ['§8', 'mongodb.uri', 'MONGODB_URI', NONE],
  ['§8', 'mongodb.db', 'MONGODB_DB', NONE],
  ['§8', 'server.api_url', 'API_URL', NONE],
  ['§8', 'secrets.env_key_salt', 'ENV_KEY_SALT', NONE],
  ['§8', 'secrets.enc_key_secret', 'ENC_KEY_SECRET', NONE],
  ['§8', 'cache.max_size_mb', 'CACHE_MAX_SIZE_MB', NONE],
];

describe('the settings of the specification', () => {
  it.each(SPECIFIED)('%s %s is one of the catalogue, with its name and default', (_place, key, env, otherwise) => {
    const entry: SettingEntry<unknown> | undefined = CATALOG[key as SettingKey];
    expect(entry?.env).toBe(env ?? entry?.env);
    expect(entry).toBeDefined();
    if (otherwise !== NONE) expect(entry.otherwise).toEqual(otherwise);
  });

  it('are read from a settings file under their keys', () => {
    const sections = new Map<string, string[]>();
    for (const [, key] of SPECIFIED) {
      const [section = '', name] = key.split('.');
      sections.set(section, [...(sections.get(section) ?? []), `  ${name}: x`]);
    }
    const text = [...sections].map(([section, lines]) => `${section}:\n${lines.join('\n')}`).join('\n');
    const { values, faults } = parseConfigFile('weft.yaml', text);
    expect(faults).toEqual([]);
    expect([...values.keys()].sort()).toEqual(SPECIFIED.map(([, key]) => key).sort());
  });
});
