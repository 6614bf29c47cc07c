import { CATALOG, type ChangeableKey, type SettingKey } from './catalog.js';
import type { SettingEntry } from './setting-entry.js';
import { SettingFault } from './parse.js';
import type { Settings } from './settings.js';

/** The source of a setting's value. */
export type SettingSource = 'environment' | 'file' | 'default';

/** One setting in a form that may be shown. */
export interface SettingReport {
  readonly key: SettingKey;
  /** The value in effect in this process; for a secret only whether it is set. */
  readonly value: unknown;
  readonly default: unknown;
  readonly source: SettingSource;
  readonly changeable: boolean;
  /** Whether only operators may see the value. */
  readonly operatorsOnly: boolean;
}

const MASK = '[secret]';
const REPORTS = new WeakMap<Settings, readonly SettingReport[]>();

/** Every setting of a process, in the order of the catalogue. */
export function reportSettings(settings: Settings): readonly SettingReport[] {
  const report = REPORTS.get(settings);
  if (!report) throw new TypeError('these settings were not read by loadSettings');
  return report;
}

/** Given by the process that read them. */
export function rememberReport(
  settings: Settings,
  effective: ReadonlyMap<SettingKey, unknown>,
  sourceOf: (key: SettingKey) => SettingSource,
): void {
  const keys = Object.keys(CATALOG) as SettingKey[];
  REPORTS.set(
    settings,
    keys.map((key) => {
      const { secret, changeable, operatorsOnly, otherwise }: SettingEntry<unknown> = CATALOG[key];
      const isRequired = mustBeGiven(otherwise);
      return {
        key,
        value: secret ? masked(effective.get(key)) : (effective.get(key) ?? null),
        default: isRequired ? null : secret ? masked(otherwise) : otherwise,
        source: sourceOf(key),
        changeable: changeable === true,
        operatorsOnly: operatorsOnly === true,
      };
    }),
  );
}

/** The default of every setting by its name in the environment, as one would write it there; null: a value must be given. */
export function settingDefaults(): Readonly<Record<string, string | null>> {
  const entries: readonly SettingEntry<unknown>[] = Object.values(CATALOG);
  const written = (value: unknown): string => (value === null ? '' : [value].flat().map(String).join());
  return Object.fromEntries(
    entries.map(({ env, otherwise }) => [env, mustBeGiven(otherwise) ? null : written(otherwise)]),
  );
}

function mustBeGiven(otherwise: unknown): boolean {
  return typeof otherwise === 'object' && otherwise !== null && 'required' in otherwise;
}

export function isSettingKey(text: string): text is SettingKey {
  return Object.hasOwn(CATALOG, text);
}

export function isChangeable(key: SettingKey): key is ChangeableKey {
  const { changeable }: SettingEntry<unknown> = CATALOG[key];
  return changeable === true;
}

/**
 * A new value for a setting that changes at run time, validated like a value from the environment.
 *
 * @returns the value, or what is wrong with it
 */
export function parseChange(
  key: ChangeableKey,
  value: unknown,
): { readonly value: unknown } | { readonly fault: string } {
  if (typeof value !== 'string' && typeof value !== 'number') return { fault: 'is neither a text nor a number' };
  try {
    return { value: CATALOG[key].parse(String(value)) };
  } catch (error) {
    if (error instanceof SettingFault) return { fault: error.message };
    throw error;
  }
}

function masked(value: unknown): typeof MASK | null {
  return value === null || value === undefined || value === '' || isEmptyList(value) ? null : MASK;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
