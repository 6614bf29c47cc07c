import { closeSync, openSync, readSync } from 'node:fs';

import { CATALOG, type SettingKey } from './catalog.js';
import type { SettingEntry } from './setting-entry.js';
import type { Environment } from './settings.js';

/** Appended to the name of a secret: names a file that contains it, as Docker and Kubernetes mount secrets. */
const SUFFIX = '_FILE';
/** Far above the longest secret: a wrong path (`/dev/zero`) must not fill the memory. */
const LARGEST_BYTES = 65_536;

/** The secrets that an environment gives as files. */
export interface SecretFiles {
  readonly values: ReadonlyMap<SettingKey, string>;
  /** One line each. */
  readonly faults: readonly string[];
}

const SECRETS = (Object.entries(CATALOG) as [SettingKey, SettingEntry<unknown>][]).filter(([, { secret }]) => secret);

/** Reads `NAME_FILE` of every secret NAME, without the white space around it. Never throws: errors are among its faults. */
export function readSecretFiles(env: Environment): SecretFiles {
  const values = new Map<SettingKey, string>();
  const faults: string[] = [];
  for (const [key, { env: name }] of SECRETS) {
    const path = env[name + SUFFIX]?.trim() ?? '';
    if (path === '') continue;
    const read = env[name]?.trim() ? { fault: `goes without ${name}; set one of them` } : readText(path);
    if ('text' in read) values.set(key, read.text);
    else faults.push(`${name}${SUFFIX}: ${read.fault}`);
  }
  return { values, faults };
}

/** The environment in which such a secret has its own name, for a process that passes it on. */
export function withSecretFiles(env: Environment): Environment {
  const { values } = readSecretFiles(env);
  const inFiles = new Set([...values.keys()].map((key) => CATALOG[key].env + SUFFIX));
  const others = Object.entries(env).filter(([name]) => !inFiles.has(name));
  const read = [...values].map(([key, text]): [string, string] => [CATALOG[key].env, text]);
  return Object.fromEntries([...others, ...read]);
}

function readText(path: string): { readonly text: string } | { readonly fault: string } {
  try {
    const text = readStart(path);
    if (text.length > LARGEST_BYTES) return { fault: `${path} is too large for a secret; name the file with its text` };
    return text.trim() === '' ? { fault: `${path} is empty; write the secret into it` } : { text: text.trim() };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    return { fault: `${path} cannot be read (${code}); ${REMEDIES[code] ?? 'write the path of a file'}` };
  }
}

const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'let the user that runs this process read it',
};

function readStart(path: string): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(LARGEST_BYTES + 1);
    let length = 0;
    for (let more = -1; more !== 0 && length < bytes.length; length += more) {
      more = readSync(file, bytes, length, bytes.length - length, null);
    }
    return bytes.toString('utf8', 0, length);
  } finally {
    closeSync(file);
  }
}
