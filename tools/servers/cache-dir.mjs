import { accessSync, constants, mkdirSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/**
 * Where downloaded server binaries are kept: one folder per user, so that the next clone finds them. `WEFT_CACHE_DIR` sets it.
 * Without a writable home folder it is in the temporary folder.
 * @param {NodeJS.ProcessEnv} env
 */
export function cacheDir(env) {
  const wanted = env.WEFT_CACHE_DIR ?? join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'weft');
  try {
    mkdirSync(wanted, { recursive: true });
    accessSync(wanted, constants.W_OK);
    return wanted;
  } catch (error) {
    if (env.WEFT_CACHE_DIR !== undefined) throw error;
    const fallback = join(tmpdir(), `weft-cache-${userInfo().uid}`);
    mkdirSync(fallback, { recursive: true, mode: 0o700 });
    return fallback;
  }
}
