/** The headers and the address of a web request, before its link shows its credentials. */
import { withParameters } from '../../call/query-text.js';
import type { WebRequestArgs } from './args.js';

/** By lower-case name, each with the name as written: the last of two spellings counts. */
export function requestHeaders(
  args: WebRequestArgs,
  idempotencyKey: string,
): Map<string, [name: string, value: string]> {
  const headers = new Map<string, [string, string]>([['idempotency-key', ['Idempotency-Key', idempotencyKey]]]);
  for (const name of Object.keys(args.headers)) {
    const value = args.headers[name];
    if (value !== null && value !== undefined) headers.set(name.toLowerCase(), [name, String(value)]);
  }
  return headers;
}

/** The address with the query after its own; a list repeats its name, null is left out. */
export function addQuery(url: string, query: WebRequestArgs['query']): string {
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).flatMap((one) =>
      one === null || one === undefined ? [] : [[name, String(one)] as const],
    ),
  );
  return withParameters(url, parameters);
}
