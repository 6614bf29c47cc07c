import { chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { clean } from '../io/clean.js';
import { EXIT, Exit } from '../io/exit.js';
import { writeWhole } from '../io/write-whole.js';

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
const FOLDER_MODE = 0o700;

export function contextsFile(env: Env): string {
  return (
    env.WEFT_CONFIG || join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'weft', 'contexts.json')
  );
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
    const { current, contexts } = JSON.parse(text) as Partial<Contexts>;
    const entries = Object.entries(contexts ?? {}).filter(([, each]) => typeof each?.url === 'string');
    return { current: current ?? null, contexts: Object.fromEntries(entries) };
  } catch {
    throw new Exit(
      EXIT.failed,
      `${contextsFile(env)} is not a file of contexts.`,
      'Remove it, and sign in again: weft login',
    );
  }
}

export function writeContexts(env: Env, contexts: Contexts): void {
  const file = contextsFile(env);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: FOLDER_MODE });
    // a folder that somebody else has chosen may be shared
    if (!env.WEFT_CONFIG) chmodSync(dirname(file), FOLDER_MODE);
  } catch (error) {
    throw new Exit(EXIT.failed, `${file} cannot be written: ${(error as Error).message}`);
  }
  writeWhole(file, `${JSON.stringify(contexts, null, 2)}\n`, MODE);
}

/** Whether others can read the file. */
export function isExposed(env: Env): boolean {
  try {
    return process.platform !== 'win32' && (statSync(contextsFile(env)).mode & 0o077) !== 0;
  } catch {
    return false;
  }
}

/**
 * The environment wins; then the context that is named, or the current one. A key that is stored goes only to the installation
 * that it was stored for, and its live streams.
 */
export function contextOf(env: Env, named: string | undefined): Context {
  const { current, contexts } = readContexts(env);
  const name = named ?? (env.WEFT_CONTEXT || current);
  const stored = name !== null && Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (stored === undefined && (named !== undefined || env.WEFT_CONTEXT))
    throw new Exit(EXIT.usage, `There is no context ${clean(name)}.`, 'weft context list shows all of them.');
  const own = env.WEFT_URL && !isSamePlace(env.WEFT_URL, stored?.url) ? undefined : stored;
  const [url, token] = [env.WEFT_URL || own?.url, env.WEFT_TOKEN || own?.token];
  if (!url || !token)
    throw new Exit(
      EXIT.notSignedIn,
      stored && !own ? 'You are signed in, but not to the address in WEFT_URL.' : 'You are not signed in.',
      'Run weft login, or set WEFT_URL and WEFT_TOKEN.',
    );
  const streamUrl = env.WEFT_STREAM_URL || own?.streamUrl;
  const isKnown = [own?.url, own?.streamUrl].some((each) => isSamePlace(streamUrl, each));
  if (streamUrl && !env.WEFT_TOKEN && !isKnown)
    throw new Exit(
      EXIT.usage,
      'WEFT_STREAM_URL is not an address of the context, and the key of the context is not sent there.',
      'weft login --stream-url <address> stores the address with the key; else unset WEFT_STREAM_URL, or set WEFT_TOKEN, too.',
    );
  return { url, token, streamUrl, company: own?.company ?? '' };
}

function isSamePlace(one: string | undefined, other: string | undefined): boolean {
  const origin = URL.parse(one ?? '')?.origin;
  return origin !== undefined && origin === URL.parse(other ?? '')?.origin;
}
