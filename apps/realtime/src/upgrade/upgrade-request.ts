import { WeftError, type NewId } from '@weft/kernel';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** A request for a socket, as far as its stream needs it. */
export interface UpgradeRequest {
  /** As received: it is not decoded or normalized, so that only the exact spelling matches. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly requestId: string;
}

const VISIBLE = /^[\x21-\x7e]{1,128}$/;

export function readUpgradeRequest(request: IncomingMessage, newId: NewId): UpgradeRequest {
  const [path = '', query = ''] = splitOnce(request.url ?? '', '?');
  const given = request.headers['x-request-id'];
  return {
    path,
    query: new URLSearchParams(query),
    headers: request.headers,
    requestId: typeof given === 'string' && VISIBLE.test(given) ? given : newId(),
  };
}

/** A request for any other upgrade (`h2c`) is served as an ordinary request. */
export function asksForWebSocket(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * The number of the first frame that the reader wants; default 1.
 *
 * @throws WeftError `invalid_query`, also for query names that the stream does not know
 */
export function readFromSeq(query: URLSearchParams): number {
  const { fromSeq: given } = readQuery(query, 'fromSeq');
  if (given === null) return 1;
  const fromSeq = /^[0-9]{1,15}$/.test(given) ? Number(given) : 0;
  if (fromSeq < 1) throw invalidQuery('fromSeq', 'out_of_range', 'Give one whole number from 1 on.');
  return fromSeq;
}

/**
 * The query values that a stream takes; null where one is missing.
 *
 * @throws WeftError `invalid_query` for other names, and when one is given twice
 */
export function readQuery<Name extends string>(
  query: URLSearchParams,
  ...known: readonly Name[]
): Readonly<Record<Name, string | null>> {
  for (const name of query.keys()) {
    if (known.some((one) => one === name)) continue;
    throw invalidQuery(name, 'unknown_field', `This stream takes only ${known.join(' and ')}.`);
  }
  const values = known.map((name) => {
    const given = query.getAll(name);
    if (given.length > 1) throw invalidQuery(name, 'out_of_range', `Give ${name} once.`);
    return [name, given[0] ?? null] as const;
  });
  return Object.fromEntries(values) as Record<Name, string | null>;
}

export function invalidQuery(name: string, code: string, message: string): WeftError {
  return new WeftError('invalid_query', message, { errors: [{ path: `query.${name}`, code, message }] });
}

function splitOnce(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}
