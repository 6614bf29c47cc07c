import type { Parse } from './parse.js';

/** One setting: where it is read from, what it means, and its default. */
export interface SettingEntry<T> {
  readonly env: string;
  /** One sentence, with the unit. */
  readonly says: string;
  readonly parse: Parse<T>;
  /** The value when it is not set, or `required` with an example of what to write. */
  readonly otherwise: T | MustBeGiven;
  /** True: never shown in a message or on a page. */
  readonly secret?: true;
  /** True: an operator may change it while the processes run. */
  readonly changeable?: true;
  /** True: shown to operators only, because it reveals the machine, its network, or a company. */
  readonly operatorsOnly?: true;
}

interface MustBeGiven {
  readonly required: string;
}

export function setting<T>(
  env: string,
  says: string,
  parse: Parse<T>,
  otherwise: NoInfer<T> | MustBeGiven,
): SettingEntry<T>;
export function setting<T>(env: string, says: string, parse: Parse<T>, otherwise: null): SettingEntry<T | null>;
export function setting<T>(
  env: string,
  says: string,
  parse: Parse<T>,
  otherwise: T | MustBeGiven | null,
): SettingEntry<T | null> {
  return { env, says, parse, otherwise };
}

export function changeable<T>(entry: SettingEntry<T>): SettingEntry<T> & { readonly changeable: true } {
  return { ...entry, changeable: true };
}

export function operatorsOnly<T>(entry: SettingEntry<T>): SettingEntry<T> {
  return { ...entry, operatorsOnly: true };
}

export function secret<T>(
  env: string,
  says: string,
  parse: Parse<T>,
  otherwise: NoInfer<T> | MustBeGiven,
): SettingEntry<T>;
export function secret<T>(env: string, says: string, parse: Parse<T>, otherwise: null): SettingEntry<T | null>;
export function secret<T>(
  env: string,
  says: string,
  parse: Parse<T>,
  otherwise: T | MustBeGiven | null,
): SettingEntry<T | null> {
  return { env, says, parse, otherwise, secret: true };
}
