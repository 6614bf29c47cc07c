import type { PlayLayerView } from '@weft/contracts';
import type { LedgerAnswer, LedgerCall } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { sharedFleet } from './harness/fleet.js';

const { admin, ledger } = await sharedFleet();

const LIST = { from: '{{ $page.json.next_cursor }}', param: 'cursor' };
const orders = (paginate: object, more: object = {}) => ({
  ...{ ref: 'orders', appId: 'web-request' },
  args: { url: `${ledger.url}/orders`, query: { limit: 20 }, paginate },
  ...more,
});

async function run(layers: readonly object[]) {
  const flow = await admin.createFlow();
  for (const layer of layers) await admin.addLayer(flow.id, layer as Parameters<typeof admin.addLayer>[1]);
  const { playId } = await admin.run(flow.id);
  return ended(playId);
}

async function ended(playId: string) {
  const play = await admin.waitForPlay(playId);
  const layers = await admin.layers(playId);
  return {
    play,
    layers: Object.fromEntries(layers.map((layer) => [layer.ref, layer])) as Record<string, PlayLayerView>,
  };
}

const cursorOf = ({ path }: LedgerCall) => Number(new URL(path, ledger.url).searchParams.get('cursor') ?? 0);

/** 500 orders, 20 a page, by a cursor. */
function pageOf(call: LedgerCall): LedgerAnswer {
  const at = cursorOf(call);
  const items = Array.from({ length: 20 }, (_, i) => ({ id: at * 20 + i }));
  return { body: { items, next_cursor: at < 24 ? String(at + 1) : null } };
}

describe('500 items in 25 pages', () => {
  it('arrive once and in order from a peer that refuses page 7 twice, and asks for time', async () => {
    let refused = 0;
    ledger.answerWith((call) => {
      if (cursorOf(call) !== 7 || refused === 2) return pageOf(call);
      refused += 1;
      return { status: 429, headers: { 'retry-after': '1' } };
    });
    const all = { ref: 'all', appId: 'transform', args: { expression: '{"ids": [$prev.orders.pages.json.items.id]}' } };
    const { play, layers } = await run([orders({ cursor: LIST }, { retry: { attempts: 3 } }), all]);
    expect(play).toMatchObject({ state: 'DONE', error: null });
    expect(layers.all?.out).toEqual({ value: { ids: Array.from({ length: 500 }, (_, id) => id) } });
    const calls = ledger.callsTo('/orders');
    expect(calls).toHaveLength(27);
    expect(new Set(calls.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(25);
    expect(calls.every(({ path }) => path.includes('limit=20'))).toBe(true);
  });

  it('are asked for from the failed page on when the play is retried, under the keys that they had', async () => {
    let broken = true;
    ledger.answerWith((call) => (broken && cursorOf(call) === 12 ? { status: 422 } : pageOf(call)));
    const before = ledger.calls.length;
    const { play, layers } = await run([orders({ cursor: LIST })]);
    expect(play).toMatchObject({ state: 'FAIL', error: { code: 'bad_status', ref: 'orders' } });
    expect(layers.orders?.error?.message).toMatch(/^page 12: .* answered 422$/);
    broken = false;
    const { body } = await admin.send<{ playId: string }>('POST', `/api/v1/plays/${play.id}/retry`);
    const again = await ended(body.playId);
    expect(again.play.state).toBe('DONE');
    expect(again.layers.orders?.out).toMatchObject({ count: 25 });
    const keys = ledger.calls.slice(before).map(({ idempotencyKey }) => idempotencyKey);
    const pages = Array.from({ length: 25 }, (_, page) => page);
    expect(keys).toEqual([...pages.slice(0, 13), ...pages.slice(12)].map((page) => `${play.id}.0.${page}`));
  });
});

describe('a peer that lies', () => {
  const huge = JSON.stringify({ text: 'x'.repeat(17 * 1024 * 1024) });
  it.each<[string, object, LedgerAnswer, string, RegExp]>([
    [
      'repeats its cursor',
      { cursor: LIST },
      { body: { next_cursor: 'same' } },
      'page_repeated',
      /leads back to page 1/,
    ],
    [
      'goes on without end',
      { cursor: { ...LIST, from: '{{ $page.index + 1 }}' }, maxPages: 4 },
      { body: {} },
      'too_many_pages',
      /more than 4 pages/,
    ],
    [
      'names an address of the cloud',
      { next: '{{ $page.json.next }}' },
      { body: { next: 'http://169.254.169.254/latest/meta-data' } },
      'destination_blocked',
      /^page 1: /,
    ],
    [
      'names it in Link',
      { link: true },
      { headers: { link: '<http://[::ffff:169.254.169.254]/>; rel="next"' }, body: {} },
      'destination_blocked',
      /^page 1: /,
    ],
    [
      'sends 17 MB',
      { cursor: LIST },
      { headers: { 'content-type': 'application/json' }, body: huge },
      'output_too_large',
      /^page 0: /,
    ],
  ])('and %s fails the layer in time', async (_what, paginate, answer, code, message) => {
    ledger.answerWith(() => answer);
    const { play } = await run([orders(paginate)]);
    expect(play).toMatchObject({ state: 'FAIL', error: { code, ref: 'orders' } });
    expect(play.error?.message).toMatch(message);
  });

  it('gets no credential for another origin, which is not called', async () => {
    const link = { name: 'shop', type: 'shop', access_token: 'sesame-open-1234' };
    const { id: integrationId } = await admin.must<{ id: string }>(201, 'POST', '/api/v1/integrations', link);
    const next = ledger.url.replace('127.0.0.1', 'localhost');
    ledger.answerWith(() => ({ body: { next: `${next}/stolen` } }));
    const args = { url: `${ledger.url}/mine`, auth: { integrationId }, paginate: { next: '{{ $page.json.next }}' } };
    const { play } = await run([orders({}, { args })]);
    expect(play).toMatchObject({ state: 'FAIL', error: { code: 'destination_blocked' } });
    expect(ledger.callsTo('/mine').map(({ headers }) => headers.authorization)).toEqual(['Bearer sesame-open-1234']);
    expect(ledger.callsTo('/stolen')).toEqual([]);
  });
});

describe('a job that is asked for until it is done', () => {
  it('holds no slot between the rounds, each of which has a key of its own', async () => {
    ledger.answerWith(({ path }) => ({
      body: { status: ledger.callsTo(path).length < 3 ? 'running' : 'done', n: ledger.callsTo(path).length },
    }));
    const job = {
      ...{ ref: 'job', appId: 'web-request', args: { url: `${ledger.url}/job` } },
      repeat: { until: '{{ $repeat.out.json.status = "done" }}', max: 5, delayMs: 60_000 },
    };
    const flow = await admin.createFlow();
    await admin.addLayer(flow.id, job);
    const { playId } = await admin.run(flow.id);
    for (const round of [1, 2]) {
      await admin.waitForPlay(playId, { state: 'DEFERRED' });
      expect(ledger.callsTo('/job')).toHaveLength(round);
      const { body } = await admin.send('GET', `/api/v1/plays/${playId}/waiting`);
      expect(body).toMatchObject({ state: 'DEFERRED', reason: 'delay', ref: 'job' });
      expect((await admin.layers(playId))[0]).toMatchObject({ state: 'DEFERRED', progress: round * 20 });
      expect((await admin.send('POST', `/api/v1/plays/${playId}/resume`, { ref: 'job' })).status).toBe(200);
    }
    const { play, layers } = await ended(playId);
    expect(play.state).toBe('DONE');
    expect(layers.job?.out).toMatchObject({ json: { status: 'done', n: 3 } });
    const keys = ledger.callsTo('/job').map(({ idempotencyKey }) => idempotencyKey);
    expect(keys).toEqual([0, 1, 2].map((round) => `${playId}.0.${round}`));
  });
});
