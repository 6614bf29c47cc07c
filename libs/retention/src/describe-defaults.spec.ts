import { describe, expect, it } from 'vitest';
import { describeDefaults } from './describe-defaults.js';
import { SPECIFIED_DEFAULTS } from './policy.js';

describe('what the defaults delete', () => {
  it('is said for every scope, with age and number', () => {
    expect(describeDefaults(SPECIFIED_DEFAULTS)).toEqual([
      'ended plays after 7d, beyond the newest 1,000',
      'results of their layers after 7d, beyond the newest 5,000',
      'flows neither changed nor run after 90d, beyond the newest 100',
      'deleted flows for good after 30d, beyond the newest 10',
      'audit entries after 30d, beyond the newest 10',
      'key-value entries with a ttl after 1d, beyond the newest 100',
    ]);
  });

  it('is said with the floors that hold whatever the settings say', () => {
    const audit = { cadence: '1d', minEntries: 0, enforcedMinimum: '0' };
    expect(describeDefaults({ ...SPECIFIED_DEFAULTS, audit })).toContain(
      'audit entries after 14d, beyond the newest 10',
    );
  });
});
