import { sessionIdFromCookies } from '@weft/identity';
import type { IncomingHttpHeaders } from 'node:http';

/** What a socket's request brings to say who is calling. */
export type SocketCredential =
  { readonly kind: 'bearer'; readonly token: string } | { readonly kind: 'session'; readonly sid: string };

/** The one subprotocol that we answer. */
export const BEARER_PROTOCOL = 'bearer';

/**
 * `Authorization` wins over the subprotocol, that over the cookie: contract §1 and §6. What wins is used even if it is
 * wrong; nothing in the URL is looked at. Null: no credential.
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
