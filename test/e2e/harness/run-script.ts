import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from '#tools/setup/root.mjs';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export interface Ran {
  readonly code: number;
  /** Everything that it wrote. */
  readonly said: string;
}

/**
 * Runs the program of an operator's npm script to its end.
 *
 * @param main below `dist/apps`
 * @param root the checkout whose build it is of
 */
export function runScript(
  main: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  root = ROOT,
): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { env: { ...process.env, ...env } };
    execFile(
      process.execPath,
      [...NODE_FLAGS, join(root, 'dist', 'apps', main), ...args],
      options,
      (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code) : 0, said: stdout + stderr });
      },
    );
  });
}
