import { createHash } from 'node:crypto';
import { canonicalJson, own } from '../json.js';

/** What a tool is: a server that changes any of it offers another tool, also where only a text has changed. */
const IDENTITY = ['name', 'description', 'inputSchema', 'outputSchema'] as const;

/**
 * Of a tool as its server lists it; the same for the import and for a call.
 *
 * @throws RangeError for a schema that is nested too deeply
 */
export function toolDigest(tool: unknown): string {
  const json = canonicalJson(Object.fromEntries(IDENTITY.map((name) => [name, own(tool, name)])));
  return createHash('sha256').update(json).digest('base64url').slice(0, 22);
}
