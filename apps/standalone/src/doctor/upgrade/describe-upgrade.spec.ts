import type { MigrationAhead } from '@weft/records';
import { describe, expect, it } from 'vitest';
import {
  describeDowngrade,
  describeIndexes,
  describeMigrations,
  describeProcesses,
  describeRetention,
  describeSettings,
} from './describe-upgrade.js';
import type { Upgrade } from './judge-version.js';
import type { Release } from './release.js';

const from: Release = {
  ...{ minor: '1.0', dataLevel: 0, playSchema: 1, deletes: ['plays after 7d', 'flows after 90d'] },
  settings: { KEPT: '1', GONE: '', MOVED: '5', NEEDED: '' },
};
const to: Release = {
  ...{ minor: '1.1', dataLevel: 2, playSchema: 1, deletes: ['plays after 3d', 'flows after 90d'] },
  settings: { KEPT: '1', MOVED: '7', NEEDED: null, NEW: '' },
};
const upgrade: Upgrade = { fromVersion: '1.0.3', toVersion: '1.1.0', from, to };
const same: Upgrade = { ...upgrade, to: { ...from, minor: '1.1' } };
const ahead = (phase: MigrationAhead['phase'], documents = 12_000, seconds = 120): MigrationAhead => ({
  ...{ id: `a-${phase}`, phase, what: 'It changes something.', documents, seconds },
});

describe('processes', () => {
  it('are replaced one after another', () => {
    expect(describeProcesses(upgrade, [ahead('expand'), ahead('contract')])).toMatchObject({
      ...{
        check: 'upgrade.processes',
        severity: 'ok',
        says: expect.stringMatching(/^No standstill: .+ api last\.$/) as string,
      },
    });
  });

  it('are all stopped first where versions cannot share the database', () => {
    expect(describeProcesses(upgrade, [ahead('standstill'), ahead('migrate')])).toMatchObject({
      severity: 'warning',
      says: 'Standstill: 1.0.3 and 1.1.0 cannot share the database (a-standstill).',
      advice: expect.stringMatching(/^Stop all processes of 1\.0\.3/) as string,
    });
  });
});

describe('migrations', () => {
  it('are none', () => {
    expect(describeMigrations([])).toMatchObject([{ severity: 'ok', says: 'No migration will run.' }]);
  });

  it('have a size and a time, and warn when a process starts late because of them', () => {
    const found = describeMigrations([
      ahead('expand'),
      ahead('migrate', 3_000_000, 9_000),
      ahead('standstill', 1, 0.1),
    ]);
    expect(found.map(({ severity }) => severity)).toEqual(['warning', 'ok', 'ok']);
    expect(found[0]?.says).toBe(
      'a-expand (expand) will run before the first process is ready, while older ones work: It changes something. About 12,000 documents, 2 min.',
    );
    expect(found[1]?.says).toMatch(/by a scheduler, while all processes work: .+ About 3,000,000 documents, 3 h\.$/);
    expect(found[2]?.says).toMatch(/About 1 document, less than a second\.$/);
  });
});

describe('indexes', () => {
  const index = (collection: string, documents: number) => ({ collection, name: `${collection} {"a":1}`, documents });

  it('are none', () => {
    expect(describeIndexes([])).toMatchObject({ severity: 'ok', says: 'No index has to be built.' });
  });

  it('of one collection are built in one scan', () => {
    const found = describeIndexes([index('plays', 50_000), index('plays', 50_000), index('flows', 0)]);
    expect(found.severity).toBe('ok');
    expect(found.says).toMatch(/^3 indexes will be built before .+ 50,000 documents, 1 s: plays \{"a":1\}, plays/);
  });

  it('of many documents take long', () => {
    expect(describeIndexes([index('plays', 40_000_000)])).toMatchObject({
      ...{ severity: 'warning', says: expect.stringMatching(/^1 index will be built .+, 14 min: /) as string },
    });
  });
});

describe('a downgrade', () => {
  it('is possible', () => {
    expect(describeDowngrade(upgrade, [ahead('expand'), ahead('migrate')], [])).toMatchObject({
      ...{ severity: 'ok', says: 'A downgrade to 1.0.3 is possible, api first.' },
    });
  });

  it('leaves plays that the older version does not know to wait', () => {
    const newer = { ...upgrade, to: { ...to, playSchema: 2 } };
    expect(describeDowngrade(newer, [], []).says).toMatch(/Plays that 1\.1\.0 has accepted then wait for it\.$/);
  });

  it('ends where a migration removes what the older version needs', () => {
    expect(describeDowngrade(upgrade, [ahead('contract')], [])).toMatchObject({
      ...{ severity: 'warning', says: 'A downgrade to 1.0.3 is possible until a-contract runs.' },
    });
    expect(describeDowngrade(upgrade, [ahead('standstill')], []).says).toMatch(
      /is not possible once the first process/,
    );
    expect(describeDowngrade(upgrade, [], ['a-contract']).says).toBe(
      '1.0.3 cannot be started again: a-contract has run.',
    );
  });
});

describe('what retention deletes by default', () => {
  it('is said', () => {
    expect(describeRetention(same, ['plays after 2d'])).toMatchObject({
      severity: 'ok',
      says: 'Where a company has no policy, retention deletes plays after 2d. The defaults are those of 1.0.3.',
    });
  });

  it('warns where it is something else than before', () => {
    expect(describeRetention(upgrade, ['plays after 3d'])).toMatchObject({
      ...{
        severity: 'warning',
        says: expect.stringMatching(/Other defaults than in 1\.0\.3: plays after 3d\.$/) as string,
      },
    });
  });
});

describe('settings', () => {
  it('that went count where they are set, and defaults that changed where they are not', () => {
    expect(describeSettings(upgrade, { GONE: 'x', KEPT: '2' }).map(({ says }) => says)).toEqual([
      'GONE is set, and no longer exists.',
      'MOVED is not set, and its default changes from 5 to 7.',
      'NEEDED is not set, and its default changes from empty to none (it must be set).',
    ]);
    const found = describeSettings(upgrade, { GONE: '', MOVED: '5', NEEDED: 'y', NEW: 'z' });
    expect(found).toMatchObject([{ severity: 'ok', says: expect.stringContaining('since 1.0.3') as string }]);
  });
});
