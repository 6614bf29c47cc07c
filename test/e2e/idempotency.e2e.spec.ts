import type { PlayView, Page } from '@weft/contracts';
import type { RunAnswer, RunBody } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { startFleet } from './harness/fleet.js';
import { twoLayerFlow } from './harness/two-layer-flow.js';

const { admin, ledger, of } = await startFleet({ apps: ['api', 'api', 'worker', 'scheduler'] });
const replicas = of('api').map(({ url }) => admin.at(url));
const flow = await twoLayerFlow(admin, ledger.url);
const ANSWER = { body: { n: 1 } };
ledger.answerWith(() => ANSWER);

const run = (flowId: string, body: RunBody, replica = 0) =>
  (replicas[replica] ?? admin).send<RunAnswer>('POST', `/api/v1/flows/${flowId}/run`, body);

async function playsWithKey(idempotencyKey: string): Promise<readonly PlayView[]> {
  const query = `idempotencyKey=${encodeURIComponent(idempotencyKey)}`;
  return (await admin.send<Page<PlayView>>('GET', `/api/v1/plays?${query}`)).body.items;
}

describe('500 runs with one key, over two API processes at once', () => {
  it('make one play that runs once, and every answer names it', async () => {
    const body = { args: { n: 1 }, idempotencyKey: 'order 7' };
    const answers = await Promise.all(Array.from({ length: 500 }, (_, i) => run(flow.id, body, i % 2)));
    expect([...new Set(answers.map(({ status }) => status))].sort()).toEqual([200, 202]);
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(
      answers.filter(({ status, headers }) => (status === 200) !== (headers['idempotency-replayed'] === 'true')),
    ).toEqual([]);
    const [playId, ...others] = new Set(answers.map(({ body: { playId: id } }) => id));
    expect(others).toEqual([]);
    await admin.waitForPlay(playId ?? '', { state: 'DONE' });
    expect(await playsWithKey('order 7')).toHaveLength(1);
    expect(ledger.countByKey().get(`${playId}.0`)).toBe(1);
  });
});

describe('a key', () => {
  it('is replayed with the play’s present state, and says when the args differ', async () => {
    const first = await run(flow.id, { args: { n: 1, m: { a: 1, b: 2 } }, idempotencyKey: 'k1' });
    await admin.waitForPlay(first.body.playId, { state: 'DONE' });
    const same = await run(flow.id, { args: { m: { b: 2, a: 1 }, n: 1 }, idempotencyKey: 'k1' }, 1);
    expect(same).toMatchObject({ status: 200, body: { playId: first.body.playId, state: 'DONE' } });
    expect(same.headers).toMatchObject({ 'idempotency-replayed': 'true' });
    expect(same.headers['idempotency-mismatch']).toBeUndefined();
    const other = await run(flow.id, { args: { n: 2 }, idempotencyKey: 'k1' });
    expect(other).toMatchObject({ status: 200, body: { playId: first.body.playId, state: 'DONE' } });
    expect(other.headers).toMatchObject({ 'idempotency-replayed': 'true', 'idempotency-mismatch': 'true' });
  });

  it('comes in the header, too, and in both only if they agree', async () => {
    const path = `/api/flows/${flow.id}/run`;
    const send = (body: RunBody, key: string) => admin.send<RunAnswer>('POST', path, body, { 'idempotency-key': key });
    const first = await send({ args: { n: 1 } }, 'k2');
    expect(first.status).toBe(202);
    expect((await run(flow.id, { args: { n: 1 }, idempotencyKey: 'k2' })).body.playId).toBe(first.body.playId);
    expect((await send({ args: { n: 1 }, idempotencyKey: 'k2' }, 'k2')).status).toBe(200);
    expect((await send({ idempotencyKey: 'k2' }, 'k3')).status).toBe(400);
  });

  it('is free again when its play has failed, and binds the one that succeeds', async () => {
    ledger.answerWith(() => ({ status: 500 }));
    const failed = await run(flow.id, { args: { n: 1 }, idempotencyKey: 'k4' });
    await admin.waitForPlay(failed.body.playId, { state: 'FAIL' });
    ledger.answerWith(() => ANSWER);
    const again = await run(flow.id, { args: { n: 1 }, idempotencyKey: 'k4' });
    expect(again.status).toBe(202);
    expect(again.body.playId).not.toBe(failed.body.playId);
    await admin.waitForPlay(again.body.playId, { state: 'DONE' });
    expect(await run(flow.id, { idempotencyKey: 'k4', args: { n: 1 } })).toMatchObject({
      status: 200,
      body: { playId: again.body.playId },
    });
    const states = (await playsWithKey('k4')).map(({ id, state }) => [id, state]);
    expect(states).toEqual([
      [again.body.playId, 'DONE'],
      [failed.body.playId, 'FAIL'],
    ]);
  });

  it('means another play in another flow', async () => {
    const other = await twoLayerFlow(admin, ledger.url);
    const [one, two] = await Promise.all(
      [flow, other].map(({ id }) => run(id, { args: { n: 1 }, idempotencyKey: 'k5' })),
    );
    expect([one?.status, two?.status]).toEqual([202, 202]);
    expect(one?.body.playId).not.toBe(two?.body.playId);
  });
});
