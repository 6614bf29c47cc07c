import type { PlayView } from '@weft/contracts';
import {
  waitFor,
  type ApiClient,
  type LedgerAnswer,
  type LedgerCall,
  type RunAnswer,
  type RunBody,
} from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { sharedFleet } from './harness/fleet.js';
import { twoLayerFlow } from './harness/two-layer-flow.js';

const { admin, ledger, add } = await sharedFleet();
const flow = await twoLayerFlow(admin, ledger.url);
let delayMs = 0;
const answer = ({ path, body }: LedgerCall): LedgerAnswer => {
  if (path === '/broken') return { status: 500, body: 'no' };
  return { body: { n: (JSON.parse(body) as { n: unknown }).n }, delayMs };
};
ledger.answerWith(answer);

interface EndedRun extends RunAnswer {
  readonly out: { readonly text?: string } | null;
  readonly error: PlayView['error'];
}

interface BatchAnswer {
  readonly items: readonly Partial<RunAnswer & { replayed: boolean; error: { code: string; detail: string } }>[];
}

const run = (flowId: string, body: RunBody, client: ApiClient = admin) =>
  client.send<EndedRun>('POST', `/api/v1/flows/${flowId}/run`, body);
const runBatch = (runs: readonly unknown[], flowId = flow.id) =>
  admin.send<BatchAnswer>('POST', `/api/v1/flows/${flowId}/run-batch`, { runs });

describe('a run that waits', () => {
  it('is answered 200 with the output of the last layer as soon as the play is DONE', async () => {
    const answer = await run(flow.id, { args: { n: 4 }, wait: 20_000 });
    expect(answer).toMatchObject({
      status: 200,
      body: { state: 'DONE', out: { text: 'Play 4 was answered 4.' }, error: null },
    });
    expect(answer.headers.location).toBe(`/api/v1/plays/${answer.body.playId}`);
  });

  it('tells how a play failed, and what its layer got', async () => {
    const broken = await admin.createFlow({ name: 'fails' });
    await admin.addLayer(broken.id, { ref: 'call', appId: 'web-request', args: { url: `${ledger.url}/broken` } });
    expect(await run(broken.id, { wait: 20_000 })).toMatchObject({
      status: 200,
      body: { state: 'FAIL', out: { statusCode: 500, body: 'no' }, error: { code: 'bad_status', ref: 'call' } },
    });
  });

  it('is answered with an output that lies beside the play, and with its address when it is larger than 256 KB', async () => {
    const large = await admin.createFlow({ name: 'large' });
    await admin.addLayer(large.id, { ref: 'say', appId: 'text-template', args: { template: '{{ $prev.args.text }}' } });
    const text = 'x'.repeat(100_000);
    expect((await run(large.id, { args: { text }, wait: 20_000 })).body.out).toEqual({ text });
    const { body } = await run(large.id, { args: { text: text.repeat(3) }, wait: 20_000 });
    expect(body.out).toEqual({ $ref: `/api/v1/plays/${body.playId}/layers/say/out`, bytes: 300_011 });
  });

  it('is answered 202 when the play takes longer, and the play goes on', async () => {
    delayMs = 400;
    const answer = await run(flow.id, { args: { n: 5 }, wait: 20 });
    delayMs = 0;
    expect(answer).toMatchObject({ status: 202, body: { state: 'RUN' } });
    expect(answer.body).not.toHaveProperty('out');
    expect((await admin.waitForPlay(answer.body.playId)).state).toBe('DONE');
  });

  it('is answered at once when the play that holds its key has ended', async () => {
    const order = { args: { n: 6 }, idempotencyKey: 'waited', wait: 20_000 };
    const first = await run(flow.id, order);
    const again = await run(flow.id, order);
    expect(again.body).toEqual(first.body);
    expect(again).toMatchObject({ status: 200, headers: { 'idempotency-replayed': 'true' } });
  });

  it('shows no output to a token of its own plays when the key holds a play of somebody else', async () => {
    const order = { args: { n: 10 }, idempotencyKey: 'of the admin', wait: 20_000 };
    const first = await run(flow.id, order);
    const invited = await admin.send<{ id: string }>('POST', '/api/v1/users', {
      email: 'runner@weft.test',
      roles: [{ company_id: flow.company_id, role: 'flow_executor' }],
      password: 'a long enough password',
    });
    const { token } = await admin.createApiKey({ scope: 'flow:execute', user_id: invited.body.id });
    const other = await run(flow.id, order, admin.withKey(token));
    expect(other).toMatchObject({ status: 200, body: { playId: first.body.playId, state: 'DONE', out: null } });
    const own = await run(flow.id, { args: { n: 11 }, wait: 20_000 }, admin.withKey(token));
    expect(own.body.out).toEqual({ text: 'Play 11 was answered 11.' });
  });

  it('waits with all others who hold the same key for the one play', async () => {
    delayMs = 100;
    const order = { args: { n: 7 }, idempotencyKey: 'awaited by many', wait: 20_000 };
    const answers = await Promise.all(Array.from({ length: 30 }, () => run(flow.id, order)));
    delayMs = 0;
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.state} ${body.out?.text}`))).toEqual(
      new Set(['200 DONE Play 7 was answered 7.']),
    );
    expect(new Set(answers.map(({ body }) => body.playId)).size).toBe(1);
  });

  it('waits for a delayed play, and takes a time that has passed for now', async () => {
    const delayed = await run(flow.id, { args: { n: 8 }, delayMs: 30, wait: 20_000 });
    expect(delayed).toMatchObject({ status: 200, body: { state: 'DONE' } });
    const past = await run(flow.id, { args: { n: 9 }, runAt: '2020-01-01T00:00:00Z', wait: 20_000 });
    expect(past).toMatchObject({ status: 200, body: { state: 'DONE' } });
    expect((await admin.play(past.body.playId)).dueAt).toBeNull();
  });
});

describe('the priority of a play', () => {
  it('is that of the run, else of its flow, whatever starts it', async () => {
    const settings = { priority: 5 };
    const urgent = await admin.createFlow({ name: 'urgent', settings });
    const schedule = { flow_id: urgent.id, schedule: '0 0 1 1 *', timezone: 'UTC' };
    const { id } = await admin.must<{ id: string }>(201, 'POST', '/api/v1/scheduler/jobs', schedule);
    const slot = await admin.send<{ playId: string }>('POST', `/api/v1/scheduler/jobs/${id}/run`);
    const runs = [await run(urgent.id, {}), await run(urgent.id, { priority: 0 }), slot];
    const priorities = await Promise.all(runs.map(async ({ body }) => (await admin.play(body.playId)).priority));
    expect(priorities).toEqual([5, 0, 5]);
  });
});

describe('a batch of runs', () => {
  it('accepts each run or says what is wrong with it, in order', async () => {
    const before = await run(flow.id, { args: { n: 1 }, idempotencyKey: 'b0' });
    const { status, body } = await runBatch([
      { args: { n: 1 }, idempotencyKey: 'b1' },
      { args: 'no object' },
      { args: { n: 2 }, idempotencyKey: 'b1' },
      { args: { n: 3 }, idempotencyKey: 'b0' },
      { delayMs: 60_000, args: { n: 4 }, priority: -3 },
      { delayMs: 5, runAt: '2030-01-01T00:00:00Z' },
      { args: { n: 5 }, wait: 100 },
    ]);
    expect(status).toBe(202);
    const [first, shape, same, earlier, delayed, both, wait] = body.items;
    expect(first).toEqual({ playId: first?.playId, state: 'RUN', replayed: false });
    expect([shape, wait].map((item) => item?.error?.code)).toEqual(['invalid_body', 'invalid_body']);
    expect(same).toMatchObject({ playId: first?.playId, replayed: true });
    expect(earlier).toMatchObject({ playId: before.body.playId, replayed: true });
    expect(delayed).toMatchObject({ state: 'DEFERRED', replayed: false });
    expect(both?.error?.code).toBe('both_delay_and_date');
    expect(await admin.play(delayed?.playId ?? '')).toMatchObject({ state: 'DEFERRED', priority: -3 });
    expect(await admin.waitForPlay(first?.playId ?? '')).toMatchObject({ state: 'DONE' });
  });

  it('of 1,000 runs is accepted, each as a play of its own', async () => {
    const pure = await admin.createFlow({ name: 'pure' });
    await admin.addLayer(pure.id, { ref: 'say', appId: 'text-template', args: { template: '{{ $prev.args.n }}' } });
    const runs = Array.from({ length: 1_000 }, (_, n) => ({ args: { n }, idempotencyKey: `n${n}` }));
    const { body } = await runBatch(runs, pure.id);
    const ids = body.items.map(({ playId }) => playId ?? '');
    expect(new Set(ids).size).toBe(1_000);
    expect(await admin.layers(ids[999] ?? '')).toHaveLength(1);
    await admin.waitForPlay(ids[999] ?? '', { state: 'DONE' });
    expect((await admin.layers(ids[999] ?? ''))[0]).toMatchObject({ out: { text: '999' } });
    const again = await runBatch(runs, pure.id);
    expect(again.body.items.map(({ playId }) => playId)).toEqual(ids);
    expect(again.body.items.every(({ replayed }) => replayed)).toBe(true);
  });

  it('is refused as a whole for what is wrong with all of it', async () => {
    expect((await runBatch([])).status).toBe(400);
    expect((await runBatch(Array.from({ length: 1_001 }, () => ({})))).status).toBe(400);
    expect((await runBatch([{}], '00000000000000000000')).status).toBe(404);
    const disabled = await admin.createFlow({ name: 'off', enabled: false });
    expect(await runBatch([{}], disabled.id)).toMatchObject({ status: 409, body: { code: 'flow_disabled' } });
  });
});

describe('a flow with a concurrency limit', () => {
  it('has never more plays in than that, takes them in order, and runs all of them', async () => {
    const limited = await admin.createFlow({ name: 'two at once', settings: { concurrency: 2 } });
    const call = { method: 'POST', url: `${ledger.url}/limited`, body: { n: '{{ $prev.args.n }}' } };
    await admin.addLayer(limited.id, { ref: 'call', appId: 'web-request', args: call });
    const inside: (() => void)[] = [];
    const order: number[] = [];
    let most = 0;
    ledger.answerWith(async ({ body }) => {
      order.push((JSON.parse(body) as { n: number }).n);
      await new Promise<void>((resolve) => {
        most = Math.max(most, inside.push(resolve));
      });
      return { body: {} };
    });
    const { body } = await runBatch(
      Array.from({ length: 12 }, (_, n) => ({ args: { n } })),
      limited.id,
    );
    expect(new Set(body.items.map(({ state }) => state))).toEqual(new Set(['DEFERRED']));
    for (let left = 12; left > 0; left -= 1) {
      await waitFor(() => inside.length >= Math.min(2, left), { what: 'the limit to be used' });
      inside.shift()?.();
    }
    for (const { playId = '' } of body.items) expect((await admin.waitForPlay(playId)).state).toBe('DONE');
    expect(most).toBe(2);
    expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, n) => n));
    // those that are in together may call in any order
    order.forEach((n, i) => expect(Math.abs(n - i)).toBeLessThan(2));
    ledger.answerWith(answer);
  });

  it('lets the next one in when a play is cancelled, on hold before its turn, or delayed', async () => {
    const limited = await admin.createFlow({ name: 'one at once', settings: { concurrency: 1 } });
    const call = { method: 'POST', url: `${ledger.url}/limited`, body: { n: '{{ $prev.args.n }}' } };
    await admin.addLayer(limited.id, { ref: 'call', appId: 'web-request', args: call });
    const command = (playId: string, what: string) => admin.send('POST', `/api/v1/plays/${playId}/${what}`);
    const called = (n: string) =>
      expect.poll(() => ledger.calls.some(({ body }) => body === `{"n":"${n}"}`)).toBe(true);
    delayMs = 20_000;
    const { playId: first } = await admin.run(limited.id, { args: { n: 'first' } });
    await called('first');
    delayMs = 0;
    const { playId: held } = await admin.run(limited.id, { args: { n: 'held' } });
    const { playId: delayed } = await admin.run(limited.id, { args: { n: 'delayed' }, delayMs: 1 });
    expect((await command(held, 'hold')).status).toBe(200);
    expect((await command(first, 'cancel')).status).toBe(200);
    expect(await admin.waitForPlay(delayed)).toMatchObject({ state: 'DONE' });
    expect((await admin.play(held)).state).toBe('ON_HOLD');
    expect((await command(held, 'release')).status).toBe(200);
    expect(await admin.waitForPlay(held)).toMatchObject({ state: 'DONE' });
  });
});

describe('an API process that is told to stop', () => {
  it('answers those who wait with 202, and their plays go on', async () => {
    const api = await add('api');
    delayMs = 700;
    const waiting = run(flow.id, { args: { n: 'last' }, wait: 30_000 }, admin.at(api.url));
    await expect.poll(() => ledger.calls.some(({ body }) => body === '{"n":"last"}')).toBe(true);
    await api.stop();
    expect(await waiting).toMatchObject({ status: 202, body: { state: 'RUN' } });
  });
});
