import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TaggedDocument, Weft } from '@weft/client';
import { clean, toJson } from '../io/clean.js';
import { EXIT, Exit } from '../io/exit.js';
import { writeWhole } from '../io/write-whole.js';

export const LOCK_FILE = 'weft.lock.json';
const LOCK_SCHEMA = 'weft.lock/1';

/** A flow and its document, as both were when they last were the same. */
export interface Synced {
  readonly id: string;
  /** Of the flow's document; null: a proxy has removed it. */
  readonly tag: string | null;
  /** A digest of what the server exported. */
  readonly flow: string;
  /** A digest of the text of the file. */
  readonly file: string;
}

type Flows = Readonly<Record<string, Synced>>;

interface LockFile {
  readonly schema: typeof LOCK_SCHEMA;
  /** By installation and company; then by the flow's key. */
  readonly environments: Readonly<Record<string, Flows>>;
}

/** What was last applied from a folder, or pulled into it, in one environment: an installation and a company. */
export class Lock {
  private constructor(
    private readonly folder: string,
    private readonly environment: string,
    private readonly flows: Flows,
  ) {}

  static async open(weft: Weft, url: string, folder: string): Promise<Lock> {
    const { company_id: company } = await weft.me();
    const environment = `${new URL(url).origin} ${clean(company)}`;
    const { environments } = readLock(folder);
    return new Lock(folder, environment, own(environments, environment) ?? {});
  }

  of(key: string): Synced | undefined {
    return own(this.flows, key);
  }

  /** Whether the flow is what it was then: it has not been changed at all, or is the same again. */
  isUnchanged(key: string, id: string, { tag, document }: TaggedDocument): boolean {
    const synced = this.of(key);
    if (synced?.id !== id) return false;
    return (tag !== null && tag === synced.tag) || digestOf(toJson(document)) === synced.flow;
  }

  /** Written at once: whatever ends the command, it says nothing that was not so. What others have noted meanwhile stays. */
  set(key: string, id: string, { tag, document }: TaggedDocument, file: string): void {
    const { environments } = readLock(this.folder);
    const synced: Synced = { id, tag, flow: digestOf(toJson(document)), file };
    const flows = inOrder({ ...own(environments, this.environment), [key]: synced });
    const next: LockFile = {
      schema: LOCK_SCHEMA,
      environments: inOrder({ ...environments, [this.environment]: flows }),
    };
    const text = `${JSON.stringify(next, null, 2)}\n`;
    const path = join(this.folder, LOCK_FILE);
    if (textOf(path) !== text) writeWhole(path, text);
  }
}

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function readLock(folder: string): LockFile {
  const path = join(folder, LOCK_FILE);
  const text = textOf(path);
  if (text === null) return { schema: LOCK_SCHEMA, environments: {} };
  try {
    const lock = JSON.parse(text) as Partial<LockFile> | null;
    const { environments } = lock ?? {};
    if (lock?.schema === LOCK_SCHEMA && typeof environments === 'object') return { schema: LOCK_SCHEMA, environments };
  } catch {
    // as what is not a lock
  }
  throw new Exit(
    EXIT.failed,
    `${clean(path)} is not a lock that this version of weft can read.`,
    'Resolve its conflicts if Git has left some, or take it from an earlier commit. Without the file, apply cannot see what others have changed.',
  );
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new Exit(EXIT.failed, `${clean(path)} cannot be read: ${clean((error as Error).message)}`);
  }
}

function own<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function inOrder<T>(values: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
}
