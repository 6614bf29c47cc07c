import { ROLES } from '@weft/access';
import { BACKUP } from './backup-settings.js';
import { EGRESS } from './egress-settings.js';
import {
  aiPrices,
  baseUrl,
  cidrs,
  exactUrl,
  flag,
  hiddenHeaders,
  hiddenHex,
  hiddenHexList,
  names,
  oneOf,
  origins,
  password,
  positiveNumber,
  ratio,
  wholeNumber,
  words,
} from './parse.js';
import { RETENTION_DEFAULTS } from './retention-defaults.js';
import { changeable, operatorsOnly, secret, setting, type SettingEntry } from './setting-entry.js';
import { mongodbUri, redisUri } from './store-uri.js';
import { TRIGGERS } from './trigger-settings.js';
import { WORKER } from './worker-settings.js';

/** Every setting once, by the key of its section (the promised ones are in docs/operator-contract.md §3). */
export const CATALOG = {
  'server.host': setting('SERVER_HOST', 'Address to listen on.', words(/^[\w.:-]+$/, '0.0.0.0'), '0.0.0.0'),
  'server.port': setting('SERVER_PORT', 'Port to listen on; 0 takes any free one.', wholeNumber(0, 65_535), 3000),
  'server.api_url': setting(
    'API_URL',
    'Public base address of links and callbacks; empty: http://localhost and the port.',
    baseUrl,
    '',
  ),
  'server.trust_proxy': operatorsOnly(
    setting('TRUST_PROXY', 'CIDRs of proxies whose X-Forwarded-For is trusted.', cidrs, []),
  ),
  'server.cors_origins': operatorsOnly(
    setting(
      'CORS_ORIGINS',
      'Origins whose pages may call the API with API keys, like https://app.example.com; * for all. Sessions never cross origins.',
      origins,
      [],
    ),
  ),
  'server.shutdown_grace_seconds': setting(
    'SHUTDOWN_GRACE_SECONDS',
    'Seconds from SIGTERM to the end of the process, in which it finishes or hands back its work.',
    wholeNumber(1, 3_600),
    30,
  ),
  'server.shutdown_notice_seconds': setting(
    'SHUTDOWN_NOTICE_SECONDS',
    'Seconds of that time in which a stopping API or realtime process still serves, so that load balancers notice that it is not ready.',
    wholeNumber(0, 600),
    5,
  ),
  'server.metrics_token': secret(
    'METRICS_TOKEN',
    'Bearer token for /metrics and the details of /health. Requests without it must come from this machine and not through a proxy.',
    words(/^[\x21-\x7e]{16,}$/, '16 or more visible characters'),
    null,
  ),
  'mongodb.uri': secret(
    'MONGODB_URI',
    'Address of MongoDB, which must be a replica set. With TLS: tls=true, tlsCAFile and tlsCertificateKeyFile after the question mark (docs/deploy/mongodb.md).',
    mongodbUri,
    { required: 'mongodb://localhost:27017/?replicaSet=rs0' },
  ),
  'mongodb.db': operatorsOnly(setting('MONGODB_DB', 'Name of the database.', words(/^[\w-]{1,63}$/, 'weft'), 'weft')),
  'redis.url': secret(
    'REDIS_URL',
    'Address of Redis or Valkey, of the Sentinels that know its primary (redis+sentinel://one:26379,two:26379/name), or of a cluster (redis+cluster://one:6379,two:6379). It must run with noeviction and should run with AOF. With TLS: rediss://, tlsCAFile and tlsCertificateKeyFile after the question mark (docs/deploy/redis.md).',
    redisUri,
    { required: 'redis://localhost:6379' },
  ),
  'storage.data_dir': operatorsOnly(
    setting('WEFT_DATA_DIR', 'Folder for logs; standalone also for secrets and databases.', (t) => t, '.weft'),
  ),
  'admin.email': operatorsOnly(
    setting(
      'WEFT_ADMIN_EMAIL',
      'E-mail address of the first admin, used when the database is empty; default admin@weft.local.',
      words(/^[^\s@]+@[^\s@]+$/, 'you@example.com'),
      null,
    ),
  ),
  'admin.password': secret(
    'WEFT_ADMIN_PASSWORD',
    'Password of the first admin, 12 characters to 72 bytes; an API needs it when the database is empty.',
    password,
    null,
  ),
  'secrets.enc_key_secret': secret(
    'ENC_KEY_SECRET',
    'Secret from which keys are derived, 32 bytes in hex.',
    hiddenHex(32),
    {
      required: 'the output of "openssl rand -hex 32", the same for every process',
    },
  ),
  'secrets.enc_key_secret_previous': secret(
    'ENC_KEY_SECRET_PREVIOUS',
    'Earlier values of ENC_KEY_SECRET, newest first, separated by commas: what they sealed stays readable during a rotation.',
    hiddenHexList(32),
    [],
  ),
  'secrets.env_key_salt': secret('ENV_KEY_SALT', 'Salt from which keys are derived, 32 bytes in hex.', hiddenHex(32), {
    required: 'the output of "openssl rand -hex 32", the same for every process',
  }),
  ...EGRESS,
  ...BACKUP,
  'ai.prices': setting(
    'AI_PRICES',
    'Dollars per million input:output tokens by type of link and model, e.g. openai/gpt-4o-mini=0.15:0.60, openai/*=1:3.',
    aiPrices,
    [],
  ),
  'oauth2.client_id': setting(
    'MICROSOFT_CLIENT_ID',
    'Client id of this installation at Microsoft; if set, users can sign in with Microsoft.',
    words(/^[\x21-\x7e]{1,200}$/, 'the application (client) id'),
    null,
  ),
  'oauth2.client_secret': secret(
    'MICROSOFT_CLIENT_SECRET',
    'Client secret of this installation at Microsoft.',
    words(/^[\x21-\x7e]{1,1000}$/, 'the value of a client secret'),
    null,
  ),
  'oauth2.redirect_uri': setting(
    'MICROSOFT_REDIRECT_URI',
    'Callback address that is registered at Microsoft; empty: API_URL followed by /auth/callback.',
    exactUrl,
    null,
  ),
  'oauth2.tenant': setting(
    'MICROSOFT_TENANT_ID',
    'Id of the directory whose users may sign in; common: users of all directories.',
    words(/^[\w.-]{1,100}$/, 'the directory (tenant) id'),
    'common',
  ),
  'oauth2.scopes': setting('OAUTH2_SCOPES', 'Scopes to request, separated by commas.', names, [
    'openid',
    'profile',
    'email',
  ]),
  'oauth2.auto_create_users': setting(
    'OAUTH2_AUTO_CREATE_USERS',
    'Whether a person who signs in with Microsoft for the first time becomes a user.',
    flag,
    false,
  ),
  'oauth2.auto_assign_company': operatorsOnly(
    setting(
      'OAUTH2_AUTO_ASSIGN_COMPANY',
      'Id of the company of a person who signs in with Microsoft and has no company.',
      words(/^[0-9a-z]{20}$/, 'the id of a company'),
      null,
    ),
  ),
  'oauth2.auto_assign_role': setting('OAUTH2_AUTO_ASSIGN_ROLE', 'Role in that company.', oneOf(...ROLES), 'none'),
  'logging.level': changeable(
    setting('LOG_LEVEL', 'Lowest level to log.', oneOf('debug', 'info', 'warn', 'error'), 'info'),
  ),
  'logging.max_size_mb': setting(
    'LOG_MAX_SIZE_MB',
    'Megabytes at which a log file rotates.',
    wholeNumber(1, 10_000),
    100,
  ),
  'logging.max_backups': setting('LOG_MAX_BACKUPS', 'Number of rotated log files to keep.', wholeNumber(1, 1_000), 10),
  'logging.max_age_days': setting(
    'LOG_MAX_AGE_DAYS',
    'Days for which a rotated log file is kept.',
    wholeNumber(1, 3_650),
    30,
  ),
  'logging.compress': setting('LOG_COMPRESS', 'Whether rotated log files are compressed.', flag, true),
  'tracing.endpoint': operatorsOnly(
    setting(
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'Base address of a collector of traces over OTLP/HTTP (without /v1/traces); empty: no tracing.',
      baseUrl,
      '',
    ),
  ),
  'tracing.headers': secret(
    'OTEL_EXPORTER_OTLP_HEADERS',
    'Headers for the collector: name=value, separated by commas, values percent-encoded.',
    hiddenHeaders,
    [],
  ),
  'tracing.sample_ratio': setting(
    'OTEL_TRACES_SAMPLER_ARG',
    'Share of the traces begun here that are kept, 0 to 1; for a trace that a caller began, the caller decides.',
    ratio,
    1,
  ),
  'session.ttl_hours': changeable(
    setting('SESSION_TTL_HOURS', 'Hours after which a session without a request ends.', positiveNumber(8_760), 1),
  ),
  'session.max_hours': setting(
    'SESSION_MAX_HOURS',
    'Hours after which every session ends; 0: never.',
    wholeNumber(0, 87_600),
    24,
  ),
  'session.cookie_secure': setting('SESSION_COOKIE_SECURE', 'Whether the cookie is sent over https only.', flag, true),
  'session.cookie_http_only': setting(
    'SESSION_COOKIE_HTTP_ONLY',
    'Whether scripts cannot read the cookie.',
    flag,
    true,
  ),
  'session.cookie_same_site': setting(
    'SESSION_COOKIE_SAME_SITE',
    'Which requests of other sites carry the cookie.',
    oneOf('strict', 'lax', 'none'),
    'strict',
  ),
  'session.cookie_domain': setting(
    'SESSION_COOKIE_DOMAIN',
    'Domain of the cookie; empty: the host that set it.',
    words(/^\.?[\w-]+(\.[\w-]+)*$/, 'weft.example.com'),
    '',
  ),
  'session.cookie_path': setting('SESSION_COOKIE_PATH', 'Path of the cookie.', words(/^\/[\w/.-]*$/, '/'), '/'),
  'websocket.ping_period_seconds': setting(
    'WEBSOCKET_PING_PERIOD_SECONDS',
    'Seconds between pings.',
    wholeNumber(1, 3_600),
    15,
  ),
  'websocket.read_deadline_seconds': setting(
    'WEBSOCKET_READ_DEADLINE_SECONDS',
    'Seconds without a pong after which a socket is closed.',
    wholeNumber(1, 7_200),
    30,
  ),
  'websocket.write_deadline_seconds': setting(
    'WEBSOCKET_WRITE_DEADLINE_SECONDS',
    'Seconds for which a reader may take no message before its socket is closed.',
    wholeNumber(1, 3_600),
    10,
  ),
  'retention.cleanup_interval': changeable(
    setting(
      'RETENTION_CLEANUP_INTERVAL',
      'Time between two retention cleanups: an integer and m, d or y.',
      words(/^[1-9]\d{0,4}[mdy]$/, '2m'),
      '2m',
    ),
  ),
  ...RETENTION_DEFAULTS,
  'queue.prefix': setting(
    'QUEUE_PREFIX',
    'Prefix of every Redis key and channel.',
    words(/^[\w-]{1,40}$/, 'weft'),
    'weft',
  ),
  'queue.shards': setting(
    'QUEUE_SHARDS',
    'Number of queues over which plays are spread; must be the same in every process.',
    wholeNumber(1, 256),
    1,
  ),
  'cache.max_size_mb': setting(
    'CACHE_MAX_SIZE_MB',
    'Maximum MB in which each process caches definitions of flows and modules and fixtures of test cases.',
    wholeNumber(1, 65_536),
    64,
  ),
  ...WORKER,
  'sandbox.processes': setting(
    'SANDBOX_PROCESSES',
    'Number of idle sandbox processes that a process keeps, each reserved for one company; about 35 MB each.',
    wholeNumber(0, 1_000),
    16,
  ),
  'run.window': setting(
    'RUN_WINDOW',
    'Number of plays of one company in the queue at once; 0: twice the slots of its live workers, at least 64.',
    wholeNumber(0, 1_000_000),
    0,
  ),
  'run.backlog_max': setting(
    'RUN_BACKLOG_MAX',
    'Number of plays of one company that may wait before a run is refused; the same number may be delayed to a later time, and three times as many may rest (WAIT, DEFERRED, ON_HOLD).',
    wholeNumber(1, 1_000_000_000),
    1_000_000,
  ),
  ...TRIGGERS,
} as const;

export type SettingKey = keyof typeof CATALOG;
/** Settings that may change while the processes run. */
export type ChangeableKey = {
  [K in SettingKey]: (typeof CATALOG)[K] extends { readonly changeable: true } ? K : never;
}[SettingKey];
export type SettingValue<K extends SettingKey> = (typeof CATALOG)[K] extends SettingEntry<infer T> ? T : never;
