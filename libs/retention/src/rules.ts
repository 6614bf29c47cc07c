/**
 * Turns policies into rules: which policy governs which entries, and how long these are kept. Decides precedence
 * (docs/retention.md): the most specific level that has a policy governs; within a level an entry is deleted only when
 * every policy of the level allows it; the largest enforced minimum of all levels that apply always holds. `due.ts` decides
 * what is due under a rule.
 */
import { knownDurationMs } from './duration.js';
import { effectiveTerms, type RetentionDefaults, type RetentionPolicy, type RetentionTerms } from './policy.js';
import type { GeneralScope, RetentionScope } from './scope.js';

/** What is kept of the entries that a rule governs: the newest `minEntries`, and all that are younger than `keepMs`. */
export interface RetentionRule {
  readonly scope: RetentionScope | null;
  /** The policy with the longest cadence; null: the default applies. */
  readonly policyId: string | null;
  readonly keepMs: number;
  readonly minEntries: number;
}

/** A rule for plays, with the flows whose plays it governs. */
export interface PlayRule extends RetentionRule {
  /** The plays of these flows, or of all flows except these. */
  readonly flows: { readonly only: readonly string[] } | { readonly except: readonly string[] };
}

/** A flow that is in a flow group. */
export interface GroupedFlow {
  readonly flowId: string;
  readonly groupId: string;
}

/** The rule of a scope. Null when all policies of the company are disabled: nothing is deleted then. */
export function ruleOf(
  scope: GeneralScope,
  policies: readonly RetentionPolicy[],
  defaults: RetentionDefaults,
): RetentionRule | null {
  return ruleFrom(scope, generalTerms(scope, policies, defaults), 0);
}

/**
 * The rules for plays. Each final play is governed by exactly one of them, or by no rule where retention is switched off.
 */
export function playRules(
  policies: readonly RetentionPolicy[],
  grouped: readonly GroupedFlow[],
  defaults: RetentionDefaults,
): PlayRule[] {
  const enabled = policies.filter((policy) => policy.enabled);
  const ofFlows = Map.groupBy(
    enabled.filter(({ flowId }) => flowId !== null),
    ({ flowId }) => flowId as string,
  );
  const ofGroups = Map.groupBy(
    enabled.filter(({ flowGroupId }) => flowGroupId !== null),
    ({ flowGroupId }) => flowGroupId as string,
  );
  const groupOf = new Map(grouped.map(({ flowId, groupId }) => [flowId, groupId]));
  const general = generalTerms('plays', policies, defaults);
  const generalMinimumMs = longestMinimumMs(null, general);
  const governed = new Set<string>();
  const rules: PlayRule[] = [];

  for (const [flowId, own] of ofFlows) {
    const group = ofGroups.get(groupOf.get(flowId) ?? '') ?? [];
    const minimumMs = Math.max(generalMinimumMs, longestMinimumMs(null, group));
    const rule = ruleFrom(null, own, minimumMs);
    if (rule) rules.push({ ...rule, flows: { only: [flowId] } });
    governed.add(flowId);
  }
  for (const [groupId, own] of ofGroups) {
    const flows = grouped.filter((flow) => flow.groupId === groupId && !governed.has(flow.flowId));
    const only = flows.map(({ flowId }) => flowId);
    const rule = ruleFrom('flows.group', own, generalMinimumMs);
    if (rule && only.length > 0) rules.push({ ...rule, flows: { only } });
  }
  for (const { flowId, groupId } of grouped) if (ofGroups.has(groupId)) governed.add(flowId);
  const rest = ruleFrom('plays', general, 0);
  if (rest) rules.push({ ...rest, flows: { except: [...governed] } });
  return rules;
}

type Terms = RetentionTerms & { readonly id: string | null };

function generalTerms(
  scope: GeneralScope,
  policies: readonly RetentionPolicy[],
  defaults: RetentionDefaults,
): readonly Terms[] {
  const own = policies.filter((policy) => (policy.scope === 'audit_logs' ? 'audit' : policy.scope) === scope);
  return own.length > 0 ? own.filter((policy) => policy.enabled) : [{ id: null, ...defaults[scope] }];
}

function longestMinimumMs(scope: RetentionScope | null, terms: readonly Terms[]): number {
  return Math.max(0, ...terms.map((each) => knownDurationMs(effectiveTerms({ scope, ...each }).enforcedMinimum)));
}

/** @param minimumMs enforced by less specific levels */
function ruleFrom(scope: RetentionScope | null, terms: readonly Terms[], minimumMs: number): RetentionRule | null {
  const [first, ...others] = terms;
  if (!first) return null;
  const longest = others.reduce((one, other) => (cadenceMs(other) > cadenceMs(one) ? other : one), first);
  return {
    scope,
    policyId: longest.id,
    keepMs: Math.max(cadenceMs(longest), longestMinimumMs(scope, terms), minimumMs),
    minEntries: Math.max(...terms.map((each) => effectiveTerms({ scope, ...each }).minEntries)),
  };
}

function cadenceMs({ cadence }: Terms): number {
  return knownDurationMs(cadence);
}
