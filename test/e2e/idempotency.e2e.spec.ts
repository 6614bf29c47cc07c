import type { PlayView, Page } from '@weft/contracts';
import type { RunAnswer, RunBody } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { sharedFleet } from './harness/fleet.js';
import { twoLayerFlow } from './harness/two-layer-flow.js';

const { admin, ledger, add } = await sharedFleet();
const replicas = [admin, admin.at((await add('api')).url)];
const flow = await twoLayerFlow(admin, ledger.url);
const ANSWER = { body: { n: 1 } };
ledger.answerWith(() => ANSWER);

type Fields = Readonly<Record<string, unknown>>;

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

  it('goes from a play that failed to one retry, however often and wherever the run is repeated', async () => {
    const paying = await admin.createFlow({ name: 'Charge and ship' });
    for (const ref of ['charge', 'ship']) {
      const args = { method: 'POST', url: `${ledger.url}/${ref}` };
      await admin.addLayer(paying.id, { ref, appId: 'web-request', args });
    }
    ledger.answerWith(({ path }) => (path === '/ship' ? { status: 409 } : ANSWER));
    const order = { args: { n: 1 }, idempotencyKey: 'k4' };
    const failed = await run(paying.id, order);
    await admin.waitForPlay(failed.body.playId, { state: 'FAIL' });
    ledger.answerWith(() => ANSWER);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => run(paying.id, order, i % 2)));
    const continued = answers.filter(({ status }) => status === 202);
    expect(continued).toMatchObject([{ headers: { 'idempotency-retried': failed.body.playId } }]);
    const playId = continued[0]?.body.playId ?? '';
    expect(new Set(answers.map(({ body }) => body.playId))).toEqual(new Set([playId]));
    await admin.waitForPlay(playId, { state: 'DONE' });
    expect(ledger.callsTo('/charge')).toHaveLength(1);
    expect(ledger.callsTo('/ship').map(({ idempotencyKey }) => idempotencyKey)).toEqual(
      Array(2).fill(`${failed.body.playId}.1`),
    );
    expect(await run(paying.id, order)).toMatchObject({ status: 200, body: { playId, state: 'DONE' } });
    expect((await playsWithKey('k4')).map(({ id, state, retryOf }) => [id, state, retryOf])).toEqual([
      [playId, 'DONE', failed.body.playId],
      [failed.body.playId, 'FAIL', null],
    ]);
  });

  it('is free again when its play was skipped or filtered, and is asked for before the flow’s condition', async () => {
    const when = '{{ $prev.args.go }}';
    const picky = await admin.createFlow({ name: 'picky', when });
    await admin.addLayer(picky.id, {
      ref: 'say',
      appId: 'text-template',
      args: { template: 'said' },
      when: '{{ $prev.args.say ?? false }}',
    });
    const order = (args: Fields) => ({ args, idempotencyKey: 'k6', wait: 20_000 });
    const outcomes = [];
    for (const args of [{ go: false }, { go: true }, { go: true, say: true }]) {
      outcomes.push(await run(picky.id, order(args)));
    }
    expect(outcomes.map(({ status, body }) => `${status} ${body.state}`)).toEqual([
      '200 SKIP',
      '200 FILTERED',
      '200 DONE',
    ]);
    expect(new Set(outcomes.map(({ body }) => body.playId)).size).toBe(3);
    const replayed = await run(picky.id, order({ go: false }));
    expect(replayed).toMatchObject({
      status: 200,
      body: { playId: outcomes[2]?.body.playId, state: 'DONE' },
      headers: { 'idempotency-replayed': 'true', 'idempotency-mismatch': 'true' },
    });
  });

  it('binds a delayed play, and one that waits for its turn, which a cancel frees', async () => {
    const narrow = await admin.createFlow({ name: 'narrow', settings: { concurrency: 1 } });
    const url = `${ledger.url}/narrow`;
    await admin.addLayer(narrow.id, { ref: 'call', appId: 'web-request', args: { url } });
    ledger.answerWith(() => ({ ...ANSWER, delayMs: 20_000 }));
    const inside = await admin.run(narrow.id);
    await expect.poll(() => ledger.callsTo('/narrow')).toHaveLength(1);
    ledger.answerWith(() => ANSWER);
    for (const body of [{ idempotencyKey: 'k7', delayMs: 60_000 }, { idempotencyKey: 'k8' }]) {
      const first = await run(narrow.id, body);
      const again = await run(narrow.id, { idempotencyKey: body.idempotencyKey }, 1);
      expect([first, again]).toMatchObject([
        { status: 202, body: { state: 'DEFERRED' } },
        { status: 200, body: first.body, headers: { 'idempotency-replayed': 'true' } },
      ]);
      expect((await admin.send('POST', `/api/v1/plays/${first.body.playId}/cancel`)).status).toBe(200);
      expect((await run(narrow.id, { idempotencyKey: body.idempotencyKey })).status).toBe(202);
    }
    expect((await admin.play(inside.playId)).state).toBe('RUN');
    await admin.send('POST', `/api/v1/plays/${inside.playId}/cancel`);
  });

  it('is one among runs and batches that come at once', async () => {
    const item = { args: { n: 1 }, idempotencyKey: 'k9' };
    const batch = (replica: number) =>
      (replicas[replica] ?? admin).send<{ items: readonly (RunAnswer & { replayed: boolean })[] }>(
        'POST',
        `/api/v1/flows/${flow.id}/run-batch`,
        { runs: Array.from({ length: 100 }, () => item) },
      );
    const [batches, runs] = await Promise.all([
      Promise.all([batch(0), batch(1)]),
      Promise.all(Array.from({ length: 50 }, (_, i) => run(flow.id, item, i % 2))),
    ]);
    const items = batches.flatMap(({ body }) => body.items);
    const ids = new Set([...items.map(({ playId }) => playId), ...runs.map(({ body }) => body.playId)]);
    expect(ids.size).toBe(1);
    const fresh = items.filter(({ replayed }) => !replayed).length + runs.filter(({ status }) => status === 202).length;
    expect(fresh).toBe(1);
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
