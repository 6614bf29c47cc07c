import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { EXIT, Exit } from '../io/exit.js';

/** An installation as one caller in one company. */
export interface Context {
  readonly url: string;
  readonly streamUrl?: string;
  readonly token: string;
  readonly company: string;
}

export interface Contexts {
  readonly current: string | null;
  readonly contexts: Readonly<Record<string, Context>>;
}

type Env = Readonly<Record<string, string | undefined>>;

const NOTHING: Contexts = { current: null, contexts: {} };
/** Only its owner reads it: there are keys in it. */
const MODE = 0o600;

export function contextsFile(env: Env): string {
  return env.WEFT_CONFIG ?? join(env.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'weft', 'contexts.json');
}

export function readContexts(env: Env): Contexts {
  let text: string;
  try {
    text = readFileSync(contextsFile(env), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return NOTHING;
    throw new Exit(EXIT.failed, `${contextsFile(env)} cannot be read: ${(error as Error).message}`);
  }
  try {
    return { ...NOTHING, ...(JSON.parse(text) as Contexts) };
  } catch {
    throw new Exit(EXIT.failed, `${contextsFile(env)} is not JSON.`, 'Remove it, and sign in again: weft login');
  }
}

/** As a whole or not at all: a file next to it takes its place. */
export function writeContexts(env: Env, contexts: Contexts): void {
  const file = contextsFile(env);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}`;
  writeFileSync(next, `${JSON.stringify(contexts, null, 2)}\n`, { mode: MODE });
  chmodSync(next, MODE);
  renameSync(next, file);
}

/** Whether others can read the file. */
export function isExposed(env: Env): boolean {
  try {
    return process.platform !== 'win32' && (statSync(contextsFile(env)).mode & 0o077) !== 0;
  } catch {
    return false;
  }
}

/** The environment wins; then the context that is named, or the current one. */
export function contextOf(env: Env, named: string | undefined): Context {
  const { current, contexts } = readContexts(env);
  const name = named ?? env.WEFT_CONTEXT ?? current;
  const stored = name === null || name === undefined ? undefined : contexts[name];
  if (named !== undefined && stored === undefined)
    throw new Exit(EXIT.usage, `There is no context ${named}.`, 'weft context list shows all of them.');
  // a key belongs to its installation: that of a context is not sent to another address
  const own = env.WEFT_URL === undefined || env.WEFT_URL === stored?.url ? stored : undefined;
  const [url, token] = [env.WEFT_URL ?? own?.url, env.WEFT_TOKEN ?? own?.token];
  if (!url || !token)
    throw new Exit(EXIT.notSignedIn, 'You are not signed in.', 'Run weft login, or set WEFT_URL and WEFT_TOKEN.');
  return { url, token, streamUrl: env.WEFT_STREAM_URL ?? own?.streamUrl, company: own?.company ?? '' };
}
