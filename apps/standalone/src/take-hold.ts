import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Acquires a lock file with the id of the one process that may continue, even if several try at the same moment. The file of an
 * ended process is taken over.
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
      // our own id is in the file if a process with that id was killed: in a container, every earlier one had it
      if (other > 0 && other !== pid && (await isHolder(other))) return other;
      clearAway(path, other, `${draft}.left`);
    }
    return null;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Creating a link is atomic, and only one of several processes succeeds. */
function isPlaced(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** 0 if the file is empty or missing. */
function namedIn(path: string): number {
  try {
    return Number(readFileSync(path, 'utf8')) || 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

/** Another process may have removed and acquired the file meanwhile: then it gets it back. */
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
