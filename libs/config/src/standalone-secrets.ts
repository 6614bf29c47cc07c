import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { makeFolder } from './make-folder.js';
import { SettingsError } from './settings-error.js';
import type { Settings } from './settings.js';

type MadeSecrets = Pick<Settings['secrets'], 'encKeySecret' | 'envKeySalt'>;

/**
 * The secrets of a standalone app that was given none: generated at its first start and stored in the data folder, readable by
 * its owner only. Without this file, every key and every encrypted value is lost.
 */
export function standaloneSecrets(dataDir: string): MadeSecrets {
  const path = join(dataDir, 'secrets.json');
  try {
    makeFolder(dataDir);
    return readSecrets(path) ?? makeSecrets(path);
  } catch (error) {
    if (error instanceof SettingsError) throw error;
    throw new SettingsError([
      `WEFT_DATA_DIR: the secrets cannot be kept there (${(error as Error).message}); write a folder that this user may write to`,
    ]);
  }
}

function readSecrets(path: string): MadeSecrets | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const kept = JSON.parse(text) as Partial<MadeSecrets>;
  if (isHex(kept.encKeySecret) && isHex(kept.envKeySalt)) {
    return { encKeySecret: kept.encKeySecret, envKeySalt: kept.envKeySalt };
  }
  throw new Error(`${path} does not hold the two secrets`);
}

/** Atomic, and the first of several processes wins: written to a temporary file, then linked under its name. */
function makeSecrets(path: string): MadeSecrets {
  const made = { encKeySecret: randomBytes(32).toString('hex'), envKeySalt: randomBytes(32).toString('hex') };
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  writeFileSync(draft, `${JSON.stringify(made)}\n`, { mode: 0o600, flag: 'wx', flush: true });
  try {
    linkSync(draft, path);
    return made;
  } catch (error) {
    const winner = (error as NodeJS.ErrnoException).code === 'EEXIST' ? readSecrets(path) : undefined;
    if (!winner) throw error;
    return winner;
  } finally {
    rmSync(draft, { force: true });
  }
}

function isHex(text: unknown): text is string {
  return typeof text === 'string' && /^[0-9a-f]{64,}$/.test(text);
}
