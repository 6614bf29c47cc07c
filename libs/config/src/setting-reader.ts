import { CATALOG, type SettingKey, type SettingValue } from './catalog.js';
import type { ConfigFile } from './config-file.js';
import { SettingFault } from './parse.js';
import type { SettingSource } from './report-settings.js';
import { readSecretFiles } from './secret-files.js';
import type { SettingEntry } from './setting-entry.js';
import type { Environment } from './settings.js';

/** Reads settings one by one, from the environment, otherwise from the file, and collects their faults. */
export class SettingReader {
  /** The faults, one line each: "NAME: what is wrong, and what to write". */
  readonly faults: string[];
  /** The values read, and the defaults of the others. */
  readonly effective = new Map<SettingKey, unknown>();
  private readonly secrets: ReadonlyMap<SettingKey, string>;

  constructor(
    private readonly env: Environment,
    private readonly file: ConfigFile | null,
    /** What people configured, if the environment also has values that a program added. */
    private readonly said: Environment = env,
  ) {
    const { values, faults } = readSecretFiles(said);
    this.secrets = values;
    this.faults = [...(file?.faults ?? []), ...faults];
  }

  read<K extends SettingKey>(key: K): SettingValue<K> {
    const place = `${this.file?.path}:${this.file?.lines.get(key)} ${key}`;
    const { env } = CATALOG[key];
    const name = this.sourceOf(key) === 'file' ? place : this.secrets.has(key) ? `${env}_FILE` : env;
    return this.keep(
      key,
      readOne(key, this.given(key), (fault) => this.faults.push(`${name}: ${fault}`)),
    );
  }

  /** With another default than the catalogue's. */
  or<K extends SettingKey>(key: K, otherwise: SettingValue<K>): SettingValue<K> {
    return this.given(key) === '' ? this.keep(key, otherwise) : this.read(key);
  }

  readonly sourceOf = (key: SettingKey): SettingSource =>
    textIn(this.said, key) !== '' || this.secrets.has(key)
      ? 'environment'
      : this.inFile(key) !== ''
        ? 'file'
        : 'default';

  private keep<T>(key: SettingKey, value: T): T {
    this.effective.set(key, value);
    return value;
  }

  private given(key: SettingKey): string {
    return textIn(this.env, key) || this.secrets.get(key) || this.inFile(key);
  }

  private inFile(key: SettingKey): string {
    return this.file?.values.get(key) ?? '';
  }
}

function textIn(env: Environment, key: SettingKey): string {
  return env[CATALOG[key].env]?.trim() ?? '';
}

function readOne<K extends SettingKey>(key: K, text: string, onFault: (fault: string) => void): SettingValue<K> {
  const entry = CATALOG[key] as SettingEntry<SettingValue<K>>;
  try {
    if (text !== '') return entry.parse(text);
    if (isRequired(entry.otherwise)) throw new SettingFault(`is not set; write ${entry.otherwise.required}`);
    return entry.otherwise as SettingValue<K>;
  } catch (error) {
    if (!(error instanceof SettingFault)) throw error;
    const shown = entry.secret ? error.message.replaceAll(text || '\u0000', '…') : error.message;
    onFault(shown);
    return (isRequired(entry.otherwise) ? '' : entry.otherwise) as SettingValue<K>; // only to continue and find the other faults
  }
}

function isRequired(otherwise: unknown): otherwise is { required: string } {
  return typeof otherwise === 'object' && otherwise !== null && 'required' in otherwise;
}
