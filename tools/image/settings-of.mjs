// @ts-check
import { randomBytes } from 'node:crypto';

/**
 * The settings of an installation that is thrown away.
 * @param {import('../servers/index.mjs').Servers} servers
 * @param {string} name of its database and queue
 * @returns {Readonly<Record<string, string>>}
 */
export function settingsOf({ mongodbUri, redisUrl }, name) {
  const hex = () => randomBytes(32).toString('hex');
  return {
    MONGODB_URI: mongodbUri,
    MONGODB_DB: name,
    REDIS_URL: redisUrl,
    QUEUE_PREFIX: name,
    SERVER_HOST: '127.0.0.1',
    ENC_KEY_SECRET: hex(),
    ENV_KEY_SALT: hex(),
    WEFT_ADMIN_EMAIL: 'admin@weft.local',
    WEFT_ADMIN_PASSWORD: hex(),
    SESSION_COOKIE_SECURE: 'false',
    SHUTDOWN_NOTICE_SECONDS: '0',
  };
}
