import { createHash } from 'node:crypto';
import { scratchFolder } from '../test-run.js';

/** The e-mail address of the first admin of every test installation. */
export const TEST_ADMIN = { email: 'admin@weft.test', password: 'correct horse battery' } as const;

/** The servers and names that the processes of one installation share. */
export interface ProcessServers {
  readonly mongodbUri: string;
  readonly mongodbDb: string;
  readonly redisUrl: string;
  readonly queuePrefix: string;
}

/**
 * The settings that the processes of one test installation share: its servers and names, known secrets, a first admin,
 * the loopback address open to layers, cookies over plain http; without a load balancer, so that a stop does not wait for one.
 */
export function processEnv({ mongodbUri, mongodbDb, redisUrl, queuePrefix }: ProcessServers): Record<string, string> {
  return {
    MONGODB_URI: mongodbUri,
    MONGODB_DB: mongodbDb,
    REDIS_URL: redisUrl,
    QUEUE_PREFIX: queuePrefix,
    SERVER_HOST: '127.0.0.1',
    ENC_KEY_SECRET: hex('enc-key-secret'),
    ENV_KEY_SALT: hex('env-key-salt'),
    WEFT_ADMIN_EMAIL: TEST_ADMIN.email,
    WEFT_ADMIN_PASSWORD: TEST_ADMIN.password,
    WEFT_DATA_DIR: scratchFolder('data'),
    EGRESS_ALLOW: '127.0.0.1/32',
    SESSION_COOKIE_SECURE: 'false',
    SHUTDOWN_NOTICE_SECONDS: '0',
  };
}

function hex(name: string): string {
  return createHash('sha256').update(`weft test ${name}`).digest('hex');
}
