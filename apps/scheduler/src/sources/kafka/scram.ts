/** The client's side of SCRAM (RFC 5802), with SHA-256 or SHA-512 and without channel binding. */
import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { WireFault } from './wire.js';

export type ScramHash = 'sha256' | 'sha512';

const NO_BINDING = 'n,,';
/** A hostile server asks for as many as it likes. */
const MOST_ITERATIONS = 1_000_000;

export class Scram {
  private readonly nonce = randomBytes(18).toString('base64');
  private expected: Buffer = Buffer.alloc(0);

  constructor(
    private readonly hash: ScramHash,
    private readonly user: string,
    private readonly password: string,
  ) {}

  first(): Buffer {
    return Buffer.from(NO_BINDING + this.firstBare());
  }

  /** @param said the server's first message @throws WireFault */
  async proof(said: Buffer): Promise<Buffer> {
    const text = said.toString();
    const { r: nonce = '', s: salt = '', i: rounds = '' } = fieldsOf(text);
    const iterations = Number(rounds);
    if (!nonce.startsWith(this.nonce) || nonce === this.nonce || salt === '') {
      throw new WireFault('the broker answered SCRAM as nobody does');
    }
    if (!(iterations >= 1 && iterations <= MOST_ITERATIONS)) throw new WireFault(`${rounds} iterations of SCRAM`);
    const bytes = createHash(this.hash).digest().length;
    const salted = await promisify(pbkdf2)(this.password, Buffer.from(salt, 'base64'), iterations, bytes, this.hash);
    const clientKey = this.mac(salted, 'Client Key');
    const withoutProof = `c=${Buffer.from(NO_BINDING).toString('base64')},r=${nonce}`;
    const signed = [this.firstBare(), text, withoutProof].join(',');
    const signature = this.mac(createHash(this.hash).update(clientKey).digest(), signed);
    const proof = Buffer.from(clientKey.map((byte, i) => byte ^ (signature[i] ?? 0)));
    this.expected = this.mac(this.mac(salted, 'Server Key'), signed);
    return Buffer.from(`${withoutProof},p=${proof.toString('base64')}`);
  }

  /** Whether the server knows the password, too. @param said its last message */
  isServer(said: Buffer): boolean {
    const given = Buffer.from(fieldsOf(said.toString()).v ?? '', 'base64');
    return given.length === this.expected.length && timingSafeEqual(given, this.expected);
  }

  private firstBare(): string {
    return `n=${this.user.replaceAll('=', '=3D').replaceAll(',', '=2C')},r=${this.nonce}`;
  }

  private mac(key: Buffer, text: string): Buffer {
    return createHmac(this.hash, key).update(text).digest();
  }
}

function fieldsOf(text: string): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(text.split(',').map((part) => [part.slice(0, 1), part.slice(2)]));
}
