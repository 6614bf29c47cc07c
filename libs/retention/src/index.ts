export { describeDefaults } from './describe-defaults.js';
export { BATCH_SIZE, companiesAtOnce, cutoffOf, entriesDue, pauseAfter, type Entry } from './due.js';
export { DURATION_SAYS, durationMs, knownDurationMs } from './duration.js';
export { SPECIFIED_DEFAULTS, effectiveTerms, type RetentionDefaults, type RetentionPolicy } from './policy.js';
export { playRules, ruleOf, type GroupedFlow, type PlayRule, type RetentionRule } from './rules.js';
export {
  RETENTION_COLLECTIONS,
  RETENTION_SCOPES,
  type GeneralScope,
  type RetentionCollection,
  type RetentionScope,
} from './scope.js';
