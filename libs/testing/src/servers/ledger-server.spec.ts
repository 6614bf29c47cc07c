import { request } from 'undici';
import { afterAll, expect, it } from 'vitest';
import { ledgerServer } from './ledger-server.js';

const ledger = await ledgerServer();
afterAll(() => ledger.close());

it('writes down every call before it answers', async () => {
  const answer = await request(`${ledger.url}/orders?n=1`, {
    method: 'POST',
    headers: { 'idempotency-key': 'play.0' },
    body: 'text',
  });
  expect(await answer.body.json()).toEqual({ path: '/orders?n=1', n: 1 });
  expect(ledger.callsTo('/orders')).toMatchObject([{ method: 'POST', idempotencyKey: 'play.0', body: 'text' }]);
});

it('counts how often a key came', async () => {
  for (const key of ['twice', 'once', 'twice']) {
    await (await request(`${ledger.url}/keys`, { headers: { 'idempotency-key': key } })).body.dump();
  }
  expect(ledger.countByKey().get('twice')).toBe(2);
  expect(ledger.countByKey().get('once')).toBe(1);
});

it('keeps a call whose answer it cut', async () => {
  ledger.answerWith(() => ({ hangUp: true }));
  await expect(request(`${ledger.url}/cut`)).rejects.toThrow();
  expect(ledger.callsTo('/cut')).toHaveLength(1);
});

it('answers as it is told', async () => {
  ledger.answerWith(({ path }) => ({ status: 418, headers: { 'x-path': path }, body: 'short and stout' }));
  const answer = await request(`${ledger.url}/teapot`);
  expect(answer.statusCode).toBe(418);
  expect(answer.headers['x-path']).toBe('/teapot');
  expect(await answer.body.text()).toBe('short and stout');
});
