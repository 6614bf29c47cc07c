import { longer } from './duration.js';
import { effectiveTerms, type RetentionDefaults } from './policy.js';
import type { GeneralScope } from './scope.js';

const NOUNS: readonly (readonly [GeneralScope, string])[] = [
  ['plays', 'ended plays'],
  ['play_layers', 'results of their layers'],
  ['flows.all', 'flows neither changed nor run'],
  ['flows.filtered', 'deleted flows for good'],
  ['audit', 'audit entries'],
  ['kv_stores', 'key-value entries with a ttl'],
];

/**
 * What the defaults delete, one phrase a scope, for operators who never set a policy: `ended plays after 7d, beyond the
 * newest 1,000`. The floors are applied.
 */
export function describeDefaults(defaults: RetentionDefaults): readonly string[] {
  return NOUNS.map(([scope, noun]) => {
    const terms = defaults[scope];
    const { minEntries, enforcedMinimum } = effectiveTerms({ scope, ...terms });
    return `${noun} after ${longer(terms.cadence, enforcedMinimum)}, beyond the newest ${minEntries.toLocaleString('en')}`;
  });
}
