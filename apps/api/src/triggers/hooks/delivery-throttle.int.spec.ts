import type { WeftError } from '@weft/kernel';
import { TRIGGER_DELIVERIES } from '@weft/records';
import { openRedis, type Redis } from '@weft/redis';
import { liveRedis } from '@weft/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { liveApi, textOf } from '../../../../../test/api/live-api.js';
import { DeliveryThrottle } from './delivery-throttle.js';

const live = liveRedis();
const { mongo, send, person } = await liveApi({ TRIGGER_RATE: '1', TRUST_PROXY: '127.0.0.1/32' });
let redis: Redis;
let nowMs = 0;
const clock = { monotonicMs: () => nowMs };

beforeAll(async () => {
  redis = openRedis(live.url, 'commands', 'test');
  await new Promise((resolve) => redis.once('ready', resolve));
});
afterAll(() => redis.disconnect());

/** Two at once, and one more each five seconds. */
const SLOW = 0.2;
const FAST = 1_000;
const replica = (rate: number, companyRate: number, by = redis) =>
  new DeliveryThrottle({ rate, companyRate }, by, live.prefix, clock);

/** After how many seconds it may be sent again. */
async function refused(taken: Promise<void>): Promise<number> {
  const error: unknown = await taken.then(
    () => 'it was taken',
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ code: 'too_many_deliveries' });
  return (error as WeftError).retryAfterSeconds ?? 0;
}
const isSoon = (seconds: number): boolean => seconds >= 1 && seconds <= 5;

describe('deliveries that cannot be verified', () => {
  it('are counted by network, however many addresses their sender has in it', async () => {
    const editor = await person('flow_editor');
    const flowId = textOf((await editor.send('POST', '/api/v1/flows', { body: { name: 'orders' } })).body.id);
    const body = { name: 'shop', verifier: { type: 'bearer', token: 'a-token-of-ours' } };
    const made = await editor.send('POST', `/api/v1/flows/${flowId}/triggers`, { body });
    const deliverFrom = (address: string) =>
      send('POST', new URL(textOf(made.body.url)).pathname, { headers: { 'x-forwarded-for': address } });
    for (let i = 0; i < 60; i += 1) expect((await deliverFrom(`2001:db8:1:2::${i.toString(16)}`)).status).toBe(401);
    expect((await deliverFrom('2001:db8:1:2:ffff::1')).status).toBe(429);
    expect((await deliverFrom('2001:db8:1:3::1')).status).toBe(401);
  });
});

describe('the rate of deliveries', () => {
  it('of a trigger is one over all replicas', async () => {
    const [one, other] = [replica(SLOW, FAST), replica(SLOW, FAST)];
    await one.take('c1', 't1');
    await other.take('c1', 't1');
    expect(await refused(one.take('c1', 't1'))).toSatisfy(isSoon);
    expect(await refused(other.take('c1', 't1'))).toSatisfy(isSoon);
    await other.take('c1', 't2');
  });

  it('of a company is one over its triggers, and what is refused uses up none', async () => {
    const [one, other] = [replica(FAST, SLOW), replica(FAST, SLOW)];
    await one.take('c2', 't1');
    await other.take('c2', 't2');
    for (let i = 0; i < 3; i += 1) expect(await refused(one.take('c2', `t${i}`))).toSatisfy(isSoon);
    await one.take('c3', 't1');
  });

  it('is kept by each replica for itself while Redis is unreachable', async () => {
    const away = openRedis('redis://127.0.0.1:1', 'commands', 'test');
    const [one, other] = [replica(SLOW, FAST, away), replica(SLOW, FAST, away)];
    for (const each of [one, other]) {
      await each.take('c1', 't1');
      await each.take('c1', 't1');
      expect(await refused(each.take('c1', 't1'))).toBe(5);
    }
    nowMs += 5_000;
    await one.take('c1', 't1');
    away.disconnect();
  });

  it('is answered with 429 and when to send again, and what was refused is in no log', async () => {
    const editor = await person('flow_editor');
    const flowId = textOf((await editor.send('POST', '/api/v1/flows', { body: { name: 'orders' } })).body.id);
    const triggers = `/api/v1/flows/${flowId}/triggers`;
    const made = await editor.send('POST', triggers, { body: { name: 'shop', verifier: { type: 'none' } } });
    const hook = new URL(textOf(made.body.url)).pathname;
    const answers = await Promise.all(Array.from({ length: 40 }, () => send('POST', hook, { body: {} })));
    const late = answers.filter(({ status }) => status !== 202);
    expect(late.length).toBeGreaterThan(0);
    for (const { status, body, headers } of late) {
      expect([status, textOf(body.code)]).toEqual([429, 'too_many_deliveries']);
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1);
    }
    const logged = { trigger_id: textOf(made.body.id) };
    expect(await mongo.collection(TRIGGER_DELIVERIES).countDocuments(logged)).toBe(answers.length - late.length);
  });
});
