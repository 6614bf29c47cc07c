/** From the files of an archive to one document: a reference to another file becomes one within the document. */
import { basename, dirname, extname, join } from 'node:path/posix';
import { entriesOf, isObject, own, textOf, type JsonObject } from '../json.js';
import { MAX_DOCUMENT_BYTES } from '../limits.js';
import { DocumentFault, Unusable } from './document-fault.js';
import { assertBounded, parseDocument } from './parse-document.js';
import { putInParts } from './put-in-parts.js';
import { References } from './references.js';
import { rootOf } from './root-of-files.js';

/** By their paths, `schemas/order.yaml`, relative to the root of the archive. */
export type DocumentFiles = ReadonlyMap<string, Uint8Array>;

type Changeable = Record<string, unknown>;

/** Field of the document with the other files. The upgrade to OpenAPI 3.1 takes what is below such a name for schemas. */
const FILES = 'filesSchema';
/** Endings of files that may be parts of a document. */
const ENDINGS = ['.json', '.yaml', '.yml'];

/**
 * The document of the root file, with each other file that it leads to as a definition, by its folder and name. A reference to what is
 * not among the files stays as it is.
 *
 * @throws DocumentFault
 */
export function joinFiles(files: DocumentFiles): JsonObject {
  const root = rootOf(files);
  const read = new FileReading(files, root);
  const document = read.value(root);
  if (!isObject(document)) throw new DocumentFault(`The file "${root}" is not an object.`);
  const others = [...othersIn(read, root)];
  if (read.isSwagger) return bounded(withDefinitions(document, Object.fromEntries(others)));
  const folders: Record<string, { $defs: Changeable }> = {};
  for (const [path, value] of others) (folders[dirname(path)] ??= { $defs: {} }).$defs[read.nameOf(path)] = value;
  const joined: Changeable = { ...document, ...(others.length > 0 && { [FILES]: { $defs: folders } }) };
  takeIn(joined, ['paths', 'components'], joined);
  if (isObject(joined.components)) takeIn(joined.components, Object.keys(joined.components), joined);
  return bounded(joined);
}

/** The files to which references lead, each once. */
function* othersIn(read: FileReading, root: string): Generator<[path: string, value: unknown]> {
  for (const path of read.found) if (path !== root) yield [path, read.value(path)];
}

function bounded(document: JsonObject): JsonObject {
  assertBounded(document, 'The document');
  return document;
}

/** Of Swagger 2.0, whose upgrade knows schemas as `definitions`, by their paths, and everything else in its place. */
function withDefinitions(document: JsonObject, files: JsonObject): JsonObject {
  const own: Changeable = { definitions: document.definitions };
  takeIn(own, ['definitions'], { ...document, definitions: files });
  const joined = { ...document, definitions: { ...files, ...(isObject(own.definitions) && own.definitions) } };
  putInParts(joined);
  return joined;
}

/** Reads each file once. In what it gives, references to files are those of the document that is made of them. */
class FileReading {
  private readonly files: DocumentFiles;
  private readonly root: string;
  private readonly values = new Map<string, unknown>();
  private bytes = 0;
  isSwagger = false;
  /** Files that the ones which were read refer to. What is added while somebody walks over it is visited, too. */
  readonly found = new Set<string>();

  constructor(files: DocumentFiles, root: string) {
    this.files = files;
    this.root = root;
  }

  value(path: string): unknown {
    if (!this.values.has(path)) this.values.set(path, this.read(path));
    return this.values.get(path);
  }

  /** Without its ending, where no other file in its folder has this name. */
  nameOf(path: string): string {
    const name = basename(path, extname(path));
    const isOne = ENDINGS.filter((end) => this.files.has(join(dirname(path), name + end))).length === 1;
    return isOne ? name : basename(path);
  }

  private read(path: string): unknown {
    const bytes = this.files.get(path) ?? new Uint8Array();
    this.bytes += bytes.byteLength;
    if (this.bytes > MAX_DOCUMENT_BYTES) {
      throw new DocumentFault(`The files of the document have more than ${MAX_DOCUMENT_BYTES} bytes.`);
    }
    const value = parseDocument(bytes, `The file "${path}"`);
    if (path === this.root) this.isSwagger = textOf(value, 'openapi') === undefined;
    this.pointInside(value, path);
    return value;
  }

  /** Changes the references in the value. Aliases of YAML are one object in several places, which is changed once. */
  private pointInside(value: unknown, path: string): void {
    const seen = new Set<unknown>();
    const left = [value];
    while (left.length > 0) {
      const node = left.pop();
      if (typeof node !== 'object' || node === null || seen.has(node)) continue;
      seen.add(node);
      left.push(...(Object.values(node) as unknown[]));
      const ref = textOf(node, '$ref');
      if (ref !== undefined) (node as Changeable).$ref = this.inside(ref, path);
      const mapping = own(own(node, 'discriminator'), 'mapping');
      if (!isObject(mapping) || seen.has(mapping)) continue;
      seen.add(mapping);
      for (const [name, target] of entriesOf(mapping)) {
        if (typeof target === 'string') (mapping as Changeable)[name] = this.inside(target, path);
      }
    }
  }

  private inside(ref: string, path: string): string {
    const [file = '', fragment = ''] = ref.split(/#(.*)/s, 2);
    const target = file === '' && ref.startsWith('#') ? path : at(file, path);
    const isPointer = fragment === '' || fragment.startsWith('/');
    if (target === null || !isPointer || !this.files.has(target)) return ref;
    this.found.add(target);
    if (target === this.root) return `#${fragment}`;
    if (this.isSwagger) return `#/definitions/${step(target)}${fragment}`;
    return `#/${FILES}/$defs/${step(dirname(target))}/$defs/${step(this.nameOf(target))}${fragment}`;
  }
}

/** Null: outside of the archive. */
function at(file: string, path: string): string | null {
  if (file === '' || /^([a-z][a-z0-9+.-]*:|\/)/i.test(file)) return null;
  const joined = join(dirname(path), decoded(file));
  return joined.startsWith('../') ? null : joined;
}

function decoded(file: string): string {
  try {
    return decodeURIComponent(file);
  } catch {
    return file;
  }
}

/** RFC 6901 in a fragment. */
function step(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** Puts fields that are references to files in their places: everything else of a document refers to what is in them. */
function takeIn(node: Changeable, names: readonly string[], document: JsonObject): void {
  const references = new References(document);
  for (const name of names) {
    if (textOf(node[name], '$ref') === undefined) continue;
    try {
      node[name] = references.follow(node[name]).value;
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      throw new DocumentFault(`"${name}" of the document ${error.message}.`);
    }
  }
}
