/** AWS Signature Version 4 (docs.aws.amazon.com, "Signature Version 4 signing process"), in headers and in addresses. Pure. */
import { createHash, createHmac } from 'node:crypto';

/** What is signed of a request. */
export interface SignableRequest {
  readonly method: string;
  readonly url: string;
  /** By lower-case name, each with the name as written. */
  readonly headers: ReadonlyMap<string, readonly [name: string, value: string]>;
}

export interface SigningKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of keys that end. */
  readonly sessionToken?: string | undefined;
}

export interface SigningScope {
  readonly region: string;
  readonly service: string;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD';
/** What a signature says in another place, and what proxies and clients change on the way. */
const NOT_SIGNED: ReadonlySet<string> = new Set([
  ...['authorization', 'user-agent', 'accept', 'accept-encoding', 'connection', 'expect', 'x-amzn-trace-id'],
]);
/** Their paths are encoded once, and their requests say the digest of the body. */
const OF_S3: ReadonlySet<string> = new Set(['s3', 's3express', 's3-object-lambda', 's3-outposts']);

export function isS3(service: string): boolean {
  return OF_S3.has(service);
}

/**
 * The request with its signature. Its address is written as RFC 3986 says, so that the peer reads the same one as is signed.
 *
 * @param payloadHash of the body, in hex; or `UNSIGNED_PAYLOAD`
 */
export function withSignature<Request extends SignableRequest>(
  request: Request,
  keys: SigningKeys,
  scope: SigningScope,
  { payloadHash, nowMs }: { readonly payloadHash: string; readonly nowMs: number },
): Request {
  const date = dateOf(nowMs);
  const headers = new Map([...request.headers].filter(([name]) => !isOfSigning(name)));
  headers.set('x-amz-date', ['X-Amz-Date', date]);
  if (keys.sessionToken !== undefined) headers.set('x-amz-security-token', ['X-Amz-Security-Token', keys.sessionToken]);
  if (isS3(scope.service)) headers.set('x-amz-content-sha256', ['X-Amz-Content-Sha256', payloadHash]);
  const address = readAddress(request.url);
  const { names, signature } = signatureOf({ ...request, headers }, address, keys, scope, { payloadHash, date });
  const credential = `${keys.accessKeyId}/${scopeText(date, scope)}`;
  headers.set('authorization', [
    'Authorization',
    `${ALGORITHM} Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  ]);
  return { ...request, url: written(address), headers };
}

/** An address with the signature in it: anybody who has it may make this request until it ends. */
export function presigned(
  request: SignableRequest,
  keys: SigningKeys,
  scope: SigningScope,
  { expiresInSeconds, nowMs }: { readonly expiresInSeconds: number; readonly nowMs: number },
): string {
  const date = dateOf(nowMs);
  const address = readAddress(request.url);
  const parameters = {
    'X-Amz-Algorithm': ALGORITHM,
    'X-Amz-Credential': `${keys.accessKeyId}/${scopeText(date, scope)}`,
    'X-Amz-Date': date,
    'X-Amz-Expires': String(expiresInSeconds),
    ...(keys.sessionToken !== undefined && { 'X-Amz-Security-Token': keys.sessionToken }),
    'X-Amz-SignedHeaders': namesIn(headersOf(request, address)),
  };
  const own = Object.entries(parameters).map(([name, value]) => [name, rfc3986(value)] as const);
  const whole = { ...address, query: [...address.query, ...own] };
  const { signature } = signatureOf(request, whole, keys, scope, { payloadHash: UNSIGNED_PAYLOAD, date });
  return written({ ...whole, query: [...whole.query, ['X-Amz-Signature', signature]] });
}

/** A part of a host: nothing but the name of a region gets there. */
const REGION = /^[a-z]{2,8}(?:-[a-z\d]+){1,4}$/;

export function isAmazonRegion(text: string | undefined): text is string {
  return text !== undefined && REGION.test(text);
}

/** Where Amazon has the service; null: it has no such region. */
export function amazonAddress(service: 's3' | 'sqs' | 'sts', region: string): string | null {
  if (!isAmazonRegion(region)) return null;
  return `https://${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

/** Only letters, digits and `-._~` stay (RFC 3986 §2.3): what signs an address must not leave a choice. */
export function rfc3986(text: string): string {
  const encoded = encodeURIComponent(text.toWellFormed());
  return encoded.replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

export function sha256Of(body: string | Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}

interface Address {
  readonly origin: string;
  readonly host: string;
  /** As it is sent. */
  readonly path: string;
  readonly query: readonly (readonly [name: string, value: string])[];
}

/** Every byte that has no meaning of its own is encoded, once: what was encoded already stays so. */
function readAddress(text: string): Address {
  const { origin, host, pathname, search } = new URL(text);
  const query = search
    .slice(1)
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      // a plus is a blank to the peers that read it
      const plain = part.replaceAll('+', ' ');
      const at = plain.indexOf('=');
      const [name, value] = at === -1 ? [plain, ''] : [plain.slice(0, at), plain.slice(at + 1)];
      return [encodedOnce(name), encodedOnce(value)] as const;
    });
  return { origin, host, path: pathname.split('/').map(encodedOnce).join('/'), query };
}

function written({ origin, path, query }: Address): string {
  const search = query.map(([name, value]) => `${name}=${value}`).join('&');
  return `${origin}${path}${search === '' ? '' : `?${search}`}`;
}

function encodedOnce(text: string): string {
  return text.replaceAll(/%[\dA-Fa-f]{2}|[^%]+|%/g, (part) => {
    if (!/^%../.test(part)) return rfc3986(part);
    const char = String.fromCharCode(Number.parseInt(part.slice(1), 16));
    return /[\w.~-]/.test(char) ? char : part.toUpperCase();
  });
}

interface Signed {
  /** Of the headers that are signed. */
  readonly names: string;
  readonly signature: string;
}

function signatureOf(
  request: SignableRequest,
  address: Address,
  { secretAccessKey }: SigningKeys,
  scope: SigningScope,
  { payloadHash, date }: { readonly payloadHash: string; readonly date: string },
): Signed {
  const headers = headersOf(request, address);
  const names = namesIn(headers);
  const canonical = [
    request.method.toUpperCase(),
    isS3(scope.service)
      ? address.path
      : address.path
          .replaceAll(/\/{2,}/g, '/')
          .split('/')
          .map(rfc3986)
          .join('/'),
    address.query
      .toSorted(([a, x], [b, y]) => compare(a, b) || compare(x, y))
      .map(([name, value]) => `${name}=${value}`)
      .join('&'),
    ...headers.map(([name, value]) => `${name}:${value.trim().replaceAll(/ +/g, ' ')}`),
    '',
    names,
    payloadHash,
  ].join('\n');
  const text = [ALGORITHM, date, scopeText(date, scope), sha256Of(canonical)].join('\n');
  const key = [date.slice(0, 8), scope.region, scope.service, 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    `AWS4${secretAccessKey}`,
  );
  return { names, signature: createHmac('sha256', key).update(text).digest('hex') };
}

/** In the order in which they are signed. */
function headersOf({ headers }: SignableRequest, { host }: Address): (readonly [name: string, value: string])[] {
  const signed = [...headers]
    .filter(([name]) => !NOT_SIGNED.has(name))
    .map(([name, [, value]]) => [name, value] as const);
  return [...signed, ['host', host] as const].toSorted(([a], [b]) => compare(a, b));
}

function namesIn(headers: readonly (readonly [name: string, value: string])[]): string {
  return headers.map(([name]) => name).join(';');
}

function isOfSigning(name: string): boolean {
  return ['authorization', 'x-amz-date', 'x-amz-security-token', 'x-amz-content-sha256'].includes(name);
}

function scopeText(date: string, { region, service }: SigningScope): string {
  return `${date.slice(0, 8)}/${region}/${service}/aws4_request`;
}

/** `20150830T123600Z`. */
function dateOf(nowMs: number): string {
  return new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
