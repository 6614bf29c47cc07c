// `npm run admin:reset-password [-- <e-mail>]`: gives an operator a new password and prints it. It takes the settings of the
// processes; of a standalone app it opens the database itself, while the app is stopped.
import { loadSettings, readConfigFile, SettingsError, withConfigFile, type Settings } from '@weft/config';
import { ForeignSecrets, InstallationSecrets, NoSuchOperator, resetOperatorPassword } from '@weft/identity';
import { deriveAuditKey, ensureIndexes, Mongo } from '@weft/persistence';
import { provideServers } from '#tools/servers/index.mjs';
import { say } from '#tools/setup/say.mjs';
import { giveUp, Trouble } from '#tools/setup/trouble.mjs';
import { DataFolder } from './data-folder.js';
import { checkSettings } from './environment.js';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function resetIn(settings: Settings, email: string | null, folder: DataFolder | null): Promise<void> {
  const { uri, db } = settings.mongodb;
  const { encKeySecret, envKeySalt } = settings.secrets;
  const auditKey = deriveAuditKey(encKeySecret, envKeySalt);
  const mongo = await Mongo.open({ uri, db, appName: 'weft-reset-admin-password', auditKey }).catch((cause: Error) => {
    throw new Trouble(`MongoDB could not be reached (${cause.message}).`, 'Start it, or correct MONGODB_URI.', {
      cause,
    });
  });
  try {
    await ensureIndexes(mongo);
    // an entry that is signed with another key would look like tampering
    await new InstallationSecrets(mongo, settings.secrets).assertOurs();
    const { email: address, password, left } = await resetOperatorPassword(mongo, email, new Date());
    print(`${address} signs in with the password ${password} from now on. All sessions of this account have ended.`);
    print('Change it after signing in: POST /api/v1/auth/password.');
    const [ties, keys] = [left.identities.length, left.keys.length];
    if (ties + keys > 0)
      print(`Besides, ${ties} accounts at identity providers and ${keys} API keys open this account.`);
    if (folder?.recall().login?.email === address) folder.remember({ login: { email: address, password } });
  } finally {
    await mongo.close();
  }
}

/** Of a cluster, or of a standalone app with databases of its own. */
async function main(email: string | null): Promise<void> {
  const file = readConfigFile(process.env);
  const env = withConfigFile(process.env, file);
  const isCluster = Boolean(env.MONGODB_URI && env.ENC_KEY_SECRET);
  if (isCluster || !DataFolder.isUsed(env.WEFT_DATA_DIR || '.weft')) {
    return resetIn(loadSettings(env, { standalone: false, file }), email, null);
  }
  const { dataDir } = checkSettings(env, file);
  const folder = await DataFolder.hold(dataDir);
  try {
    const servers = await provideServers({ folder: folder.path, env, log: say });
    try {
      const shared = { ...env, MONGODB_URI: servers.mongodbUri, REDIS_URL: servers.redisUrl };
      await resetIn(loadSettings(shared, { standalone: true, file }), email, folder);
    } finally {
      await servers.stop();
    }
  } finally {
    folder.release();
  }
}

try {
  await main(process.argv[2] ?? null);
} catch (error) {
  if (error instanceof SettingsError) {
    giveUp(
      new Trouble(error.message, 'For a standalone app: start this where its data folder is, or set WEFT_DATA_DIR.'),
    );
  }
  const isSaid = error instanceof ForeignSecrets || error instanceof NoSuchOperator;
  giveUp(isSaid ? new Trouble(error.message, '') : error);
}
