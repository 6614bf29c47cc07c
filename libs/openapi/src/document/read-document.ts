/** From the bytes of a document, or the files of an archive, to an OpenAPI 3.1 document, within bounds. */
import { upgrade } from '@scalar/openapi-upgrader';
import { isObject, textOf, type JsonObject } from '../json.js';
import { MAX_DOCUMENT_BYTES } from '../limits.js';
import { DocumentFault } from './document-fault.js';
import { joinFiles, type DocumentFiles } from './join-files.js';
import { messageOf, parseDocument } from './parse-document.js';

const VERSIONS = 'Swagger 2.0, OpenAPI 3.0 and 3.1 can be imported';

/** @throws DocumentFault */
export function readDocument(given: Uint8Array | DocumentFiles): JsonObject {
  const document = given instanceof Uint8Array ? parseWhole(given) : joinFiles(given);
  if (!isObject(document)) throw new DocumentFault(`The document is not an object. ${VERSIONS}.`);
  assertVersion(document);
  try {
    return upgrade(document, '3.1');
  } catch (error) {
    throw new DocumentFault(`The document cannot be converted to OpenAPI 3.1: ${messageOf(error)}.`);
  }
}

function parseWhole(bytes: Uint8Array): unknown {
  if (bytes.byteLength > MAX_DOCUMENT_BYTES) {
    throw new DocumentFault(`The document has ${bytes.byteLength} bytes; ${MAX_DOCUMENT_BYTES} are allowed.`);
  }
  return parseDocument(bytes, 'The document');
}

function assertVersion(document: JsonObject): void {
  const version = textOf(document, 'openapi') ?? textOf(document, 'swagger');
  if (version === undefined) throw new DocumentFault(`The document has no field "openapi" or "swagger". ${VERSIONS}.`);
  const isKnown = textOf(document, 'openapi') === undefined ? /^2\.0/ : /^3\.[012](\.|$)/;
  if (!isKnown.test(version))
    throw new DocumentFault(`The document says version ${version.slice(0, 20)}. ${VERSIONS}.`);
  if (!isObject(document.paths)) throw new DocumentFault('The document has no "paths", which list its operations.');
}
