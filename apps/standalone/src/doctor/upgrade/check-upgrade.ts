import type { Environment, Settings } from '@weft/config';
import { sayWhy } from '@weft/observability';
import { productVersion } from '@weft/process';
import { describeDefaults } from '@weft/retention';
import { UpgradeOutlook } from '@weft/records';
import type { Mongo } from '@weft/store';
import { error, ok, warning, type Finding } from '../finding.js';
import {
  describeDowngrade,
  describeIndexes,
  describeMigrations,
  describeProcesses,
  describeRetention,
  describeSettings,
} from './describe-upgrade.js';
import { judgeVersion, type Upgrade } from './judge-version.js';
import { RELEASES } from './releases.js';

const DATABASE = 'upgrade.database';

/** What an upgrade to this build needs of the operator: `doctor --upgrade-from`. It only reads. */
export class UpgradeCheck {
  private readonly judged: Upgrade | Finding;

  /**
   * @param given the version that runs, as the operator wrote it
   * @param env of the process, with the values of the settings file
   */
  constructor(
    given: string,
    private readonly settings: Settings,
    private readonly env: Environment,
  ) {
    this.judged = judgeVersion(given, productVersion(), RELEASES);
  }

  /** What needs no database: also when MongoDB is unreachable. */
  ofRelease(): readonly Finding[] {
    const { judged, settings, env } = this;
    if (!('from' in judged)) return [judged];
    return [
      ok('upgrade.version', `From ${judged.fromVersion} to ${judged.toVersion}, which is this build.`),
      describeRetention(judged, describeDefaults(settings.retention.defaults)),
      ...describeSettings(judged, env),
    ];
  }

  async ofDatabase(mongo: Mongo): Promise<readonly Finding[]> {
    const { judged, settings } = this;
    if (!('from' in judged)) return [];
    const outlook = new UpgradeOutlook(mongo);
    return read(DATABASE, async () => {
      if (await outlook.isEmpty()) {
        const says = `The database ${settings.mongodb.db} is empty.`;
        return [
          warning(DATABASE, says, 'Set MONGODB_DB to that of the installation. A new installation needs no upgrade.'),
        ];
      }
      const newer = await outlook.newerTraces();
      if (newer.length > 0) {
        const says = `A release newer than ${judged.toVersion} has used this database: ${newer.join(', ')}.`;
        return [
          error(DATABASE, says, 'Do not start this build. Ask the doctor of the newest version that was started here.'),
        ];
      }
      const [work, indexes] = await Promise.all([
        read('upgrade.migrations', () => workAhead(outlook, judged)),
        read('upgrade.indexes', async () => [describeIndexes(await outlook.indexes())]),
      ]);
      return [...(await olderProcesses(outlook, judged)), ...work, ...indexes];
    });
  }
}

async function workAhead(outlook: UpgradeOutlook, upgrade: Upgrade): Promise<readonly Finding[]> {
  const ahead = await outlook.migrations();
  const doneForGood = await outlook.doneForGood(upgrade.from.dataLevel);
  return [
    describeProcesses(upgrade, ahead),
    ...describeMigrations(ahead),
    describeDowngrade(upgrade, ahead, doneForGood),
  ];
}

async function olderProcesses(outlook: UpgradeOutlook, { fromVersion, from }: Upgrade): Promise<readonly Finding[]> {
  const [oldest] = await outlook.runningLevels();
  if (oldest === undefined || oldest >= from.dataLevel)
    return [ok(DATABASE, `The database is of ${fromVersion} or a version that shares it.`)];
  const says = `Processes of a version before ${fromVersion} run on this database.`;
  return [error(DATABASE, says, `Finish the upgrade to ${fromVersion} first.`)];
}

async function read(check: string, look: () => Promise<readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return await look();
  } catch (cause) {
    const { codeName } = cause as { readonly codeName?: string };
    const advice =
      codeName === 'Unauthorized'
        ? 'Give the user of MONGODB_URI the role readWrite on the database (docs/deploy/mongodb.md).'
        : 'Look at the log of MongoDB, and ask again.';
    return [error(check, `This could not be read: ${codeName ?? sayWhy(cause)}.`, advice)];
  }
}
