import { sessionIdFromCookies } from '@weft/identity';
import type { IncomingHttpHeaders } from 'node:http';

/** The credential in the request for a socket. */
export type SocketCredential =
  { readonly kind: 'bearer'; readonly token: string } | { readonly kind: 'session'; readonly sid: string };

/** The only subprotocol that this server accepts. */
export const BEARER_PROTOCOL = 'bearer';

/**
 * `Authorization` takes precedence over the subprotocol, and that over the cookie: docs/http-api.md §1.6 and docs/live.md. The
 * first one present is used even if it is invalid; tokens in the URL are ignored. Null: no credential.
 */
export function socketCredential(headers: IncomingHttpHeaders): SocketCredential | null {
  const { authorization } = headers;
  if (authorization !== undefined) {
    const token = /^bearer +([^\s]+) *$/i.exec(authorization)?.[1];
    return token === undefined ? null : { kind: 'bearer', token };
  }
  const protocols = offeredProtocols(headers);
  const bearer = protocols.indexOf(BEARER_PROTOCOL);
  if (bearer >= 0) {
    const token = protocols[bearer + 1];
    return token === undefined ? null : { kind: 'bearer', token };
  }
  const sid = sessionIdFromCookies(headers.cookie);
  return sid === undefined ? null : { kind: 'session', sid };
}

function offeredProtocols(headers: IncomingHttpHeaders): string[] {
  return (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
}
