import type { webhooks } from './api-types.js';
import { parseJson } from './json.js';

/** What a webhook sends: docs/webhooks.md. */
export type WebhookEvent = {
  [Type in keyof webhooks]: webhooks[Type] extends {
    post: { requestBody: { content: { 'application/json': infer Event } } };
  }
    ? Event
    : never;
}[keyof webhooks];

export interface VerifyOptions {
  /** `whsec_…`, or the public key `whpk_…`; several while one is being replaced. */
  readonly secret: string | readonly string[];
  /** How far the time of the attempt may be off; 300 when left out. */
  readonly toleranceSeconds?: number;
  /** Integers beyond ±(2^53 − 1) are a `bigint`; left out: numbers, which are rounded. */
  readonly bigIntegers?: boolean;
}

/** The request is not one of Weft's, or an old one that somebody has sent again: answer 401. */
export class WebhookNotVerified extends Error {
  override readonly name = 'WebhookNotVerified';
}

type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

const TOLERANCE_SECONDS = 300;
const NO_BYTES = new Uint8Array();
/** Weft sends one for each secret, of which there are two at most. Each one costs a pass over the body. */
const MOST_SIGNATURES = 8;
const SIGNATURE_BYTES = { hmac: 32, ed25519: 64 };

/**
 * Verifies a request over its bytes, and gives its event. It may come twice: remember the header `webhook-id`.
 *
 * @param body as it was received; JSON that was parsed and written again has another signature
 * @throws WebhookNotVerified
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: HeaderSource,
  { secret, toleranceSeconds = TOLERANCE_SECONDS, bigIntegers = false }: VerifyOptions,
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  ) as [string, string, string];
  if (!/^\d{1,12}$/.test(timestamp)) throw new WebhookNotVerified('The header webhook-timestamp is not a time.');
  if (!(toleranceSeconds >= 0)) throw new TypeError('toleranceSeconds is not a number of seconds.');
  if (!(Math.abs(Date.now() / 1_000 - Number(timestamp)) <= toleranceSeconds))
    throw new WebhookNotVerified('The request is too old, or the clocks differ.');
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = concat(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  for (const each of [secret].flat()) {
    if (!(await isSigned(each, signatures.split(' '), signed))) continue;
    const text = new TextDecoder().decode(bytes);
    return (bigIntegers ? parseJson(text) : JSON.parse(text)) as WebhookEvent;
  }
  throw new WebhookNotVerified('No signature of the request is that of the secret.');
}

function headerOf(headers: HeaderSource, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : [headers[name] ?? []].flat()[0];
  if (!value) throw new WebhookNotVerified(`The header ${name} is missing.`);
  return value;
}

async function isSigned(
  secret: string,
  signatures: readonly string[],
  message: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const isPublic = secret.startsWith('whpk_');
  const raw = fromBase64(secret.replace(/^wh(sec|pk)_/, ''));
  if (raw.length === 0) throw new TypeError('The secret of the webhook has no known form.');
  const algorithm = isPublic ? 'Ed25519' : { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', raw, algorithm, false, ['verify']);
  const version = isPublic ? 'v1a,' : 'v1,';
  const length = isPublic ? SIGNATURE_BYTES.ed25519 : SIGNATURE_BYTES.hmac;
  const possible = signatures
    .filter((text) => text.startsWith(version))
    .map((text) => fromBase64(text.slice(version.length)))
    .filter((signature) => signature.length === length);
  for (const signature of possible.slice(0, MOST_SIGNATURES)) {
    // `verify` compares in constant time
    if (await crypto.subtle.verify(algorithm, key, signature, message)) return true;
  }
  return false;
}

/** Nothing, where it is not base64. */
function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    return NO_BYTES;
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}
