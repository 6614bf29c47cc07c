import { limitKeyOf, limitOf } from '@weft/contracts';
import type { Flow, FlowPatch } from '../queries';
import { jsonText, pairsText, readObject, readPairs } from '../../values/json-text';

/** Settings as fields of a form: an empty one is none. */
export interface SettingsForm {
  readonly name: string;
  readonly key: string;
  readonly category: string;
  readonly description: string;
  readonly isBlueprint: boolean;
  readonly when: string;
  readonly concurrency: number | '';
  readonly limitKey: string;
  readonly priority: number | '';
  readonly timeoutSeconds: number | '';
  readonly onMissing: Flow['settings']['onMissing'];
  readonly maxOutputKb: number | '';
  readonly lane: string;
  readonly onLaneFail: Flow['settings']['onLaneFail'];
  readonly labels: string;
  readonly onFailure: string | null;
  readonly onDestinationDown: Flow['settings']['onDestinationDown'];
  readonly publish: Flow['settings']['publish'];
  /** JSON; empty: none. */
  readonly argsSchema: string;
  /** New values by name, as JSON: those that the flow has are not shown. */
  readonly blueprintVars: string;
}

export function formOf({ settings, ...flow }: Flow): SettingsForm {
  return {
    name: flow.name,
    key: flow.key ?? '',
    category: flow.category,
    description: flow.description,
    isBlueprint: flow.isBlueprint,
    when: flow.when ?? '',
    concurrency: limitOf(settings.concurrency) ?? '',
    limitKey: limitKeyOf(settings.concurrency) ?? '',
    priority: settings.priority ?? '',
    timeoutSeconds: settings.timeoutMs === null ? '' : settings.timeoutMs / 1_000,
    onMissing: settings.onMissing,
    maxOutputKb: settings.maxOutputBytes === null ? '' : settings.maxOutputBytes / 1_024,
    lane: settings.lane ?? '',
    onLaneFail: settings.onLaneFail,
    labels: pairsText(settings.labels),
    onFailure: settings.onFailure,
    onDestinationDown: settings.onDestinationDown,
    publish: settings.publish,
    argsSchema: flow.argsSchema ? jsonText(flow.argsSchema) : '',
    blueprintVars: '{}',
  };
}

/** Only what was changed, so that a change of others in other fields stays; null while a field has a fault. */
export function patchOf(before: SettingsForm, now: SettingsForm): FlowPatch | null {
  const labels = readPairs(now.labels);
  const [argsSchema, blueprintVars] = [readObject(now.argsSchema), readObject(now.blueprintVars)];
  if ('fault' in labels || 'fault' in argsSchema || 'fault' in blueprintVars || now.name.trim() === '') return null;
  const changed = (field: keyof SettingsForm): boolean => before[field] !== now[field];
  const settings = {
    ...((changed('concurrency') || changed('limitKey')) && { concurrency: concurrencyOf(now) }),
    ...(changed('priority') && { priority: now.priority === '' ? null : now.priority }),
    ...(changed('timeoutSeconds') && { timeoutMs: times(now.timeoutSeconds, 1_000) }),
    ...(changed('onMissing') && { onMissing: now.onMissing }),
    ...(changed('maxOutputKb') && { maxOutputBytes: times(now.maxOutputKb, 1_024) }),
    ...(changed('lane') && { lane: now.lane.trim() === '' ? null : now.lane.trim() }),
    ...(changed('onLaneFail') && { onLaneFail: now.onLaneFail }),
    ...(changed('labels') && { labels: labels.value }),
    ...(changed('onFailure') && { onFailure: now.onFailure }),
    ...(changed('onDestinationDown') && { onDestinationDown: now.onDestinationDown }),
    ...(changed('publish') && { publish: now.publish }),
  };
  return {
    ...(changed('name') && { name: now.name.trim() }),
    ...(changed('key') && { key: now.key.trim() === '' ? null : now.key.trim() }),
    ...(changed('category') && { category: now.category.trim() }),
    ...(changed('description') && { description: now.description }),
    ...(changed('isBlueprint') && { isBlueprint: now.isBlueprint }),
    ...(changed('when') && { when: now.when.trim() === '' ? null : now.when.trim() }),
    ...(changed('argsSchema') && { argsSchema: now.argsSchema.trim() === '' ? null : argsSchema.value }),
    ...(changed('blueprintVars') && { blueprintVars: blueprintVars.value as Record<string, string> }),
    ...(Object.keys(settings).length > 0 && { settings }),
  };
}

/** Names of the fields that differ, for people. */
export function changedFields(before: SettingsForm, now: SettingsForm): readonly (keyof SettingsForm)[] {
  return (Object.keys(now) as (keyof SettingsForm)[]).filter((field) => before[field] !== now[field]);
}

function concurrencyOf({ concurrency: limit, limitKey }: SettingsForm): Flow['settings']['concurrency'] {
  const key = limitKey.trim();
  return limit === '' ? null : key === '' ? limit : { limit, key };
}

const times = (value: number | '', by: number): number | null => (value === '' ? null : Math.round(value * by));
