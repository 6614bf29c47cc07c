import { createPublicKey, verify } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { newSecret, Signer } from './signing.js';

/** The example of Standard Webhooks 1.0.0. */
const VECTOR = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1_614_265_330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

const now = (): number => Math.floor(Date.now() / 1_000);
const headersOf = (id: string, timestamp: number, signature: string) => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signature,
});

describe('a signature', () => {
  it('signs the public vector of Standard Webhooks', () => {
    const { secret, signature, body, ...message } = VECTOR;
    expect(new Signer([secret]).sign({ ...message, body: Buffer.from(body) })).toBe(signature);
  });

  it('is what the library standardwebhooks makes, and what it verifies', () => {
    const { secret, shown } = newSecret('v1');
    expect(shown).toBe(secret);
    const library = new Webhook(secret);
    const [timestamp, body] = [now(), '{"ä":"€ 𝄞"}'];
    const signature = new Signer([secret]).sign({ id: 'a_b_1', timestamp, body: Buffer.from(body) });
    expect(signature).toBe(library.sign('a_b_1', new Date(timestamp * 1_000), body));
    expect(library.verify(body, headersOf('a_b_1', timestamp, signature))).toEqual({ ä: '€ 𝄞' });
    expect(() => library.verify(`${body} `, headersOf('a_b_1', timestamp, signature))).toThrow('No matching signature');
  });

  it('verifies under either secret after a rotation, and under no other', () => {
    const [present, earlier, other] = [newSecret('v1'), newSecret('v1'), newSecret('v1')];
    const timestamp = now();
    const message = { id: 'x', timestamp, body: Buffer.from('{}') };
    const signature = new Signer([present.secret, earlier.secret]).sign(message);
    const verified = ({ secret }: { secret: string }) =>
      new Webhook(secret).verify('{}', headersOf('x', timestamp, signature));
    expect([verified(present), verified(earlier)]).toEqual([{}, {}]);
    expect(() => verified(other)).toThrow('No matching signature');
  });

  it('is one of Ed25519 with v1a, which the public key verifies', () => {
    const { secret, shown } = newSecret('v1a');
    expect([secret.slice(0, 5), shown.slice(0, 5)]).toEqual(['whsk_', 'whpk_']);
    const raw = Buffer.from(shown.slice(5), 'base64');
    expect(raw).toHaveLength(32);
    const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw]);
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    const signature = new Signer([secret]).sign({ id: 'x', timestamp: 5, body: Buffer.from('{}') });
    const [version, text = ''] = signature.split(',');
    expect(version).toBe('v1a');
    expect(verify(null, Buffer.from('x.5.{}'), key, Buffer.from(text, 'base64'))).toBe(true);
    expect(verify(null, Buffer.from('x.6.{}'), key, Buffer.from(text, 'base64'))).toBe(false);
  });

  it('needs a secret of a known form', () => {
    expect(() => new Signer(['secret'])).toThrow('no known form');
  });
});
