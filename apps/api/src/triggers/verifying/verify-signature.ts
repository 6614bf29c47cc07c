import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { isPublicKeyText, isSignedByKey } from './ed25519.js';
import type { SignatureScheme } from './signature-scheme.js';

/** What a sender sent, before anything read it. */
export interface RawDelivery {
  /** Names in lower case; repeated ones joined. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
  /** Where it was sent to, as the sender knows it, with the query. */
  readonly url: string;
}

/** Signatures of one header that are looked at. */
const MAX_SIGNATURES = 16;
/** Of those by Ed25519: each reads the whole body twice for each key, some milliseconds for a megabyte. */
const MAX_ED25519 = 2;
const ED25519_BYTES = 64;
const SECONDS = /^\d{1,12}$/;

/**
 * Whether one of the secrets signed the bytes of the body, and at a time that the scheme tolerates. Every secret is compared
 * with every signature, in constant time, so that the time tells nothing about them.
 *
 * @param nowMs MongoDB's time
 */
export function isSigned(
  scheme: SignatureScheme,
  secrets: readonly string[],
  delivery: RawDelivery,
  nowMs: number,
): boolean {
  const { separator, prefix, encoding, algorithm } = scheme;
  const signed = textOf(delivery, scheme.header);
  if (signed === null) return false;
  const parts = separator === null ? [signed] : signed.split(separator, MAX_SIGNATURES + 1);
  const timestamp = timestampOf(scheme, delivery, parts);
  const id = scheme.id_header === null ? null : textOf(delivery, scheme.id_header);
  const message = messageOf(scheme, { timestamp, id, delivery });
  if (message === null || !isTimely(scheme, timestamp, nowMs)) return false;
  const candidates = signaturesIn(parts, prefix, encoding, MAX_SIGNATURES);
  const keys = secrets.filter((secret) => isPublicKey(scheme, secret));
  let isOneOfThem = false;
  for (const secret of secrets.filter((each) => !keys.includes(each))) {
    const hmac = createHmac(algorithm, keyOf(scheme, secret));
    for (const piece of message) hmac.update(piece);
    const expected = hmac.digest();
    for (const candidate of candidates) {
      if (candidate.length === expected.length && timingSafeEqual(candidate, expected)) isOneOfThem = true;
    }
  }
  if (scheme.ed25519Prefix === undefined || keys.length === 0) return isOneOfThem;
  const signatures = signaturesIn(parts, scheme.ed25519Prefix, encoding, MAX_SIGNATURES)
    .filter(({ length }) => length === ED25519_BYTES)
    .slice(0, MAX_ED25519);
  const bytes = Buffer.concat(message.map((piece) => Buffer.from(piece as Buffer)));
  return isOneOfThem || isSignedByKey(keys, signatures, bytes);
}

function signaturesIn(
  parts: readonly string[],
  prefix: string,
  encoding: SignatureScheme['encoding'],
  most: number,
): Buffer[] {
  return parts
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix))
    .slice(0, most)
    .map((part) => Buffer.from(part.slice(prefix.length), encoding));
}

function isPublicKey({ ed25519Prefix }: SignatureScheme, secret: string): boolean {
  return ed25519Prefix !== undefined && isPublicKeyText(secret);
}

const WHSEC = /^(whsec_)?(?=.)([A-Za-z0-9+/_-]+)={0,2}$/;

/** Whether a secret is written as the scheme needs it. */
export function isKeyText(scheme: SignatureScheme, secret: string): boolean {
  // a public key that is written wrongly must not become a key of HMAC: everybody may know it
  if (secret.startsWith('whpk_') && scheme.ed25519Prefix !== undefined) return isPublicKey(scheme, secret);
  return scheme.key === 'text' || WHSEC.test(secret);
}

function keyOf({ key }: SignatureScheme, secret: string): Buffer {
  return key === 'text' ? Buffer.from(secret) : Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
}

function textOf({ headers }: RawDelivery, name: string): string | null {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : null;
}

function timestampOf({ timestamp }: SignatureScheme, delivery: RawDelivery, parts: readonly string[]): string | null {
  if (timestamp === null) return null;
  if ('header' in timestamp) return textOf(delivery, timestamp.header);
  const part = parts.map((each) => each.trim()).find((each) => each.startsWith(timestamp.part));
  return part === undefined ? null : part.slice(timestamp.part.length);
}

function isTimely({ tolerance_seconds }: SignatureScheme, timestamp: string | null, nowMs: number): boolean {
  if (tolerance_seconds === null) return true;
  if (timestamp === null || !SECONDS.test(timestamp)) return false;
  return Math.abs(nowMs / 1_000 - Number(timestamp)) <= tolerance_seconds;
}

const PLACES = /(\{(?:body|timestamp|id|url|form)\})/;

/** The pieces that are signed, in order; null when one of them was not sent. */
function messageOf(
  { template }: SignatureScheme,
  sent: { readonly timestamp: string | null; readonly id: string | null; readonly delivery: RawDelivery },
): (string | Buffer)[] | null {
  const pieces = template.split(PLACES).map((piece) => {
    if (piece === '{body}') return sent.delivery.body;
    if (piece === '{url}') return sent.delivery.url;
    if (piece === '{form}') return formOf(sent.delivery);
    if (piece === '{timestamp}') return sent.timestamp;
    return piece === '{id}' ? sent.id : piece;
  });
  return pieces.includes(null) ? null : (pieces as (string | Buffer)[]);
}

/** Of a form that somebody signs: more have none. */
const MAX_SIGNED_FIELDS = 1_000;

/**
 * The names and values of a form in the order of the names. Another body is not signed itself but by its digest in the address,
 * in the parameter `bodySHA256`: null when it is not that of the body.
 */
function formOf({ headers, body, url }: RawDelivery): string | null {
  const type = textOf({ headers, body, url }, 'content-type') ?? '';
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) {
    const text = body.toString('utf8');
    if (text.split('&', MAX_SIGNED_FIELDS + 1).length > MAX_SIGNED_FIELDS) return null;
    const fields = [...new URLSearchParams(text)].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    return fields.flat().join('');
  }
  const sent = new URL(url).searchParams.get('bodySHA256');
  if (sent === null) return body.length === 0 ? '' : null;
  return createHash('sha256').update(body).digest('hex') === sent.toLowerCase() ? '' : null;
}
