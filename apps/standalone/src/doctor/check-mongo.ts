import type { Settings } from '@weft/config';
import { sayWhy } from '@weft/observability';
import { InstallationSecrets } from '@weft/identity';
import { deriveAuditKey, Mongo, UnsuitableMongo } from '@weft/store';
import { Diagnosis, type ServerFacts } from '@weft/records';
import { certificatesOfMongo } from './certificates.js';
import { clockFinding } from './check-clocks.js';
import { error, ok, warning, type Finding } from './finding.js';
import { unreached } from './unreached.js';
import type { UpgradeCheck } from './upgrade/check-upgrade.js';

const DATA_MEMBERS = 3;
const DAY_MS = 86_400_000;
const BACKUP_EVERY_DAYS = 7;
const FULL = 0.8;
const TOO_FULL = 0.95;
/** Of an address, without the user and the password before them. */
const HOSTS = /^[^/]+\/\/(?:[^/]*@)?([^/?]+)/;

/**
 * MongoDB as docs/deploy/mongodb.md asks for it, and what the installation has stored there. It only reads.
 *
 * @param upgrade null: this build runs on the database, or is to run on an empty one
 */
export async function checkMongo(settings: Settings, upgrade: UpgradeCheck | null): Promise<readonly Finding[]> {
  const { uri, db } = settings.mongodb;
  const { encKeySecret, envKeySalt } = settings.secrets;
  const auditKey = deriveAuditKey(encKeySecret, envKeySalt);
  const opened = await Mongo.open({ uri, db, appName: 'weft-doctor', auditKey }).catch((cause: unknown) =>
    unopened(uri, cause),
  );
  if (!(opened instanceof Mongo)) return [opened];
  const ahead = (await upgrade?.ofDatabase(opened)) ?? [];
  try {
    const diagnosis = new Diagnosis(opened);
    const found = [
      ...server(await diagnosis.server()),
      ...(await certificatesOfMongo(opened)),
      ...(await stored(opened, diagnosis, settings)),
    ];
    // the indexes of this build are not there yet: `upgrade.indexes` names them
    return [...found.filter(({ check }) => upgrade === null || check !== 'database.indexes'), ...ahead];
  } catch (cause) {
    return [
      ...ahead,
      error(
        'mongodb.reached',
        `MongoDB: ${sayWhy(cause)}.`,
        'Look at its log, and at the rights of the user of MONGODB_URI.',
      ),
    ];
  } finally {
    await opened.close();
  }
}

function unopened(uri: string, cause: unknown): Finding {
  if (cause instanceof UnsuitableMongo) {
    return error('mongodb.replica_set', cause.message, 'docs/deploy/mongodb.md; until then no process starts.');
  }
  const advice =
    'Start it, or correct MONGODB_URI, with tls=true and certificates if its port takes TLS (docs/deploy/mongodb.md).';
  const where = `MongoDB at ${HOSTS.exec(uri)?.[1] ?? 'MONGODB_URI'}`;
  const hasTls = /[?&](tls|ssl)=true/.test(uri);
  return unreached('mongodb.reached', { where, cause, hasTls, advice, until: 'Until then every request is refused.' });
}

function server(facts: ServerFacts): readonly Finding[] {
  return [
    ok('mongodb.reached', `MongoDB ${facts.version} at ${facts.address} answers.`),
    members(facts),
    facts.majorityFault === null
      ? ok('mongodb.majority', 'A majority of its members stores what is written.')
      : error(
          'mongodb.majority',
          `Writes are not acknowledged by a majority (${facts.majorityFault}).`,
          'Look at the secondaries: rs.status().',
        ),
    disk(facts.diskShare),
    clockFinding('mongodb.clock', 'MongoDB', facts.clock),
  ];
}

function members({ setName, members: count, isDirect }: ServerFacts): Finding {
  const check = 'mongodb.replica_set';
  if (isDirect) {
    const says = 'MONGODB_URI has directConnection=true: processes do not follow an election.';
    return warning(check, says, 'Remove it, and name all members.');
  }
  if (count >= DATA_MEMBERS) return ok(check, `The replica set ${setName} has ${count} members with data.`);
  return warning(
    check,
    `The replica set ${setName} has ${count} ${count === 1 ? 'member' : 'members'} with data.`,
    'Use three: with fewer, the loss of one stops everything, and may lose what was accepted (docs/deploy/mongodb.md).',
  );
}

/** @param share of the disk that is used, 0 to 1; null: unknown */
export function disk(share: number | null): Finding {
  if (share === null) return ok('mongodb.disk', 'How full its disk is, MongoDB does not say.');
  const says = `The disk of MongoDB is ${Math.round(share * 100)} % full.`;
  const advice = 'Enlarge it, or keep plays for a shorter time (docs/retention.md).';
  if (share > TOO_FULL) return error('mongodb.disk', says, advice);
  return share > FULL ? warning('mongodb.disk', says, advice) : ok('mongodb.disk', says);
}

async function stored(mongo: Mongo, diagnosis: Diagnosis, settings: Settings): Promise<readonly Finding[]> {
  const facts = await diagnosis.database();
  const { restoringSince, newestBackup, migrationFaults, missingIndexes, runningLevels } = facts;
  if (restoringSince) {
    const says = `A restore of this database began at ${restoringSince.toISOString()} and has not ended.`;
    return [error('database.restore', says, 'Wait for it; if it was ended, start it again: npm run restore.')];
  }
  const fault = await new InstallationSecrets(mongo, settings.secrets).fault();
  return [
    fault === null
      ? ok('keys.installation', 'ENC_KEY_SECRET and ENV_KEY_SALT are those of the installation.')
      : error('keys.installation', fault, 'docs/operations.md#secrets-of-an-installation'),
    missingIndexes.length === 0
      ? ok('database.indexes', 'The database has all indexes.')
      : warning(
          'database.indexes',
          `Indexes are missing, or not as declared: ${missingIndexes.join(', ')}.`,
          'Start a process of this version: it makes them, or says what prevents it.',
        ),
    migrationFaults.length === 0
      ? ok('database.migrations', 'No migration has stopped.')
      : error(
          'database.migrations',
          `A migration has stopped: ${migrationFaults.join('; ')}.`,
          'docs/operations.md#migrations',
        ),
    runningLevels.length <= 1
      ? ok(
          'processes.versions',
          runningLevels.length === 0 ? 'No process runs on the database.' : 'All processes store data of one version.',
        )
      : warning(
          'processes.versions',
          `Processes of several versions run: ${runningLevels.join(', ')}.`,
          'Finish the upgrade: workers, scheduler, realtime, api last.',
        ),
    backup(newestBackup, mongo.serverNow()),
  ];
}

function backup(at: Date | null, now: number): Finding {
  const advice = 'npm run backup, daily (docs/deploy/backup.md); ignore this if you back up MongoDB by other means.';
  if (at === null) return warning('database.backup', 'No backup was made with "npm run backup".', advice);
  const days = (now - at.getTime()) / DAY_MS;
  const says = `The newest backup is of ${at.toISOString()}.`;
  return days > BACKUP_EVERY_DAYS ? warning('database.backup', says, advice) : ok('database.backup', says);
}
