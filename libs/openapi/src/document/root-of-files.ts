import { basename } from 'node:path/posix';
import { DocumentFault } from './document-fault.js';

const NAMES = /^(openapi|swagger)\.(json|ya?ml)$/i;
/** The field by which a document says what it is, as the first one or on a line of its own. */
const VERSION = /^(\s*\{)?\s*["']?(openapi|swagger)["']?\s*:\s*["']?[23]\./m;
/** Of a file, where its version is looked for. */
const LOOKED_AT = 64 * 1024;
const MOST_NAMED = 10;

/**
 * The path of the file with which a document begins: that named `openapi` or `swagger` nearest to the root, else the only file that
 * says a version.
 *
 * @throws DocumentFault which names the files between which it cannot choose
 */
export function rootOf(files: ReadonlyMap<string, Uint8Array>): string {
  const paths = [...files.keys()];
  const named = nearest(paths.filter((path) => NAMES.test(basename(path))));
  const found = named.length > 0 ? named : paths.filter((path) => saysVersion(files.get(path)));
  const [root, ...others] = found;
  if (root !== undefined && others.length === 0) return root;
  if (root !== undefined) {
    const list = found.slice(0, MOST_NAMED).join(', ');
    throw new DocumentFault(
      `The archive has ${found.length} files with which a document may begin: ${list}. Name the right one openapi.yaml or openapi.json, in the outermost folder.`,
    );
  }
  const list = nearest(paths).slice(0, MOST_NAMED).join(', ') || 'none';
  throw new DocumentFault(
    `The archive has no file openapi.yaml, openapi.json, swagger.yaml or swagger.json, and no other with a field "openapi" or "swagger". Its outermost files in JSON or YAML: ${list}.`,
  );
}

function nearest(paths: readonly string[]): readonly string[] {
  const depth = (path: string): number => path.split('/').length;
  const least = Math.min(...paths.map(depth));
  return paths.filter((path) => depth(path) === least).sort();
}

function saysVersion(bytes: Uint8Array | undefined): boolean {
  return VERSION.test(Buffer.from(bytes?.subarray(0, LOOKED_AT) ?? []).toString());
}
