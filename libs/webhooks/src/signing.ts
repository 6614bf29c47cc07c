/**
 * Signatures of Standard Webhooks 1.0.0, over the bytes that are sent: `v1` is HMAC-SHA256 under a secret that sender and receiver
 * share, `v1a` is Ed25519, for which the receiver needs the public key only.
 */
import {
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  randomBytes,
  sign as signWith,
  type KeyObject,
} from 'node:crypto';
import type { WebhookFields } from '@weft/shapes';

export type Signing = WebhookFields['signing'];

const SECRET_BYTES = 32;
const KEY_BYTES = 32;
const PREFIX = { secret: 'whsec_', privateKey: 'whsk_', publicKey: 'whpk_' };
/** DER of an Ed25519 private key before its 32 bytes (RFC 8410). */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** What an endpoint signs with; `shown` is what its receiver needs. */
export interface SigningSecret {
  readonly secret: string;
  readonly shown: string;
}

export function newSecret(signing: Signing): SigningSecret {
  if (signing === 'v1') {
    const secret = PREFIX.secret + randomBytes(SECRET_BYTES).toString('base64');
    return { secret, shown: secret };
  }
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-KEY_BYTES);
  const open = rawPublicKey(publicKey);
  return {
    secret: PREFIX.privateKey + Buffer.concat([seed, open]).toString('base64'),
    shown: PREFIX.publicKey + open.toString('base64'),
  };
}

/** What is signed besides the body. */
export interface SignedMessage {
  /** `webhook-id`. */
  readonly id: string;
  /** `webhook-timestamp`, whole seconds. */
  readonly timestamp: number;
  readonly body: Buffer;
}

/** Signs for one endpoint; reading its secrets once is most of the work. */
export class Signer {
  private readonly keys: readonly ((message: Buffer) => string)[];

  /** @param secrets the present one first, then an earlier one that still counts */
  constructor(secrets: readonly string[]) {
    this.keys = secrets.map(keyOf);
  }

  /** `webhook-signature`: one signature for each secret, separated by spaces. */
  sign({ id, timestamp, body }: SignedMessage): string {
    const message = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
    return this.keys.map((key) => key(message)).join(' ');
  }
}

function keyOf(secret: string): (message: Buffer) => string {
  if (secret.startsWith(PREFIX.secret)) {
    const bytes = Buffer.from(secret.slice(PREFIX.secret.length), 'base64');
    return (message) => `v1,${createHmac('sha256', bytes).update(message).digest('base64')}`;
  }
  if (!secret.startsWith(PREFIX.privateKey)) throw new TypeError('the secret of a webhook has no known form');
  const seed = Buffer.from(secret.slice(PREFIX.privateKey.length), 'base64').subarray(0, KEY_BYTES);
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  return (message) => `v1a,${signWith(null, message, key).toString('base64')}`;
}

function rawPublicKey(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES);
}
