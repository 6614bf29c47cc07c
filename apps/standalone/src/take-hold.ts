import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Takes a file that holds the id of the one process that may go on, also when several try at the same moment. One that a
 * process left which is gone is taken over.
 *
 * @param isHolder whether a process that the file names is there, and one of those that take it
 * @returns null when it is taken; else the id of the process that has it
 */
export async function takeHold(
  path: string,
  pid: number,
  isHolder: (pid: number) => Promise<boolean>,
): Promise<number | null> {
  const draft = `${path}.${pid}`;
  writeFileSync(draft, String(pid), { mode: 0o600 });
  try {
    while (!isPlaced(draft, path)) {
      const other = namedIn(path);
      // the own id stands there where a process of that id was killed: in a container that is each one before
      if (other > 0 && other !== pid && (await isHolder(other))) return other;
      clearAway(path, other, `${draft}.left`);
    }
    return null;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** A link is made whole, and by one of several. */
function isPlaced(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** 0 where the file names nobody, or is gone. */
function namedIn(path: string): number {
  try {
    return Number(readFileSync(path, 'utf8')) || 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

/** Another process may have done so meanwhile, and have taken the file: then it gets it back. */
function clearAway(path: string, named: number, aside: string): void {
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (namedIn(aside) !== named) isPlaced(aside, path);
  rmSync(aside);
}
