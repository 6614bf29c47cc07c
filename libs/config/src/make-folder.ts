import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const OWNER_ONLY = 0o700;

/**
 * Makes a folder and those above it that are missing, by default readable by their owner only. Not by Node's `recursive`: that tries for
 * ever where a file system takes no folders and says ENOENT (`/proc`).
 *
 * @throws the file system's error
 */
export function makeFolder(path: string, mode = OWNER_ONLY): void {
  const missing: string[] = [];
  for (let each = resolve(path); !existsSync(each); each = dirname(each)) missing.unshift(each);
  for (const each of missing) {
    try {
      mkdirSync(each, { mode });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // another process was faster
    }
  }
}
