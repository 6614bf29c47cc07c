import { mkdirSync } from 'node:fs';
import type { FlowDocument, Weft } from '@weft/client';
import { clean, toJson } from '../io/clean.js';
import { EXIT, Exit } from '../io/exit.js';
import type { Colour } from '../io/terminal.js';
import { writeWhole } from '../io/write-whole.js';
import type { Session } from '../session/cli.js';
import { LEFT_OUT } from './differences.js';
import { documentsIn, type DocumentFile } from './document.js';
import { assertDistinct, fileOf, keyOf } from './folder.js';
import { digestOf, Lock } from './lock.js';
import { flowWithKey, stepsTo, storedOf, type Stored } from './stored.js';
import { readVars, withVars, type Vars } from './vars.js';

export interface PullOptions {
  readonly all?: boolean;
  readonly vars?: string;
  readonly force?: boolean;
}

/**
 * What became of a file: `written`; `same`: the flow is as it says; `edited`: it says something else, and the flow has not
 * changed; `conflict`: both have changed; `gone`: no flow has its key.
 */
type Outcome = 'written' | 'same' | 'edited' | 'conflict' | 'gone';

const SAYS: Readonly<Record<Outcome, readonly [Colour, string]>> = {
  written: ['green', 'written'],
  same: ['grey', 'as the flow is'],
  edited: ['yellow', 'has changes that were not applied'],
  conflict: ['red', 'has changes that were not applied, and the flow has others'],
  gone: ['yellow', 'no flow has this key; the file stays'],
};

/** Writes the documents of flows with keys: of those that are named, else of those that the folder has, else of all. */
export async function pull(session: Session, folder: string, names: readonly string[], options: PullOptions) {
  const { weft, terminal, url } = session;
  const vars = options.vars === undefined ? undefined : readVars(options.vars);
  mustBeFolder(folder);
  const files = new Map(documentsIn(folder).map((one) => [keyOf(one.file), one]));
  const isAll = options.all === true || (names.length === 0 && files.size === 0);
  const keys = isAll ? await allKeys(weft) : names.length > 0 ? [...names] : [...files.keys()];
  assertDistinct([...files.keys(), ...keys]);
  const lock = await Lock.open(weft, url, folder);
  const conflicts: string[] = [];
  for (const key of keys) {
    const path = fileOf(folder, key);
    const outcome = await pullOne(
      weft,
      { key, path, file: files.get(key) },
      { vars, lock, force: options.force === true },
    );
    if (outcome === 'conflict') conflicts.push(clean(path));
    if (terminal.isJson) terminal.json({ file: path, key, outcome });
    else if (outcome === 'written') terminal.line(clean(path));
    const [colour, says] = SAYS[outcome];
    terminal.say(terminal.tint(colour, `${clean(path)}: ${says}`));
  }
  if (conflicts.length > 0)
    throw new Exit(
      EXIT.failed,
      `These files were not written: ${conflicts.join(', ')}`,
      'Commit them, say --force to write them, and merge the two with Git.',
    );
}

interface Place {
  readonly key: string;
  readonly path: string;
  readonly file: DocumentFile | undefined;
}

interface Means {
  readonly vars: Vars | undefined;
  readonly lock: Lock;
  readonly force: boolean;
}

async function pullOne(weft: Weft, { key, path, file }: Place, { vars, lock, force }: Means): Promise<Outcome> {
  const found = await flowWithKey(weft, key);
  if (!found) return 'gone';
  const stored = await storedOf(weft, found.id);
  const { exported } = stored;
  if (file) {
    if (stepsTo(stored, withVars(file.document, vars)).length === 0) {
      lock.set(key, found.id, exported, file.digest);
      return 'same';
    }
    const isMine = lock.isUnchanged(key, found.id, exported);
    const isTheirs = lock.of(key)?.file === file.digest;
    if (!force && !isTheirs) return isMine ? 'edited' : 'conflict';
  }
  const text = `${toJson(toWrite(stored, file?.document, vars), 2)}\n`;
  writeWhole(path, text);
  lock.set(key, found.id, exported, digestOf(text));
  return 'written';
}

/** The values of the environment stay in its own file. */
function toWrite({ exported: { document } }: Stored, before: FlowDocument | undefined, vars: Vars | undefined) {
  if (!vars || !document.blueprintVars) return document;
  const blueprintVars = Object.entries(document.blueprintVars).map(([name, value]) => [
    name,
    vars.values.has(name) ? (before?.blueprintVars?.[name] ?? LEFT_OUT) : value,
  ]);
  return { ...document, blueprintVars: Object.fromEntries(blueprintVars) as Record<string, string> };
}

async function allKeys(weft: Weft): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of weft.flows.list({ size: 200 })) if (key) keys.push(key);
  return keys.sort();
}

function mustBeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new Exit(EXIT.usage, `${clean(folder)} is not a folder: ${clean((error as Error).message)}`);
  }
}
