/** How a request shows the credentials of an integration link: docs/integrations.md, kinds of links. */
import { createHash, createHmac } from 'node:crypto';
import {
  isS3,
  isStreamed,
  sha256Of,
  UNSIGNED_PAYLOAD,
  withSignature,
  type OutgoingBody,
  type StreamedBody,
} from '@weft/egress';
import type { Connection } from '../layer-module.js';
import { headersOf, needed, signingOf } from './link-secrets.js';
import { withParameters, withoutParameter } from './query-text.js';

export interface OutgoingRequest {
  readonly method: string;
  readonly url: string;
  /** By lower-case name, each with the name as written. */
  readonly headers: ReadonlyMap<string, readonly [name: string, value: string]>;
  readonly body: OutgoingBody | null;
}

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
    case 'headers':
      return headersOf(link).reduce((shown, [name, value]) => withHeader(shown, name, value), request);
    case 'hmac':
      return signed(link, request, nowMs);
    case 'aws_sigv4': {
      const { body } = request;
      if (isStreamed(body) && isBodySigned(link, request)) throw new TypeError(STREAMED);
      return withV4(link, request, isStreamed(body) ? '' : sha256Of(body ?? ''), nowMs);
    }
  }
}

const STREAMED = 'a streamed body is signed by withCredentialOfStream';

/** S3 takes a request without the digest of its body, where TLS protects it. */
export function isBodySigned({ settings = {} }: Connection, { url }: OutgoingRequest): boolean {
  const { service = '', sign_payload } = settings;
  return sign_payload !== 'unsigned' || !isS3(service) || URL.parse(url)?.protocol !== 'https:';
}

function withV4<Request extends OutgoingRequest>(
  link: Connection,
  request: Request,
  hash: string,
  nowMs: number,
): Request {
  if (!URL.canParse(request.url)) return request; // the egress client refuses it
  const { keys, scope } = signingOf(link);
  const payloadHash = isBodySigned(link, request) ? hash : UNSIGNED_PAYLOAD;
  return withSignature(request, keys, scope, { payloadHash, nowMs });
}

/** A request that is signed: of what, in order, and how it shows the signature. */
function signing<Request extends OutgoingRequest>(
  { secret, settings = {} }: Connection,
  request: Request,
  nowMs: number,
): {
  readonly hmac: ReturnType<typeof createHmac>;
  readonly parts: readonly OutgoingBody[];
  readonly show: () => Request;
} {
  const { algorithm = 'sha256', encoding = 'hex', prefix = '', template = '{body}', timestamp_header } = settings;
  const timestamp = String(Math.floor(nowMs / 1_000));
  const stamped = timestamp_header === undefined ? request : withHeader(request, timestamp_header, timestamp);
  const { pathname = '', search = '', host = '' } = URL.parse(request.url) ?? {};
  const known: Readonly<Record<string, OutgoingBody>> = {
    ...{ timestamp, host, method: request.method.toUpperCase(), path: `${pathname}${search}` },
    ...{ id: request.headers.get('idempotency-key')?.[1] ?? '', body: request.body ?? '' },
  };
  const hmac = createHmac(algorithm, secret);
  const parts = template.split(/(\{\w+\})/).map((part) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    return (name !== undefined && Object.hasOwn(known, name) ? known[name] : part) ?? part;
  });
  const show = (): Request =>
    withHeader(
      stamped,
      needed(settings.header),
      `${prefix.replaceAll('{timestamp}', timestamp)}${hmac.digest(encoding)}`,
    );
  return { hmac, parts, show };
}

function signed<Request extends OutgoingRequest>(link: Connection, request: Request, nowMs: number): Request {
  const { hmac, parts, show } = signing(link, request, nowMs);
  for (const part of parts) {
    if (isStreamed(part)) throw new TypeError(STREAMED);
    hmac.update(part);
  }
  return show();
}

/**
 * The same for any body: one that is streamed is read once for its signature, and once more to be sent.
 *
 * @throws LayerFailure `integration_unusable`; the error of the body
 */
export async function withCredentialOfStream<Request extends OutgoingRequest>(
  link: Connection,
  request: Request,
  signal: AbortSignal,
): Promise<Request> {
  const { body } = request;
  if (!isStreamed(body)) return withCredential(link, request);
  if (link.kind === 'aws_sigv4' && isBodySigned(link, request)) {
    const hash = createHash('sha256');
    await readInto(hash, body, signal);
    return withV4(link, request, hash.digest('hex'), Date.now());
  }
  if (link.kind !== 'hmac') return withCredential(link, request);
  const { hmac, parts, show } = signing(link, request, Date.now());
  for (const part of parts) {
    if (!isStreamed(part)) hmac.update(part);
    else await readInto(hmac, part, signal);
  }
  return show();
}

async function readInto(
  digest: { update(chunk: Uint8Array): unknown },
  body: StreamedBody,
  signal: AbortSignal,
): Promise<void> {
  for await (const chunk of body.open()) {
    signal.throwIfAborted();
    digest.update(chunk);
  }
}

function withHeader<Request extends OutgoingRequest>(request: Request, name: string, value: string): Request {
  return { ...request, headers: new Map([...request.headers, [name.toLowerCase(), [name, value]]]) };
}

function withParameter(address: string, name: string, value: string): string {
  return withParameters(withoutParameter(address, name), [[name, value]]);
}

function inBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}
