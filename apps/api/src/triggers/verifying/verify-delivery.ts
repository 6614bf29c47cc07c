import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { parseJson } from '@weft/kernel';
import type { StoredVerifier } from '@weft/records';
import { genericScheme, presetOf, type Proof, type SignatureScheme } from './signature-scheme.js';
import { isSigned, type RawDelivery } from './verify-signature.js';

/** What is sealed of a verifier. */
export interface VerifierSecrets {
  readonly password?: string;
  readonly token?: string;
  readonly secrets?: readonly string[];
}

/** The schemes of a verifier that compares signatures, one of which a delivery follows; none: it does not compare any. */
export function schemesOf(verifier: StoredVerifier): readonly SignatureScheme[] {
  if (verifier.type === 'hmac') return [genericScheme(verifier)];
  return presetOf(verifier.type)?.schemes ?? [];
}

/** How a verifier knows a sender without a signature of the bytes. */
function proofOf({ type, header }: StoredVerifier): Proof | null {
  return type === 'token' ? { kind: 'token', header: String(header) } : (presetOf(type)?.proof ?? null);
}

/** The header with the credential of a sender, besides Authorization: it is shown to nobody. */
export function credentialHeadersOf(verifier: StoredVerifier): readonly string[] {
  const proof = proofOf(verifier);
  return proof?.kind === 'token' ? [proof.header] : schemesOf(verifier).map(({ header }) => header);
}

/**
 * What the headers alone say, before any of the body is read: null when the body decides. A delivery that cannot be right, for
 * example without a signature, is refused so.
 */
export function judgedByHeaders(
  verifier: StoredVerifier,
  { password = '', token = '', secrets = [] }: VerifierSecrets,
  delivery: Pick<RawDelivery, 'headers'>,
  nowMs: number,
): boolean | null {
  const schemes = schemesOf(verifier);
  if (schemes.length > 0)
    return schemes.some(({ header }) => typeof delivery.headers[header] === 'string') ? null : false;
  const proof = proofOf(verifier);
  if (proof?.kind === 'token') return isSame(delivery.headers[proof.header], token);
  if (proof?.kind === 'jwt') return secrets.length === 0 || isSignedJwt(delivery, secrets, nowMs);
  if (proof) return null;
  switch (verifier.type) {
    case 'none':
      return true;
    case 'basic':
      return hasCredential(
        delivery,
        'basic',
        Buffer.from(`${String(verifier.username)}:${password}`).toString('base64'),
      );
    case 'bearer':
      return hasCredential(delivery, 'bearer', token);
    default:
      return false; // of a later version of Weft
  }
}

/** Whether the delivery was sent by who knows the trigger's secrets. Nothing has read its body before. */
export function isVerified(
  verifier: StoredVerifier,
  secrets: VerifierSecrets,
  delivery: RawDelivery,
  nowMs: number,
): boolean {
  const judged = judgedByHeaders(verifier, secrets, delivery, nowMs);
  if (judged !== null) return judged;
  const proof = proofOf(verifier);
  if (proof?.kind === 'body_token') return hasBodyToken(proof, delivery, secrets.token ?? '');
  // one that is not followed is refused by its header
  return schemesOf(verifier).some((scheme) => isSigned(scheme, secrets.secrets ?? [], delivery, nowMs));
}

/** Compared in constant time. */
export function isSame(sent: unknown, expected: string): boolean {
  return typeof sent === 'string' && expected !== '' && timingSafeEqual(digest(sent), digest(expected));
}

/** Digests are compared, so that not even the length of the credential shows in the time. */
function hasCredential({ headers }: Pick<RawDelivery, 'headers'>, kind: string, expected: string): boolean {
  const { authorization } = headers;
  const [, name = '', sent = ''] =
    /^(\w+) +(\S+) *$/.exec(typeof authorization === 'string' ? authorization : '') ?? [];
  return name.toLowerCase() === kind && isSame(sent, expected);
}

/** A body that is larger has no list of tokens. */
const MAX_TOKENS_BYTES = 1024 * 1024;

function hasBodyToken(
  { list, field }: Extract<Proof, { kind: 'body_token' }>,
  { body }: RawDelivery,
  token: string,
): boolean {
  const given = fieldOf(jsonOf(body.length > MAX_TOKENS_BYTES ? '' : body), list);
  return Array.isArray(given) && given.length > 0 && given.every((each) => isSame(fieldOf(each, field), token));
}

const MAX_JWT = 8_192;

/** RFC 7519 with HS256: signed by one of the secrets, and not over. */
function isSignedJwt({ headers }: Pick<RawDelivery, 'headers'>, secrets: readonly string[], nowMs: number): boolean {
  const { authorization } = headers;
  const token = typeof authorization === 'string' ? authorization.replace(/^bearer +/i, '') : '';
  const [head = '', claims = '', signature = '', ...rest] = token.length > MAX_JWT ? [] : token.split('.');
  const given = Buffer.from(signature, 'base64url');
  if (rest.length > 0 || fieldOf(partOf(head), 'alg') !== 'HS256') return false;
  const isOurs = secrets
    .map((secret) => createHmac('sha256', secret).update(`${head}.${claims}`).digest())
    .map((expected) => given.length === expected.length && timingSafeEqual(given, expected))
    .includes(true);
  const exp = isOurs ? fieldOf(partOf(claims), 'exp') : 0;
  return isOurs && (exp === undefined || (typeof exp === 'number' && exp * 1_000 > nowMs));
}

function partOf(text: string): unknown {
  return jsonOf(Buffer.from(text, 'base64url'));
}

function jsonOf(text: Buffer | string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function fieldOf(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, field)
    ? (value as Readonly<Record<string, unknown>>)[field]
    : undefined;
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
