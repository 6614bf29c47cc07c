import { loadSettings, readConfigFile, SettingsError, withConfigFile, type Settings } from '@weft/config';
import { ForeignSecrets } from '@weft/identity';
import { deriveAuditKey, Mongo, UnsuitableMongo } from '@weft/store';
import { assertNotRestoring, ensureIndexes, OTHER_COLLECTIONS } from '@weft/records';
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

export interface ScriptOptions {
  /** False: the database is left as it is, also one in which a restore has not ended. */
  readonly joins?: boolean;
}

/**
 * Runs the work of a script with the settings of the processes. For a stopped standalone app, it starts the databases, because
 * only the app knows their password.
 *
 * @param script its name, as MongoDB's log shows it
 */
export async function onInstallation(script: string, work: Work, { joins = true }: ScriptOptions = {}): Promise<void> {
  try {
    await withSettings((settings, folder) => open(script, settings, folder, joins ? joined(work) : work));
  } catch (error) {
    explainFailure(error);
  }
}

/** Ends the program with what a person can do. */
function explainFailure(error: unknown): never {
  if (error instanceof SettingsError) {
    giveUp(
      new Trouble(error.message, 'For a standalone app: start this where its data folder is, or set WEFT_DATA_DIR.'),
    );
  }
  giveUp(error instanceof ForeignSecrets ? new Trouble(error.message, '') : error);
}

function joined(work: Work): Work {
  return async (installation) => {
    await assertNotRestoring(installation.mongo);
    await ensureIndexes(installation.mongo, OTHER_COLLECTIONS);
    await work(installation);
  };
}

/**
 * Runs the work with the settings of the processes, before anything is connected.
 *
 * @throws SettingsError
 */
export async function withSettings(
  work: (settings: Settings, folder: DataFolder | null) => Promise<void>,
): Promise<void> {
  const file = readConfigFile(process.env);
  const env = withConfigFile(process.env, file);
  const isCluster = Boolean(env.MONGODB_URI && env.ENC_KEY_SECRET);
  if (isCluster || !DataFolder.isUsed(env.WEFT_DATA_DIR || '.weft')) {
    return work(loadSettings(env, { standalone: false, file }), null);
  }
  const { dataDir } = checkSettings(env, file);
  const folder = await DataFolder.hold(dataDir);
  try {
    const servers = await provideServers({ folder: folder.path, env, log: say });
    try {
      const shared = { ...env, MONGODB_URI: servers.mongodbUri, REDIS_URL: servers.redisUrl };
      await work(loadSettings(shared, { standalone: true, file }), folder);
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
    if (cause instanceof UnsuitableMongo) throw new Trouble(cause.message, 'docs/deploy/mongodb.md', { cause });
    throw new Trouble(`MongoDB could not be reached (${cause.message}).`, 'Start it, or correct MONGODB_URI.', {
      cause,
    });
  });
  try {
    await work({ mongo, settings, folder });
  } finally {
    await mongo.close();
  }
}
