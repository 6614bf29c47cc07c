import { randomBytes } from 'node:crypto';
import { loadSettings, withConfigFile, type ConfigFile, type Environment, type Settings } from '@weft/config';
import type { Servers } from '#tools/servers/index.mjs';
import type { DataFolder } from './data-folder.js';

/** Everything stops within 30 s (docs/operations.md), the databases last: so the processes get less. */
const GRACE_SECONDS = '25';
const DEMO_EMAIL = 'demo@weft.local';

export interface Login {
  readonly email: string;
  readonly password: string;
}

/** The user that runs the demo: the admin of the environment, otherwise one that is generated once and stored in the data folder. */
export function demoLogin(env: Environment, folder: DataFolder): Login {
  const { WEFT_ADMIN_EMAIL: email, WEFT_ADMIN_PASSWORD: password } = env;
  if (email && password) return { email, password };
  const known = folder.recall().login;
  if (known !== null && (!email || email === known.email)) return known;
  const login = { email: email ?? DEMO_EMAIL, password: randomBytes(15).toString('base64url') };
  folder.remember({ login });
  return login;
}

/** The environment that every process of this app shares: the given one, completed by what this app provides. */
export function sharedEnvironment(
  env: Environment,
  { servers, login, demoPort, dataDir }: { servers: Servers; login: Login; demoPort: number; dataDir: string },
): Environment {
  const demoTarget = `127.0.0.1/32:${demoPort}`;
  return {
    ...env,
    MONGODB_URI: servers.mongodbUri,
    REDIS_URL: servers.redisUrl,
    WEFT_DATA_DIR: dataDir,
    WEFT_ADMIN_EMAIL: login.email,
    WEFT_ADMIN_PASSWORD: login.password,
    EGRESS_ALLOW: env.EGRESS_ALLOW ? `${env.EGRESS_ALLOW},${demoTarget}` : demoTarget,
    SHUTDOWN_GRACE_SECONDS: env.SHUTDOWN_GRACE_SECONDS ?? GRACE_SECONDS,
  };
}

/**
 * Checks the environment before anything is started, with placeholders for the databases.
 * @throws SettingsError
 */
export function checkSettings(given: Environment, file: ConfigFile | null): Settings {
  const somewhere = { MONGODB_URI: 'mongodb://127.0.0.1', REDIS_URL: 'redis://127.0.0.1' };
  const said = Object.fromEntries(Object.entries(withConfigFile(given, file)).filter(([, value]) => value));
  return loadSettings({ ...somewhere, ...said }, { standalone: true, file, given });
}

/** @param given the environment without this app's additions, which do not count as configured */
export function sharedSettings(shared: Environment, given: Environment, file: ConfigFile | null): Settings {
  return loadSettings(shared, { standalone: true, file, given });
}
