import { Signer } from '@weft/webhooks';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, vi } from 'vitest';
import { verifyWebhook, WebhookNotVerified } from './verify-webhook.js';

const EVENT = { type: 'play.done', timestamp: '2026-11-24T09:00:05.000Z', data: { playId: 'p', note: 'grün ✓' } };
const BODY = JSON.stringify(EVENT);
/** What Weft signs with, and what a receiver is shown. */
function newSecret(signing: 'v1' | 'v1a'): { secret: string; shown: string } {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  if (signing === 'v1') return { secret, shown: secret };
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
  const open = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  return { secret: `whsk_${Buffer.concat([seed, open]).toString('base64')}`, shown: `whpk_${open.toString('base64')}` };
}

const now = () => Math.floor(Date.now() / 1_000);

function signed(secrets: readonly string[], body = BODY, timestamp = now()) {
  const signature = new Signer(secrets).sign({ id: 'w_p_4', timestamp, body: Buffer.from(body) });
  return { 'webhook-id': 'w_p_4', 'webhook-timestamp': String(timestamp), 'webhook-signature': signature };
}

describe('verifyWebhook', () => {
  it.each(['v1', 'v1a'] as const)('takes what Weft signs with %s, as text and as bytes', async (signing) => {
    const { secret, shown } = newSecret(signing);
    const headers = signed([secret]);
    expect(await verifyWebhook(BODY, headers, { secret: shown })).toEqual(EVENT);
    expect(await verifyWebhook(Buffer.from(BODY), new Headers(headers), { secret: shown })).toEqual(EVENT);
  });

  it('gives integers with every digit where it is asked for them', async () => {
    const { secret } = newSecret('v1');
    const body = '{"type":"play.done","data":{"out":7615917337495251231}}';
    const event = { type: 'play.done', data: { out: 7_615_917_337_495_251_231n } };
    expect(await verifyWebhook(body, signed([secret], body), { secret, bigIntegers: true })).toEqual(event);
  });

  it('takes what the library of Standard Webhooks signs', async () => {
    const { secret } = newSecret('v1');
    const at = new Date();
    const signature = new Webhook(secret).sign('msg_1', at, BODY);
    const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)) };
    expect(await verifyWebhook(BODY, { ...headers, 'webhook-signature': signature }, { secret })).toEqual(EVENT);
  });

  it('looks at few signatures, and at none that has not the length of one', async () => {
    const verify = vi.spyOn(crypto.subtle, 'verify');
    const { secret, shown } = newSecret('v1');
    const headers = signed([secret]);
    const right = headers['webhook-signature'];
    const long = `v1,${Buffer.alloc(33).toString('base64')}`;
    await verifyWebhook(BODY, { ...headers, 'webhook-signature': `v1, ${long} ${right}` }, { secret: shown });
    expect(verify).toHaveBeenCalledTimes(1);
    const wrong = Array(4_000)
      .fill(`v1,${Buffer.alloc(32).toString('base64')}`)
      .join(' ');
    const many = { ...headers, 'webhook-signature': wrong };
    await expect(verifyWebhook(BODY, many, { secret: shown })).rejects.toThrow('No signature');
    expect(verify.mock.calls.length).toBeLessThan(20);
    verify.mockRestore();
  });

  it('takes either secret while one is being replaced, on both sides', async () => {
    const [old, next] = [newSecret('v1'), newSecret('v1')];
    expect(await verifyWebhook(BODY, signed([next.secret, old.secret]), { secret: old.shown })).toEqual(EVENT);
    expect(await verifyWebhook(BODY, signed([old.secret]), { secret: [next.shown, old.shown] })).toEqual(EVENT);
  });

  it('refuses another body, another secret, another scheme, an old request and missing headers', async () => {
    const { secret } = newSecret('v1');
    const { shown: publicKey } = newSecret('v1a');
    const good = signed([secret]);
    const faults = [
      [`${BODY} `, good, secret],
      [BODY, good, newSecret('v1').secret],
      [BODY, good, publicKey],
      [BODY, signed([secret], BODY, now() - 301), secret],
      [BODY, signed([secret], BODY, now() + 301), secret],
      [BODY, { ...good, 'webhook-id': 'w_p_5' }, secret],
      [BODY, { ...good, 'webhook-timestamp': 'now' }, secret],
      [BODY, { ...good, 'webhook-signature': 'v1,%%%' }, secret],
      [BODY, { ...good, 'webhook-signature': undefined }, secret],
    ] as const;
    for (const [body, headers, key] of faults) {
      await expect(verifyWebhook(body, headers, { secret: key })).rejects.toThrow(WebhookNotVerified);
    }
    await expect(verifyWebhook(BODY, good, { secret: '' })).rejects.toThrow(TypeError);
    for (const toleranceSeconds of [NaN, -1])
      await expect(verifyWebhook(BODY, good, { secret, toleranceSeconds })).rejects.toThrow(TypeError);
    const old = signed([secret], BODY, now() - 20);
    expect(await verifyWebhook(BODY, old, { secret, toleranceSeconds: 30 })).toEqual(EVENT);
    await expect(verifyWebhook(BODY, old, { secret, toleranceSeconds: 10 })).rejects.toThrow(WebhookNotVerified);
  });
});
