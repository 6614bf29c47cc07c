import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface SecretsWanted {
  readonly folder: string;
  /** `host:port` of the databases. */
  readonly mongodb: string;
  readonly redis: string;
  /** Ids of the users that run Weft and the databases: each can read its own secrets only. */
  readonly weftUser: number;
  readonly storesUser: number;
  /** Data folders of the databases, which their user must own. */
  readonly storesData: readonly string[];
}

/** The user that the databases have for Weft. */
const DATABASE_USER = 'weft';
const FOLDER = 'made';

/**
 * The secrets of an installation by docker-compose.yml: generated at its first start, kept at every other. They appear together,
 * when all are written, so that an interrupted start leaves nothing half.
 *
 * @returns whether they were made now
 */
export function makeSecrets(wanted: SecretsWanted): boolean {
  for (const data of wanted.storesData) own(data, wanted.storesUser);
  const place = join(wanted.folder, FOLDER);
  if (existsSync(place)) return false;
  const draft = join(wanted.folder, `.${FOLDER}-${randomBytes(6).toString('hex')}`);
  const { weft, stores } = generate(wanted);
  mkdirSync(draft, { mode: 0o755 });
  writeAll(join(draft, 'weft'), weft, wanted.weftUser);
  writeAll(join(draft, 'stores'), stores, wanted.storesUser);
  renameSync(draft, place);
  return true;
}

type Secrets = Readonly<Record<string, string>>;

function generate({ mongodb, redis }: SecretsWanted): { readonly weft: Secrets; readonly stores: Secrets } {
  const hex = (): string => randomBytes(32).toString('hex');
  const [mongodbPassword, redisPassword] = [hex(), hex()];
  const query = 'replicaSet=rs0&authSource=admin&authMechanism=SCRAM-SHA-256';
  return {
    weft: {
      enc_key_secret: hex(),
      env_key_salt: hex(),
      metrics_token: hex(),
      admin_password: randomBytes(15).toString('base64url'),
      mongodb_uri: `mongodb://${DATABASE_USER}:${mongodbPassword}@${mongodb}/?${query}`,
      redis_url: `redis://:${redisPassword}@${redis}`,
    },
    stores: {
      mongodb_key: hex(),
      mongodb_password: mongodbPassword,
      valkey_password: redisPassword,
      'valkey.conf': `requirepass ${redisPassword}\n`,
    },
  };
}

/** The folder changes hands last: without the rights of root, its maker could write no more into it. */
function writeAll(folder: string, secrets: Secrets, user: number): void {
  mkdirSync(folder, { mode: 0o700 });
  for (const [name, text] of Object.entries(secrets)) {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600, flush: true });
    own(path, user);
  }
  own(folder, user);
}

function own(path: string, user: number): void {
  const { uid, gid } = statSync(path);
  if (uid !== user || gid !== user) chownSync(path, user, user);
}
