/** How a request shows the credentials of an integration link: docs/integrations.md, kinds of links. */
import { createHmac } from 'node:crypto';
import { LayerFailure, type Connection } from '../layer-module.js';

export interface OutgoingRequest {
  readonly method: string;
  readonly url: string;
  /** By lower-case name, each with the name as written. */
  readonly headers: ReadonlyMap<string, readonly [name: string, value: string]>;
  readonly body: string | Uint8Array | null;
}

/** A shorter one occurs in many texts by chance. */
const LEAST_MASKED = 4;

/**
 * The request with the credential, whatever it said in its place before. The egress client drops headers of such names when a
 * redirect leads to another origin, and repeats no query.
 *
 * @param nowMs of the world, which a peer compares with its own: not MongoDB's
 * @throws LayerFailure `integration_unusable`
 */
export function withCredential<Request extends OutgoingRequest>(
  link: Connection,
  request: Request,
  nowMs: number = Date.now(),
): Request {
  const { secret, settings = {} } = link;
  switch (link.kind ?? 'bearer') {
    case 'bearer':
    case 'oauth2':
    case 'oauth2_client_credentials':
      return withHeader(request, 'Authorization', `Bearer ${secret}`);
    case 'basic':
      return withHeader(request, 'Authorization', `Basic ${inBase64(secret)}`);
    case 'header':
      return withHeader(request, needed(settings.header), `${settings.prefix ?? ''}${secret}`);
    case 'query':
      return { ...request, url: withParameter(request.url, needed(settings.parameter), secret) };
    case 'hmac':
      return signed(link, request, nowMs);
  }
}

/** What is removed from the answers of peers that repeat what they were sent. */
export function secretsOf({ kind, secret }: Connection): string[] {
  if (kind !== 'basic') return [secret];
  const colon = secret.indexOf(':');
  const [user, password] = [secret.slice(0, colon), secret.slice(colon + 1)];
  // services that have one key take it as the user name
  const parts = [password === '' ? user : password].filter((part) => part.length >= LEAST_MASKED);
  return [inBase64(secret), secret, ...parts];
}

function signed<Request extends OutgoingRequest>(
  { secret, settings = {} }: Connection,
  request: Request,
  nowMs: number,
): Request {
  const { algorithm = 'sha256', encoding = 'hex', prefix = '', template = '{body}', timestamp_header } = settings;
  const timestamp = String(Math.floor(nowMs / 1_000));
  const stamped = timestamp_header === undefined ? request : withHeader(request, timestamp_header, timestamp);
  const { pathname = '', search = '', host = '' } = URL.parse(request.url) ?? {};
  const known: Readonly<Record<string, string | Uint8Array>> = {
    ...{ timestamp, host, method: request.method.toUpperCase(), path: `${pathname}${search}` },
    ...{ id: request.headers.get('idempotency-key')?.[1] ?? '', body: request.body ?? '' },
  };
  const hmac = createHmac(algorithm, secret);
  for (const part of template.split(/(\{\w+\})/)) {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    hmac.update((name !== undefined && Object.hasOwn(known, name) ? known[name] : part) ?? part);
  }
  const signature = hmac.digest(encoding);
  return withHeader(stamped, needed(settings.header), `${prefix.replaceAll('{timestamp}', timestamp)}${signature}`);
}

function withHeader<Request extends OutgoingRequest>(request: Request, name: string, value: string): Request {
  return { ...request, headers: new Map([...request.headers, [name.toLowerCase(), [name, value]]]) };
}

function withParameter(address: string, name: string, value: string): string {
  const url = URL.parse(address);
  if (!url) return address; // the client reports what is wrong with it
  url.searchParams.set(name, value);
  return url.href;
}

function needed(setting: string | undefined): string {
  if (setting !== undefined) return setting;
  throw new LayerFailure('integration_unusable', 'The integration cannot be used: its settings are incomplete.');
}

function inBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}
