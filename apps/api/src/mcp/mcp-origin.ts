import type { FastifyRequest } from 'fastify';
import { isIP } from 'node:net';

/**
 * Whether a page of another site, or under a name that only seems to be this server's (DNS rebinding), sent the request. Programs
 * send no `Origin`.
 */
export function isForeign({ headers }: Pick<FastifyRequest, 'headers'>, publicUrl: URL): boolean {
  const { origin, host } = headers;
  if (origin !== undefined && origin !== publicUrl.origin) return true;
  return !isOwnName(hostnameOf(host), publicUrl);
}

function isOwnName(name: string | null, publicUrl: URL): boolean {
  if (name === null) return false;
  return name === publicUrl.hostname || name === 'localhost' || isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}

/** Null for what is more than a name or an address, and a port. */
function hostnameOf(host = ''): string | null {
  return /[/?#@\\]/.test(host) ? null : (URL.parse(`http://${host}`)?.hostname ?? null);
}
