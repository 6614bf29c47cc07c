import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readdirSync } from 'node:fs';
import { stderr } from 'node:process';
import { join } from 'node:path';
import { freePort } from '#tools/servers/index.mjs';
import { spawnCommand, type spawnProcess } from '@weft/testing';
import type { ProductionInstall } from './production-install.js';

/** The user of the image. */
const USER = 10001;
const WITHOUT_RIGHTS = `setpriv --reuid ${USER} --regid ${USER} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all`;

/** How processes of a production installation start where they may write nothing but /tmp and their data folder. */
export interface ReadOnlyStart {
  readonly spawn: typeof spawnProcess;
  /** Whether the folders are mounted read-only, for a user without rights: that takes root, on Linux. */
  readonly isMounted: boolean;
  /** Whether a process could create a file among those of the product: must be false, or the test shows nothing. */
  readonly mayWrite: boolean;
}

/**
 * As root: in a mount namespace in which everything is read-only except an empty /tmp and the data folder, as user 10001 without
 * capabilities. Where that is not possible: as a user without rights (a user who is not root: as that user), in folders
 * that it may not write to; it says so.
 *
 * @param flags of Node, for each process
 */
export function readOnlyStart(install: ProductionInstall, flags: readonly string[] = []): ReadOnlyStart {
  const data = join(install.folder, 'data');
  mkdirSync(data);
  const isRoot = process.getuid?.() === 0;
  const isMounted = isRoot && mayMount();
  if (isRoot) chownSync(data, USER, USER);
  if (!isMounted) {
    stderr.write(
      'This machine lets this user mount nothing: the folders of the product are made unwritable instead.\n',
    );
    for (const folder of ['weft', 'weft/dist', 'weft/node_modules']) lock(join(install.folder, folder));
  }
  const place = isMounted ? MOUNTED : { weft: join(install.folder, 'weft'), node: join(install.folder, 'node'), data };
  const asUser = isMounted ? inNamespace(install.folder) : isRoot ? WITHOUT_RIGHTS.split(' ') : [];
  const inPlace = (command: readonly string[]): { readonly file: string; readonly args: readonly string[] } => {
    const [file = '', ...args] = [...asUser, ...command];
    return { file, args };
  };
  const spawn: typeof spawnProcess = async (app, env, { port: wanted, readyWithinMs } = {}) => {
    const port = wanted ?? (await freePort());
    const start = inPlace([place.node, ...flags, `dist/apps/${app}/src/main.js`]);
    const given = {
      ...env,
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      SERVER_PORT: String(port),
      WEFT_DATA_DIR: place.data,
    };
    return spawnCommand(app, { ...start, cwd: join(install.folder, 'weft'), env: given, port }, readyWithinMs);
  };
  const probe = inPlace(['touch', join(place.weft, 'dist', 'probe')]);
  const mayWrite = spawnSync(probe.file, probe.args).status === 0;
  return { spawn, isMounted, mayWrite };
}

/** Folders that every machine has. */
const MOUNTED = { weft: '/opt/weft', node: '/opt/node', data: '/mnt' };

/** Replaces itself by the program that follows, so that signals reach it. */
function inNamespace(folder: string): readonly string[] {
  const script = [
    'mount --bind "$1/data" /mnt',
    'mount --bind "$1" /opt',
    'mount -o remount,ro,bind /opt',
    'mount -t tmpfs -o mode=1777 tmpfs /tmp',
    'mount -o remount,ro,bind /',
    'cd /opt/weft',
    'shift',
    `exec ${WITHOUT_RIGHTS} "$@"`,
  ];
  return ['unshare', '--mount', '--', 'sh', '-ec', script.join('\n'), 'sh', folder];
}

function mayMount(): boolean {
  try {
    execFileSync('unshare', ['--mount', '--', 'sh', '-ec', 'mount -t tmpfs tmpfs /tmp'], { stdio: 'ignore' });
    return true;
  } catch {
    return false; // root of a container that may not
  }
}

/** The folder and those in it: the files are links to those of the checkout. */
function lock(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o555);
  }
  chmodSync(folder, 0o555);
}
