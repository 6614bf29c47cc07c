/** What a trigger answers its sender with: docs/triggers.md. Pure. */

export interface HookReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null: no body. */
  readonly body: string | null;
}

/** They mean something for the whole origin, for the connection or for a proxy, and not for this answer alone. */
const FORBIDDEN = new Set([
  ...['x-content-type-options', 'x-frame-options', 'x-request-id', 'x-sendfile', 'x-dns-prefetch-control'],
  ...['x-permitted-cross-domain-policies', 'x-robots-tag', 'x-xss-protection', 'x-lighttpd-send-file'],
]);
const ALLOWED = new Set([
  ...['location', 'retry-after', 'cache-control', 'content-disposition', 'content-language', 'etag', 'vary', 'allow'],
  ...['access-control-allow-origin', 'access-control-allow-headers', 'access-control-allow-methods', 'last-modified'],
]);
const OWN = /^(x|webhook)-(?!accel-|forwarded-|original-)[a-z0-9-]{1,100}$/;
/** Without line breaks and what else no header may have. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]{0,2000}$/;
const CONTENT_TYPE = /^[!#$%&'*+.^_`|~0-9a-z-]+\/[!#$%&'*+.^_`|~0-9a-z-]+( *; *[!-~ ]*)?$/i;
const MAX_BODY_CHARS = 256 * 1024;

export function isAnswerHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return ALLOWED.has(lower) || (OWN.test(lower) && !FORBIDDEN.has(lower));
}

/**
 * Scripts of an answer would be those of our origin, with the sessions of its users: a browser runs none.
 */
export const NO_SCRIPTS = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
} as const;

/** Null: what the expressions gave cannot be sent. */
export function toHookReply(given: unknown): HookReply | null {
  if (typeof given !== 'object' || given === null) return null;
  const { status, content_type, headers = {}, body = null } = given as Readonly<Record<string, unknown>>;
  const code = typeof status === 'string' ? Number(status) : (status ?? 200);
  if (typeof code !== 'number' || !Number.isInteger(code) || code < 200 || code > 599) return null;
  const text = textOf(body);
  if (text === undefined || (text?.length ?? 0) > MAX_BODY_CHARS) return null;
  const type =
    content_type ?? (typeof body === 'object' ? 'application/json; charset=utf-8' : 'text/plain; charset=utf-8');
  if (typeof type !== 'string' || !CONTENT_TYPE.test(type)) return null;
  const sent: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers as object)) {
    const shown = typeof value === 'number' ? String(value) : (value as unknown);
    if (typeof shown !== 'string' || !VALUE.test(shown) || !isAnswerHeader(name)) return null;
    sent[name.toLowerCase()] = shown;
  }
  return { status: code, headers: text === null ? sent : { ...sent, 'content-type': type }, body: text };
}

/** Undefined: it cannot be sent. */
function textOf(body: unknown): string | null | undefined {
  if (body === null) return null;
  if (typeof body === 'string') return body;
  if (typeof body === 'number' || typeof body === 'boolean' || typeof body === 'bigint') return String(body);
  return JSON.stringify(body);
}
