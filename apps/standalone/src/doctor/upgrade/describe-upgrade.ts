import type { Environment } from '@weft/config';
import type { IndexAhead, MigrationAhead } from '@weft/records';
import { ok, warning, type Finding } from '../finding.js';
import type { Upgrade } from './judge-version.js';

/** From here on operators take a starting process to hang, unless the doctor has said how long it takes. */
const LONG_SECONDS = 60;
/** Documents that an index takes in a second: a third of what was measured (docs/deploy/sizing.md), because disks may be slower. */
const INDEXED_PER_SECOND = 50_000;

const WHEN: Readonly<Record<MigrationAhead['phase'], string>> = {
  standstill: 'before the first process is ready, when no older one runs',
  expand: 'before the first process is ready, while older ones work',
  migrate: 'by a scheduler, while all processes work',
  contract: 'by a scheduler, a minute after the last older process has ended',
};
const BEFORE_READY: ReadonlySet<MigrationAhead['phase']> = new Set(['standstill', 'expand']);

export function describeProcesses({ fromVersion, toVersion }: Upgrade, ahead: readonly MigrationAhead[]): Finding {
  const still = ahead.filter(({ phase }) => phase === 'standstill').map(({ id }) => id);
  if (still.length === 0) {
    const says = `No standstill: replace the processes of ${fromVersion} one after another, workers, schedulers, realtime, api last.`;
    return ok('upgrade.processes', says);
  }
  return warning(
    'upgrade.processes',
    `Standstill: ${fromVersion} and ${toVersion} cannot share the database (${still.join(', ')}).`,
    `Stop all processes of ${fromVersion}; a minute later the first one of ${toVersion} begins. Runs are refused meanwhile.`,
  );
}

export function describeMigrations(ahead: readonly MigrationAhead[]): readonly Finding[] {
  if (ahead.length === 0) return [ok('upgrade.migrations', 'No migration will run.')];
  return ahead.map(({ id, phase, what, documents, seconds }) => {
    const says = `${id} (${phase}) will run ${WHEN[phase]}: ${what} About ${count(documents, 'document')}, ${duration(seconds)}.`;
    return BEFORE_READY.has(phase) && seconds > LONG_SECONDS
      ? warning('upgrade.migrations', says, 'Start one process first, and the others when it is ready.')
      : ok('upgrade.migrations', says);
  });
}

export function describeIndexes(ahead: readonly IndexAhead[]): Finding {
  const check = 'upgrade.indexes';
  if (ahead.length === 0) return ok(check, 'No index has to be built.');
  // those of one collection are built in one scan
  const scanned = new Map(ahead.map(({ collection, documents }) => [collection, documents]));
  const documents = [...scanned.values()].reduce((sum, each) => sum + each, 0);
  const seconds = documents / INDEXED_PER_SECOND;
  const names = ahead.map(({ name }) => name).join(', ');
  const says = `${count(ahead.length, 'index', 'indexes')} will be built before the first process is ready, from about ${count(documents, 'document')}, ${duration(seconds)}: ${names}.`;
  return seconds > LONG_SECONDS
    ? warning(check, says, 'Start one worker first, and the others when it is ready.')
    : ok(check, says);
}

/** @param doneForGood migrations of the newer version that have run and cannot be undone */
export function describeDowngrade(
  { fromVersion, toVersion, from, to }: Upgrade,
  ahead: readonly MigrationAhead[],
  doneForGood: readonly string[],
): Finding {
  const check = 'upgrade.downgrade';
  const backup = 'Make a backup first: npm run backup.';
  if (doneForGood.length > 0) {
    return warning(check, `${fromVersion} cannot be started again: ${doneForGood.join(', ')} has run.`, backup);
  }
  if (ahead.some(({ phase }) => phase === 'standstill')) {
    const says = `A downgrade to ${fromVersion} is not possible once the first process of ${toVersion} has started.`;
    return warning(check, says, backup);
  }
  const contracts = ahead.filter(({ phase }) => phase === 'contract').map(({ id }) => id);
  const plays = to.playSchema > from.playSchema ? ` Plays that ${toVersion} has accepted then wait for it.` : '';
  if (contracts.length > 0) {
    const says = `A downgrade to ${fromVersion} is possible until ${contracts.join(', ')} runs.${plays}`;
    return warning(
      check,
      says,
      `Keep one process of ${fromVersion} running for as long as you want to be able to go back.`,
    );
  }
  return ok(check, `A downgrade to ${fromVersion} is possible, api first.${plays}`);
}

/** @param inEffect what the settings of this installation delete in companies without policies */
export function describeRetention({ fromVersion, from, to }: Upgrade, inEffect: readonly string[]): Finding {
  const check = 'upgrade.retention';
  const says = `Where a company has no policy, retention deletes ${inEffect.join('; ')}.`;
  const fresh = to.deletes.filter((phrase) => !from.deletes.includes(phrase));
  if (fresh.length === 0) return ok(check, `${says} The defaults are those of ${fromVersion}.`);
  return warning(
    check,
    `${says} Other defaults than in ${fromVersion}: ${fresh.join('; ')}.`,
    'Make policies before the upgrade where that is too early (docs/retention.md).',
  );
}

/** @param env with the values of the settings file */
export function describeSettings({ fromVersion, from, to }: Upgrade, env: Environment): readonly Finding[] {
  const check = 'upgrade.settings';
  const gone = Object.keys(from.settings).filter((name) => !(name in to.settings));
  const set = gone.filter((name) => (env[name] ?? '') !== '');
  const changed = Object.entries(to.settings).filter(
    ([name, otherwise]) => name in from.settings && from.settings[name] !== otherwise && (env[name] ?? '') === '',
  );
  const findings = [
    ...set.map((name) =>
      warning(check, `${name} is set, and no longer exists.`, 'Remove it: CHANGELOG.md says what takes its place.'),
    ),
    ...changed.map(([name, otherwise]) =>
      warning(
        check,
        `${name} is not set, and its default changes from ${shown(from.settings[name])} to ${shown(otherwise)}.`,
        'Set it if the old value is to stay.',
      ),
    ),
  ];
  if (findings.length > 0) return findings;
  return [ok(check, `No setting that you use has gone or changed since ${fromVersion}.`)];
}

function shown(otherwise: string | null | undefined): string {
  if (otherwise === null || otherwise === undefined) return 'none (it must be set)';
  return otherwise === '' ? 'empty' : otherwise;
}

function count(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
}

function duration(seconds: number): string {
  if (seconds < 1) return 'less than a second';
  if (seconds < 120) return `${Math.ceil(seconds)} s`;
  return seconds < 7_200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3_600)} h`;
}
