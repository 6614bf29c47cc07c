import { DocumentFault, Unusable } from '../document/document-fault.js';
import type { DocumentFiles } from '../document/join-files.js';
import { readDocument } from '../document/read-document.js';
import { References } from '../document/references.js';
import { entriesOf, isObject, own, textOf, type JsonObject } from '../json.js';
import { BUNDLE_CHARS, MAX_IMPORT_CHARS, MAX_OPERATIONS } from '../limits.js';
import { SchemaLibrary } from '../schema/schema-library.js';
import { applyOverlay } from '../overlay/apply-overlay.js';
import type { Overlay } from '../overlay/overlay.js';
import { countsOf } from './counts.js';
import { Findings } from './findings.js';
import { nameOfId, nameOfPlace, uniqueNames } from './operation-name.js';
import type { ApiFacts, ImportReport, Operation } from './plan.js';
import { pointerOf, readOperation, type OperationPlace, type OperationSource } from './read-operation.js';
import { schemesIn } from './security.js';
import { baseOf, defaultServers, serversIn } from './servers.js';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];
/** What a path has besides operations that can be called. */
const UNCALLED = ['trace', 'query'];

export interface ReadApi {
  readonly facts: ApiFacts;
  readonly operations: readonly Operation[];
  readonly report: ImportReport;
}

/**
 * The operations of a document in JSON or YAML: Swagger 2.0, OpenAPI 3.0 or 3.1. Each operation is taken, or skipped with its reason.
 *
 * @param given its bytes, or the files of an archive
 * @param from the address that the document came from; null: none
 * @param overlay changes the document, once it is one of OpenAPI 3.1
 * @throws DocumentFault when nothing can be taken from it
 */
export function readApi(given: Uint8Array | DocumentFiles, from: string | null, overlay?: Overlay): ReadApi {
  const findings = new Findings();
  const { warn } = findings;
  const written = readDocument(given);
  const document = overlay ? applyOverlay(written, overlay, warn) : written;
  const references = new References(document);
  const base = baseOf(from);
  const schemes = schemesIn(document, references, warn);
  const servers = serversIn(document, base, '#/servers', warn) ?? defaultServers(base);
  const source = {
    document,
    references,
    args: new SchemaLibrary(references, 'args', warn),
    out: new SchemaLibrary(references, 'out', warn),
    warn,
    schemes,
  };
  const places = placesIn(document, references, findings).map(({ key, item, method, node }) => {
    const own = serversIn(node, base, pointerOf(key, method), warn) ?? serversIn(item, base, pointerOf(key), warn);
    return { key, item, method, node, servers: own ?? servers };
  });
  if (places.length > MAX_OPERATIONS) {
    throw new DocumentFault(`The document has ${places.length} operations; ${MAX_OPERATIONS} are allowed.`);
  }
  const names = uniqueNames(
    places.map(({ key, method, node }) => ({
      id: nameOfId(textOf(node, 'operationId')),
      place: nameOfPlace(method.toLowerCase(), key),
    })),
  );
  const named = places.map((place, i) => ({ ...place, name: names[i] ?? '' }));
  const operations = readAll(named, source, findings);
  if (places.length === 0) findings.warn('#/paths', 'has no operation');
  const facts = { ...factsOf(document, servers, schemes), ...countsOf(operations) };
  return { facts, operations, report: findings.report(operations.length) };
}

interface NamedPlace extends OperationPlace {
  readonly name: string;
}

/** With as much of their schemas as there is room for. */
function readAll(
  places: readonly NamedPlace[],
  source: Omit<OperationSource, 'maxChars'>,
  findings: Findings,
): readonly Operation[] {
  for (const maxChars of BUNDLE_CHARS) {
    const read = readWithin(maxChars, places, source);
    if (read === null) continue;
    for (const [path, reason] of read.skipped) findings.skip(path, reason);
    for (const path of read.cut) {
      findings.warn(path, `has schemas of more than ${maxChars} characters; the farthest ones take any value`);
    }
    return read.operations;
  }
  throw new DocumentFault(`The operations have more than ${MAX_IMPORT_CHARS} characters altogether.`);
}

/** Null: they have more characters than an import may. */
function readWithin(maxChars: number, places: readonly NamedPlace[], source: Omit<OperationSource, 'maxChars'>) {
  const operations: Operation[] = [];
  const skipped: [path: string, reason: string][] = [];
  const cut: string[] = [];
  let chars = 0;
  for (const { name, ...place } of places) {
    const at = pointerOf(place.key, place.method);
    try {
      const { isWhole, ...read } = readOperation(place, { ...source, maxChars });
      const operation = { name, ...read };
      chars += JSON.stringify(operation).length;
      if (chars > MAX_IMPORT_CHARS) return null;
      operations.push(operation);
      if (!isWhole) cut.push(at);
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      skipped.push([at, error.message]);
    }
  }
  return { operations, skipped, cut };
}

function placesIn(
  document: JsonObject,
  references: References,
  findings: Findings,
): readonly Omit<OperationPlace, 'servers'>[] {
  return entriesOf(own(document, 'paths')).flatMap(([key, written]) => {
    if (!key.startsWith('/')) {
      if (!key.startsWith('x-')) findings.skip(pointerOf(key), 'is not a path: it does not begin with a slash');
      return [];
    }
    try {
      const { value: item } = references.follow(written);
      for (const method of UNCALLED) {
        if (isObject(own(item, method)))
          findings.skip(pointerOf(key, method), `has the method ${method.toUpperCase()}, which cannot be called`);
      }
      return METHODS.flatMap((method) => operationOf(item, method, key, references, findings));
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      findings.skip(pointerOf(key), error.message);
      return [];
    }
  });
}

/** Some documents refer to whole operations. */
function operationOf(
  item: JsonObject,
  method: string,
  key: string,
  references: References,
  findings: Findings,
): Omit<OperationPlace, 'servers'>[] {
  const written = own(item, method);
  if (written === undefined) return [];
  try {
    return [{ key, item, method: method.toUpperCase(), node: references.follow(written).value }];
  } catch (error) {
    if (!(error instanceof Unusable)) throw error;
    findings.skip(pointerOf(key, method), error.message);
    return [];
  }
}

function factsOf(document: JsonObject, servers: ApiFacts['servers'], schemes: ApiFacts['schemes']): ApiFacts {
  const info = own(document, 'info');
  const text = (name: string, most: number): string => (textOf(info, name) ?? '').slice(0, most).toWellFormed();
  return {
    title: text('title', 200),
    version: text('version', 100),
    description: text('description', 4_000),
    servers,
    schemes,
  };
}
