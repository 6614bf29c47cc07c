import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Node, type ParsedNode, type YAMLMap } from 'yaml';

import { CATALOG, type SettingKey } from './catalog.js';
import { withSecretFiles } from './secret-files.js';
import type { Environment } from './settings.js';

/** Where the settings file is, if not in its default location. */
const PATH_ENV = 'WEFT_CONFIG';
const USUAL_PATH = 'weft.yaml';

/** The content of a settings file: sections with keys, as in `CATALOG`. */
export interface ConfigFile {
  readonly path: string;
  /** In the format of the environment: lists separated by commas. */
  readonly values: ReadonlyMap<SettingKey, string>;
  /** The line of each. */
  readonly lines: ReadonlyMap<SettingKey, number>;
  /** Entries that are not settings, one line each. */
  readonly faults: readonly string[];
}

/**
 * Reads the file that `WEFT_CONFIG` names, otherwise `weft.yaml` in the working directory, if it exists. Scalars stay texts
 * (a secret of digits does not become a number). Never throws: errors are among its faults.
 */
export function readConfigFile(env: Environment): ConfigFile | null {
  const wanted = env[PATH_ENV]?.trim() ?? '';
  const path = resolve(wanted || USUAL_PATH);
  try {
    return parseConfigFile(path, readFileSync(path, 'utf8'));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    if (wanted === '' && code === 'ENOENT') return null;
    const place = wanted === '' ? path : `${PATH_ENV}: ${path}`;
    const fault = `${place} cannot be read (${code}); ${REMEDIES[code] ?? 'write the path of a YAML file'}`;
    return { path, values: new Map(), lines: new Map(), faults: [fault] };
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'let the user that runs this process read it',
  EISDIR: 'it is a folder: write the path of a YAML file in it',
};

export function parseConfigFile(path: string, text: string): ConfigFile {
  const counter = new LineCounter();
  const document = parseDocument(text, { schema: 'failsafe', lineCounter: counter, prettyErrors: false });
  const lines = new Map<SettingKey, number>();
  const values = new Map<SettingKey, string>();
  const faults: string[] = [];
  const fault = (at: number, message: string): void => {
    faults.push(`${path}:${counter.linePos(at).line} ${message}`);
  };
  for (const { pos, code, message } of document.errors) {
    const what = code === 'MULTIPLE_DOCS' ? 'a second document begins; write one' : message.replace(/\s+/g, ' ');
    fault(pos[0], `is no YAML that can be read: ${what}`);
  }
  if (faults.length === 0) {
    for (const [section, keys, at] of entriesOf(document.contents, (place) => fault(place, SHAPE))) {
      if (isMap(keys)) readSection(section, keys);
      else if (!isNothing(keys)) fault(at, `${section}: ${KEY_OF.get(section) ?? SHAPE}`);
    }
  }
  return { path, values, lines, faults };

  function readSection(section: string, keys: YAMLMap): void {
    for (const [name, value, at] of entriesOf(keys, (place) => fault(place, SHAPE))) {
      const key = `${section}.${name}`;
      const told = textOf(value);
      if (!isKey(key)) fault(at, `${key}: is no setting; ${insteadOf(section, name)}`);
      else if (told === null) fault(at, `${key}: write one value, or a list of values`);
      else if (told !== '') {
        values.set(key, told);
        lines.set(key, counter.linePos(at).line);
      }
    }
  }
}

/** The environment, completed by the secrets in files that it names and the values of the settings file. */
export function withConfigFile(given: Environment, file: ConfigFile | null): Environment {
  const env = withSecretFiles(given);
  const told = Object.entries(env).filter(([, value]) => value?.trim());
  const fromFile = [...(file?.values ?? [])].map(([key, text]): [string, string] => [CATALOG[key].env, text]);
  return Object.fromEntries([...Object.entries(env), ...fromFile, ...told]);
}

const KEYS = Object.keys(CATALOG) as SettingKey[];
const KEY_OF: ReadonlyMap<string, string> = new Map(
  KEYS.map((key) => [CATALOG[key].env, `is a name for the environment; write ${key.replace('.', ': { ')}: … }`]),
);

/** The setting that the author of an unknown key may have meant. */
function insteadOf(section: string, name: string): string {
  const elsewhere = KEYS.filter((key) => key.endsWith(`.${name}`));
  if (elsewhere.length > 0) return `write ${elsewhere.join(' or ')}`;
  const here = KEYS.filter((key) => key.startsWith(`${section}.`)).map((key) => key.slice(section.length + 1));
  if (here.length > 0) return `"${section}" has ${here.join(', ')}`;
  return `the sections are ${[...new Set(KEYS.map((key) => key.split('.')[0]))].join(', ')}`;
}

const SHAPE = 'write sections with keys, like "session:" and below it, indented, "ttl_hours: 2"';

function* entriesOf(
  node: Node | ParsedNode | null,
  onFault: (at: number) => void,
): Generator<readonly [name: string, value: unknown, at: number]> {
  if (isNothing(node)) return;
  if (!isMap(node)) return onFault(node?.range?.[0] ?? 0);
  for (const { key, value } of node.items) {
    if (!isScalar(key) || typeof key.value !== 'string') onFault((key as Node | null)?.range?.[0] ?? 0);
    else yield [key.value, value, key.range?.[0] ?? 0];
  }
}

/** A key without a value, or an empty file. */
function isNothing(node: unknown): boolean {
  return node === null || (isScalar(node) && textOf(node) === '');
}

function textOf(node: unknown): string | null {
  if (node === null) return '';
  if (isSeq(node)) {
    const items = node.items.map(scalarText);
    return items.includes(null) ? null : items.join(',');
  }
  const text = scalarText(node);
  return text !== null && isScalar(node) && node.type === 'PLAIN' && /^(~|null)$/i.test(text) ? '' : text;
}

function scalarText(node: unknown): string | null {
  return isScalar(node) && typeof node.value === 'string' ? node.value.trim() : null;
}

function isKey(text: string): text is SettingKey {
  return Object.hasOwn(CATALOG, text);
}
