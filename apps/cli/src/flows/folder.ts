import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { FlowDocument } from '@weft/client';
import { renamed } from '@weft/shapes';
import { clean } from '../io/clean.js';
import { EXIT, Exit } from '../io/exit.js';
import { isFolder } from './document.js';
import { LOCK_FILE } from './lock.js';

/** Of a flow: docs/flows.md. It has neither slashes nor a dot at its start, so that a file of a folder can have it as its name. */
const KEY = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/;

/** The folder that a path means: itself, or that of a file with a lock next to it; null: a document by itself. */
export function folderOf(path: string): string | null {
  if (isFolder(path)) return path;
  return existsSync(join(dirname(path), LOCK_FILE)) ? dirname(path) : null;
}

/** The name of a file is the key of its flow. @throws Exit */
export function keyOf(file: string): string {
  const key = basename(file, '.json');
  if (isKey(key)) return key;
  throw new Exit(
    EXIT.usage,
    `${clean(file)}: in a folder the name of a file is the key of its flow, and this cannot be one.`,
    'A key has letters, digits, "_", "." and "-", starts with a letter or a digit, and has at most 100 characters.',
  );
}

/** @throws Exit for what would not be a file of its own in the folder */
export function fileOf(folder: string, key: string): string {
  if (isKey(key)) return join(folder, `${key}.json`);
  throw new Exit(EXIT.failed, `The key ${clean(key)} cannot be the name of a file.`, 'Give the flow another key.');
}

function isKey(key: string): boolean {
  return KEY.test(key) && `${key}.json`.toLowerCase() !== LOCK_FILE;
}

/** Two keys that some file systems take for one. @throws Exit */
export function assertDistinct(keys: readonly string[]): void {
  const seen = new Map<string, string>();
  for (const key of keys) {
    const other = seen.get(key.toLowerCase());
    if (other !== undefined && other !== key)
      throw new Exit(
        EXIT.failed,
        `The keys ${clean(other)} and ${clean(key)} differ in case only: on some machines they are one file.`,
        'Give one of the flows another key.',
      );
    seen.set(key.toLowerCase(), key);
  }
}

/** The keys of the flows that a document runs. */
export function keysRun(document: FlowDocument): ReadonlySet<string> {
  const keys = new Set<string>();
  renamed(document, (kind, text) => {
    if (kind === 'flow') keys.add(text);
    return text;
  });
  return keys;
}

interface Item {
  readonly key: string | null;
  readonly file: string;
  readonly document: FlowDocument;
}

/**
 * The items in an order in which each comes after those whose keys it names and that are made first. Others keep their places.
 *
 * @param made keys that no flow has yet
 * @throws Exit for a circle
 */
export function inOrderOfUse<T extends Item>(items: readonly T[], made: ReadonlySet<string>): T[] {
  const ordered = new Set<T>();
  const path: T[] = [];
  const visit = (item: T): void => {
    if (ordered.has(item)) return;
    if (path.includes(item)) throw circle([...path.slice(path.indexOf(item)), item]);
    path.push(item);
    const keys = keysRun(item.document);
    for (const other of items) if (other.key !== null && made.has(other.key) && keys.has(other.key)) visit(other);
    path.pop();
    ordered.add(item);
  };
  items.forEach(visit);
  return [...ordered];
}

function circle(items: readonly Item[]): Exit {
  return new Exit(
    EXIT.failed,
    `Nothing was changed: ${items.map(({ file }) => clean(file)).join(' → ')} run each other in a circle, and none of these flows is there yet.`,
    'Take the layer (or settings.onFailure) that names the next flow out of one of these documents, apply, put it back, and apply again.',
  );
}

/** Names nothing: an id, so that the server does not look for a key. */
const NOT_YET = '0'.repeat(20);

/** The document for a judgement before the flows with these keys are made: it names them as something that is not there. */
export function beforeMaking(document: FlowDocument, made: ReadonlySet<string>): FlowDocument {
  const named = renamed(document, (kind, text) => (kind === 'flow' && made.has(text) ? NOT_YET : text));
  // the flow for failures must be there
  return named.settings.onFailure === NOT_YET ? { ...named, settings: { ...named.settings, onFailure: null } } : named;
}
