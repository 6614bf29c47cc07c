import { loadSettings, readConfigFile, SettingsError, withConfigFile, type Settings } from '@weft/config';
import { ForeignSecrets } from '@weft/identity';
import { deriveAuditKey, ensureIndexes, Mongo, OTHER_COLLECTIONS } from '@weft/persistence';
import { provideServers } from '#tools/servers/index.mjs';
import { say } from '#tools/setup/say.mjs';
import { giveUp, Trouble } from '#tools/setup/trouble.mjs';
import { DataFolder } from './data-folder.js';
import { checkSettings } from './environment.js';

/** An installation on which an operator's script works. */
export interface Installation {
  readonly mongo: Mongo;
  readonly settings: Settings;
  /** Of a standalone app; null in a cluster. */
  readonly folder: DataFolder | null;
}

type Work = (installation: Installation) => Promise<void>;

/**
 * Runs the work of a script with the settings of the processes. For a stopped standalone app, it starts the databases, because
 * only the app knows their password.
 *
 * @param script its name, as MongoDB's log shows it
 */
export async function onInstallation(script: string, work: Work): Promise<void> {
  try {
    await reach(script, work);
  } catch (error) {
    if (error instanceof SettingsError) {
      giveUp(
        new Trouble(error.message, 'For a standalone app: start this where its data folder is, or set WEFT_DATA_DIR.'),
      );
    }
    giveUp(error instanceof ForeignSecrets ? new Trouble(error.message, '') : error);
  }
}

async function reach(script: string, work: Work): Promise<void> {
  const file = readConfigFile(process.env);
  const env = withConfigFile(process.env, file);
  const isCluster = Boolean(env.MONGODB_URI && env.ENC_KEY_SECRET);
  if (isCluster || !DataFolder.isUsed(env.WEFT_DATA_DIR || '.weft')) {
    return open(script, loadSettings(env, { standalone: false, file }), null, work);
  }
  const { dataDir } = checkSettings(env, file);
  const folder = await DataFolder.hold(dataDir);
  try {
    const servers = await provideServers({ folder: folder.path, env, log: say });
    try {
      const shared = { ...env, MONGODB_URI: servers.mongodbUri, REDIS_URL: servers.redisUrl };
      await open(script, loadSettings(shared, { standalone: true, file }), folder, work);
    } finally {
      await servers.stop();
    }
  } finally {
    folder.release();
  }
}

async function open(script: string, settings: Settings, folder: DataFolder | null, work: Work): Promise<void> {
  const { uri, db } = settings.mongodb;
  const { encKeySecret, envKeySalt } = settings.secrets;
  const auditKey = deriveAuditKey(encKeySecret, envKeySalt);
  const mongo = await Mongo.open({ uri, db, appName: `weft-${script}`, auditKey }).catch((cause: Error) => {
    throw new Trouble(`MongoDB could not be reached (${cause.message}).`, 'Start it, or correct MONGODB_URI.', {
      cause,
    });
  });
  try {
    await ensureIndexes(mongo, OTHER_COLLECTIONS);
    await work({ mongo, settings, folder });
  } finally {
    await mongo.close();
  }
}
