import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { clean } from './clean.js';
import { EXIT, Exit } from './exit.js';

/**
 * As a whole or not at all: a file next to it takes its place, also that of a link which somebody has put there.
 *
 * @throws Exit
 */
export function writeWhole(file: string, text: string, mode?: number): void {
  const next = `${file}.${randomBytes(8).toString('hex')}`;
  try {
    // `wx`: never through a link that somebody has put there
    writeFileSync(next, text, { flag: 'wx', ...(mode !== undefined && { mode }) });
    renameSync(next, file);
  } catch (error) {
    rmSync(next, { force: true });
    throw new Exit(EXIT.failed, `${clean(file)} cannot be written: ${clean((error as Error).message)}`);
  }
}
