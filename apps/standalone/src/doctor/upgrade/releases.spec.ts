import { productVersion } from '@weft/process';
import { MIGRATIONS } from '@weft/records';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { REPEATED } from '#tools/spread-version.mjs';
import { inRoot } from '#tools/setup/root.mjs';
import { thisRelease, type Release } from './release.js';
import { RELEASES } from './releases.js';

const read = (file: string): string => readFileSync(inRoot(file), 'utf8');
const { version } = JSON.parse(read('package.json')) as { readonly version: string };

describe('the version', () => {
  it('of package.json is what every process says', () => {
    expect(productVersion().split('+')[0]).toBe(version);
  });

  it.each(REPEATED)('is repeated in %s: npm version writes it', (file, place) => {
    expect(place.exec(read(file))?.[0]).toBe(version);
  });

  it('is that of the lock file, too', () => {
    const lock = JSON.parse(read('package-lock.json')) as {
      version: string;
      packages: Record<string, { version: string }>;
    };
    expect([lock.version, lock.packages['']?.version]).toEqual([version, version]);
  });
});

describe('releases.ts', () => {
  it('ends with this build: npm run docs writes it', () => {
    expect(RELEASES.at(-1)).toEqual(thisRelease());
  });

  it('has each minor version once', () => {
    expect(new Set(RELEASES.map(({ minor }) => minor)).size).toBe(RELEASES.length);
  });
});

/** What the note of a release tells operators, in this order. */
const ROWS = ['upgrade from', 'processes', 'migrations', 'downgrade', 'deleted by default', 'settings'];
const NOTES = read('CHANGELOG.md')
  .split(/^## (?=\d)/m)
  .slice(1);

function rowsOf(note: string): ReadonlyMap<string, string> {
  const rows = note.matchAll(/^\| \*\*(.+?)\*\* +\| (.+?) +\|$/gm);
  return new Map([...rows].map(([, name = '', says = '']) => [name, says]));
}

/** What the note of a minor release leaves out. Empty: nothing. */
function leftOut(note: string, release: Release, before: Release, migrations: readonly NewMigration[]): string[] {
  const rows = rowsOf(note);
  const missing = (row: string, words: readonly string[]) =>
    words.filter((word) => !rows.get(row)?.includes(word)).map((word) => `${row}: ${word}`);
  const { settings } = release;
  const gone = Object.keys(before.settings).filter((name) => !(name in settings));
  const changed = Object.keys(settings).filter(
    (name) => name in before.settings && settings[name] !== before.settings[name],
  );
  const phases = migrations.map(({ phase }) => phase);
  return [
    ...missing(
      'migrations',
      migrations.map(({ id }) => id),
    ),
    ...missing('processes', [phases.includes('standstill') ? 'Standstill' : 'No standstill']),
    ...missing('deleted by default', release.deletes),
    ...missing('settings', [...gone, ...changed]),
  ];
}

type NewMigration = Pick<(typeof MIGRATIONS)[number], 'id' | 'phase'>;

describe('CHANGELOG.md', () => {
  it('begins with this version, and has every minor release', () => {
    const versions = NOTES.map((note) => /^\d+\.\d+\.\d+/.exec(note)?.[0] ?? '');
    expect(versions[0]).toBe(version);
    const minors = versions.filter((each) => each.endsWith('.0')).map((each) => each.slice(0, -2));
    expect(minors).toEqual(RELEASES.map(({ minor }) => minor).toReversed());
  });

  it('says of each version when it was released, and what it needs of an operator', () => {
    for (const note of NOTES) {
      expect(note).toMatch(/^\d+\.\d+\.\d+ \((\d{4}-\d\d-\d\d|not released yet)\)$/m);
      expect([...rowsOf(note).keys()]).toEqual(ROWS);
    }
  });

  it('leaves out nothing of the newest minor version that the doctor knows', () => {
    const [release, before] = RELEASES.toReversed();
    const note = NOTES.find((each) => each.startsWith(`${release?.minor}.0 `)) ?? '';
    const none: Release = { ...thisRelease(), dataLevel: 0, settings: {} };
    const migrations = MIGRATIONS.slice(before?.dataLevel ?? 0);
    expect(leftOut(note, release ?? none, before ?? none, migrations)).toEqual([]);
  });

  it('is wrong when it leaves something out', () => {
    const note = ROWS.map((row) => `| **${row}** | none |`).join('\n');
    const release = { ...thisRelease(), deletes: ['plays after 1d'], settings: { KEPT: '2', SAME: '1', NEW: '' } };
    const before = { ...thisRelease(), settings: { KEPT: '1', SAME: '1', GONE: '' } };
    expect(leftOut(note, release, before, [{ id: 'rename', phase: 'standstill' }])).toEqual([
      'migrations: rename',
      'processes: Standstill',
      'deleted by default: plays after 1d',
      'settings: GONE',
      'settings: KEPT',
    ]);
  });
});
