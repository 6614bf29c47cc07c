/** From the bytes of a document to an OpenAPI 3.1 document, within bounds. */
import { upgrade } from '@scalar/openapi-upgrader';
import { parse } from 'yaml';
import { isObject, textOf, type JsonObject } from '../json.js';
import { MAX_ALIASES, MAX_DOCUMENT_BYTES, MAX_NESTING, MAX_VALUES } from '../limits.js';
import { DocumentFault } from './document-fault.js';

const VERSIONS = 'Swagger 2.0, OpenAPI 3.0 and 3.1 can be imported';

/** @throws DocumentFault */
export function readDocument(bytes: Uint8Array): JsonObject {
  if (bytes.byteLength > MAX_DOCUMENT_BYTES) {
    throw new DocumentFault(`The document has ${bytes.byteLength} bytes; ${MAX_DOCUMENT_BYTES} are allowed.`);
  }
  const document = parsed(textOfBytes(bytes));
  if (!isObject(document)) throw new DocumentFault(`The document is not an object. ${VERSIONS}.`);
  assertBounded(document);
  assertVersion(document);
  try {
    return upgrade(document, '3.1');
  } catch (error) {
    throw new DocumentFault(`The document cannot be converted to OpenAPI 3.1: ${messageOf(error)}.`);
  }
}

function textOfBytes(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new DocumentFault('The document is not UTF-8.');
  }
}

function parsed(text: string): unknown {
  if (/^\s*\{/.test(text)) {
    try {
      return JSON.parse(text);
    } catch (error) {
      // a mapping of YAML may be written in braces, too
      if (text.length > 1024 * 1024) throw new DocumentFault(`The document is not JSON: ${messageOf(error)}.`);
    }
  }
  try {
    return parse(text, { maxAliasCount: MAX_ALIASES, merge: true, logLevel: 'error' });
  } catch (error) {
    throw new DocumentFault(`The document is neither JSON nor YAML: ${messageOf(error)}.`);
  }
}

/** One sentence, without its full stop. */
function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (message.split('\n')[0] ?? '').replace(/[.:]+$/, '').slice(0, 300);
}

function assertBounded(document: JsonObject): void {
  let level: object[] = [document];
  let values = 1;
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_NESTING) throw new DocumentFault(`The document is nested deeper than ${MAX_NESTING} levels.`);
    const next: object[] = [];
    for (const each of level) {
      for (const inner of Object.values(each) as unknown[]) {
        values += 1;
        if (typeof inner === 'object' && inner !== null) next.push(inner);
      }
      if (values > MAX_VALUES) throw new DocumentFault(`The document has more than ${MAX_VALUES} values.`);
    }
    level = next;
  }
}

function assertVersion(document: JsonObject): void {
  const version = textOf(document, 'openapi') ?? textOf(document, 'swagger');
  if (version === undefined) throw new DocumentFault(`The document has no field "openapi" or "swagger". ${VERSIONS}.`);
  const isKnown = textOf(document, 'openapi') === undefined ? /^2\.0/ : /^3\.[012](\.|$)/;
  if (!isKnown.test(version))
    throw new DocumentFault(`The document says version ${version.slice(0, 20)}. ${VERSIONS}.`);
  if (!isObject(document.paths)) throw new DocumentFault('The document has no "paths", which list its operations.');
}
