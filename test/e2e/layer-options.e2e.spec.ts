import type { FlowView, PlayLayerView } from '@weft/contracts';
import { waitFor } from '@weft/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { sharedFleet } from './harness/fleet.js';

const { admin, ledger } = await sharedFleet();

type Layer = { readonly ref: string; readonly appId: string; readonly args: object } & Readonly<
  Record<string, unknown>
>;

const tell = (ref: string, template: string, more: object = {}): Layer => ({
  ...{ ref, appId: 'text-template', args: { template } },
  ...more,
});

async function flowOf(layers: readonly Layer[]): Promise<FlowView> {
  const flow = await admin.createFlow();
  for (const layer of layers) await admin.addLayer(flow.id, { ...layer, args: { ...layer.args } });
  return flow;
}

/** Run once, to its end. */
async function run(layers: readonly Layer[], args: Readonly<Record<string, unknown>> = {}) {
  const { playId } = await admin.run((await flowOf(layers)).id, { args });
  const play = await admin.waitForPlay(playId);
  return { play, ...(await shown(playId)) };
}

async function shown(playId: string) {
  const results = await admin.layers(playId);
  return {
    states: results.map(({ ref, state }) => `${ref} ${state}`).join(', '),
    layers: Object.fromEntries(results.map((layer) => [layer.ref, layer])) as Readonly<Record<string, PlayLayerView>>,
  };
}

describe('a condition', () => {
  it('filters its layer out, which later ones read as null', async () => {
    const { play, states, layers } = await run([
      tell('greet', 'Hello', { when: '{{ $prev.args.polite ?? false }}' }),
      tell('ask', '{{ .greet.text ?? "No word" }}.'),
    ]);
    expect([play.state, states]).toEqual(['DONE', 'greet FILTERED, ask DONE']);
    expect(layers.greet).toMatchObject({ out: null, attempts: 0, error: null });
    expect(layers.ask?.out).toEqual({ text: 'No word.' });
  });

  it('on every layer makes a play that is FILTERED', async () => {
    const when = '{{ $prev.args.n }}';
    const { play, states } = await run([tell('a', 'x', { when }), tell('b', 'x', { when })], { n: 0 });
    expect([play.state, play.error, states]).toEqual(['FILTERED', null, 'a FILTERED, b FILTERED']);
  });
});

describe('a module that steers', () => {
  it('filter ends the play for everything behind it', async () => {
    const filter = { ref: 'big', appId: 'filter', args: { condition: '{{ $prev.args.amount }}' } };
    const layers = [tell('a', 'x'), filter, tell('b', 'x')];
    const small = await run(layers, { amount: 0 });
    expect([small.play.state, small.states]).toEqual(['DONE', 'a DONE, big FILTERED, b FILTERED']);
    expect(small.layers.big?.out).toEqual({ passed: false });
    const large = await run(layers, { amount: 5 });
    expect([large.play.state, large.states]).toEqual(['DONE', 'a DONE, big DONE, b DONE']);
  });

  it('branch skips the layers of the cases that it does not take', async () => {
    const cases = [{ when: '{{ $prev.args.known }}', refs: ['greet', 'both'] }];
    const way = { ref: 'way', appId: 'branch', args: { cases, else: ['ask', 'both'] } };
    const layers = [way, tell('greet', 'Hello'), tell('ask', 'Who?'), tell('both', '{{ .greet.text }}{{ .ask.text }}')];
    const known = await run(layers, { known: true });
    expect(known.states).toBe('way DONE, greet DONE, ask SKIP, both DONE');
    expect([known.layers.way?.out, known.layers.both?.out]).toEqual([{ taken: ['greet', 'both'] }, { text: 'Hello' }]);
    const unknown = await run(layers, { known: '' });
    expect(unknown.states).toBe('way DONE, greet SKIP, ask DONE, both DONE');
    expect([unknown.play.state, unknown.layers.both?.out]).toEqual(['DONE', { text: 'Who?' }]);
  });
});

describe('a loop', () => {
  it('over 10,000 items gives 10,000 outputs in their order', async () => {
    const list = Array.from({ length: 10_000 }, (_, i) => i);
    const forEach = { in: '{{ $prev.args.list }}', concurrency: 10 };
    const { play, layers } = await run(
      [
        tell('each', '{{ $index }}:{{ $item }}', { forEach }),
        tell('last', '{{ .each[9999].text }} of {{ .each.length }}'),
      ],
      { list },
    );
    expect(play.state).toBe('DONE');
    expect(layers.last?.out).toEqual({ text: '9999:9999 of 10000' });
    const { body } = await admin.send('GET', `/api/v1/plays/${play.id}/layers/each/out`);
    expect(body).toEqual(list.map((i) => ({ text: `${i}:${i}` })));
  });

  it('calls the world for as many items at a time as it may', async () => {
    const list = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    let running = 0;
    let most = 0;
    let arrived = 0;
    const gates: (() => void)[] = [];
    // nobody is answered before three are there, or the last ones are, and the last of them first
    ledger.answerWith(async ({ path }) => {
      [running, arrived] = [running + 1, arrived + 1];
      most = Math.max(most, running);
      await new Promise<void>((open) => {
        gates.push(open);
        if (gates.length === 3 || arrived === list.length) for (const gate of gates.splice(0).reverse()) gate();
      });
      running -= 1;
      return { body: { path } };
    });
    const forEach = { in: '{{ $prev.args.list }}', concurrency: 3 };
    const each = { ref: 'each', appId: 'web-request', args: { url: `${ledger.url}/loop/{{ $item }}` }, forEach };
    const { play, layers } = await run([each], { list });
    expect(play.state).toBe('DONE');
    expect((layers.each?.out as { json: unknown }[]).map(({ json }) => json)).toEqual(
      list.map((item) => ({ path: `/loop/${item}` })),
    );
    expect(most).toBe(3);
    const keys = list.flatMap((item) => ledger.callsTo(`/loop/${item}`).map(({ idempotencyKey }) => idempotencyKey));
    expect(keys).toEqual(list.map((_item, i) => `${play.id}.0.${i}`));
  });

  it('gives up its slot while a rate limit holds it back, and calls no item twice', async () => {
    ledger.answerWith(({ path }) => ({ body: { path } }));
    const limit = (rate_limit: object | null) =>
      admin.must(200, 'PATCH', `/api/v1/destinations/${new URL(ledger.url).host}`, { rate_limit });
    await limit({ limit: 2, per: 'hour' });
    onTestFinished(async () => void (await limit(null)));
    const limited = { ref: 'each', appId: 'web-request', args: { url: `${ledger.url}/slow/{{ $item }}` } };
    const retry = { attempts: 2, backoff: 'fixed', delayMs: 0, maxDelayMs: 0 };
    const flow = await flowOf([
      // the limit is known by then
      { ref: 'later', appId: 'delay', args: { ms: 2_000 } },
      { ...limited, retry, forEach: { in: '{{ $prev.args.list }}', concurrency: 2 } },
    ]);
    const { playId } = await admin.run(flow.id, { args: { list: [1, 2, 3, 4] } });
    await waitFor(
      async () => (await admin.layers(playId)).some(({ ref, state }) => ref === 'each' && state === 'DEFERRED'),
      {
        what: 'the pause of the loop',
      },
    );
    const called = () => [1, 2, 3, 4].map((item) => ledger.callsTo(`/slow/${item}`).length);
    expect(called()).toEqual([1, 1, 0, 0]);
    await limit({ limit: 100, per: 'second' });
    // nobody continues it by hand, and its turn would come in five minutes
    await waitFor(async () => (await admin.play(playId)).state === 'DONE', {
      what: 'the end of a loop whose limit was raised',
    });
    expect(called()).toEqual([1, 1, 1, 1]);
    expect((await shown(playId)).layers.each).toMatchObject({ state: 'DONE', attempts: 1 });
  });

  it('names the item that failed, and lets the play go on where the layer says so', async () => {
    ledger.answerWith(({ path }) => ({ status: path.endsWith('/2') ? 503 : 200 }));
    const forEach = { in: '{{ $prev.args.list }}' };
    const each = { ref: 'each', appId: 'web-request', args: { url: `${ledger.url}/part/{{ $item }}` }, forEach };
    const { play, states, layers } = await run([{ ...each, onError: 'continue' }, tell('after', 'on')], {
      list: [1, 2, 3],
    });
    expect([play.state, states]).toEqual(['DONE', 'each FAIL, after DONE']);
    expect(layers.each?.error?.code).toBe('bad_status');
    expect(layers.each?.error?.message).toMatch(/^item 1: .* answered 503$/);
    expect(ledger.callsTo('/part/3')).toEqual([]);
  });
});

describe('a loop of a play that is retried', () => {
  it('calls for the items that have no output yet, under the keys that they had', async () => {
    let broken = true;
    ledger.answerWith(({ path }) => ({ status: broken && path.endsWith('/7') ? 422 : 200, body: { path } }));
    const list = Array.from({ length: 11 }, (_, i) => i);
    const each = {
      ref: 'each',
      appId: 'web-request',
      args: {
        url: `${ledger.url}/orders/{{ $item }}`,
        method: 'POST',
        body: { order: '{{ $item }}', at: '{{ $now() }}' },
      },
      forEach: { in: '{{ $prev.args.list }}' },
    };
    const { play: first } = await run([each], { list });
    expect(first).toMatchObject({ state: 'FAIL', error: { code: 'bad_status' } });
    const retry = async (of: string) => {
      const { status, body } = await admin.send<{ playId: string }>('POST', `/api/v1/plays/${of}/retry`);
      expect(status).toBe(202);
      return admin.waitForPlay(body.playId);
    };
    const second = await retry(first.id);
    expect(second.state).toBe('FAIL');
    broken = false;
    const third = await retry(second.id);
    expect(third.state).toBe('DONE');
    const calls = list.map((item) => ledger.callsTo(`/orders/${item}`));
    expect(calls.map((of) => of.length)).toEqual([1, 1, 1, 1, 1, 1, 1, 3, 1, 1, 1]);
    const keys = calls.map((of) => [...new Set(of.map(({ idempotencyKey }) => idempotencyKey))]);
    expect(keys).toEqual(list.map((i) => [`${first.id}.0.${i}`]));
    expect(new Set(calls[7]?.map(({ body }) => String(body))).size).toBe(1);
    const { layers } = await shown(third.id);
    expect((layers.each?.out as { json: unknown }[]).map(({ json }) => json)).toEqual(
      list.map((item) => ({ path: `/orders/${item}` })),
    );
  });
});

describe('a flow that is run by a play that is retried', () => {
  it('goes on where it failed, and calls nobody twice for what it has done', async () => {
    let broken = true;
    ledger.answerWith(({ path }) => ({ status: broken && path === '/ship' ? 503 : 200 }));
    const ask = (ref: string) => ({ ref, appId: 'web-request', args: { url: `${ledger.url}/${ref}`, method: 'POST' } });
    const child = await flowOf([ask('bill'), ask('ship')]);
    const { play: first } = await run([{ ref: 'order', appId: 'run-flow', args: { flowId: child.id } }]);
    expect(first.error?.code).toBe('child_failed');
    broken = false;
    const { body } = await admin.send<{ playId: string }>('POST', `/api/v1/plays/${first.id}/retry`);
    expect((await admin.waitForPlay(body.playId)).state).toBe('DONE');
    const keys = (path: string) => ledger.callsTo(path).map(({ idempotencyKey }) => idempotencyKey);
    expect([keys('/bill').length, keys('/ship').length]).toEqual([1, 2]);
    expect(new Set(keys('/ship')).size).toBe(1);
  });
});

describe('a loop that runs a flow for each item', () => {
  it('waits for all of its plays, gives their results in order, and collects the one that fails', async () => {
    const child = await flowOf([tell('say', 'order {{ $prev.args.id }}')]);
    const fan = {
      ref: 'fan',
      appId: 'run-flow',
      args: { flowId: child.id, args: '{{ $item }}' },
      forEach: { in: '{{ $prev.args.list }}', concurrency: 50, onItemError: 'collect' },
    };
    const list = Array.from({ length: 200 }, (_, id) => (id === 77 ? {} : { id }));
    const { play, layers } = await run([fan], { list });
    expect(play.state).toBe('DONE');
    expect(layers.fan?.state).toBe('DONE');
    type Entry = {
      readonly ok: boolean;
      readonly out: { readonly playId: string; readonly out: { readonly text: string } };
    };
    const { body: out } = await admin.send<Entry[]>('GET', `/api/v1/plays/${play.id}/layers/fan/out`);
    expect(out.map((each) => (each.ok ? each.out.out.text : null))).toEqual(
      list.map((_, id) => (id === 77 ? null : `order ${id}`)),
    );
    expect(new Set(out.map((each) => each.out.playId)).size).toBe(200);
    const failed = await admin.send<{ items: object[] }>('GET', `/api/v1/plays/${play.id}/layers/fan/items?ok=false`);
    expect(failed.body.items).toMatchObject([{ index: 77, playId: out[77]?.out.playId, state: 'FAIL', ok: false }]);
  });
});

describe('a loop with retry', () => {
  it('calls the item that fails as often as the layer may try, and no other again', async () => {
    ledger.answerWith(({ path }) => ({ status: path.endsWith('/b') ? 503 : 200 }));
    const each = {
      ref: 'each',
      appId: 'web-request',
      args: { url: `${ledger.url}/again/{{ $item }}` },
      forEach: { in: '{{ $prev.args.list }}' },
      retry: { attempts: 3, backoff: 'fixed', delayMs: 10 },
    };
    const { play, layers } = await run([each], { list: ['a', 'b'] });
    expect(play).toMatchObject({ state: 'FAIL', error: { code: 'bad_status', ref: 'each' } });
    expect(layers.each?.attempts).toBe(3);
    expect([ledger.callsTo('/again/a').length, ledger.callsTo('/again/b').length]).toEqual([1, 3]);
  });
});

describe('a delay', () => {
  it('parks its play, which goes on by itself', async () => {
    const rest = { ref: 'rest', appId: 'delay', args: { ms: 1_500 } };
    const flow = await flowOf([tell('before', 'b'), rest, tell('after', '{{ .before.text }}a')]);
    const { playId } = await admin.run(flow.id);
    const parked = await admin.waitForPlay(playId, { state: 'DEFERRED' });
    expect(parked.dueAt).not.toBeNull();
    expect((await shown(playId)).layers.before?.state).toBe('DONE');
    const ended = await admin.waitForPlay(playId);
    const { states, layers } = await shown(playId);
    expect([ended.state, states]).toEqual(['DONE', 'before DONE, rest DONE, after DONE']);
    expect((layers.rest?.out as { waitedMs: number }).waitedMs).toBeGreaterThanOrEqual(1_500);
    expect(layers.after?.out).toEqual({ text: 'ba' });
  });
});

describe('a destination that is paused', () => {
  it('gets no call until it is released: plays wait or fail, as their flow says', async () => {
    ledger.answerWith(({ path }) => ({ body: { path } }));
    const path = `/api/v1/destinations/${new URL(ledger.url).host}`;
    const ask = { ref: 'ask', appId: 'web-request', args: { url: `${ledger.url}/paused` } };
    const flow = await flowOf([ask]);
    await admin.must(200, 'POST', `${path}/pause`);
    // workers know of it within about a second
    await waitFor(async () => (await run([ask])).layers.ask?.error?.code === 'destination_paused', {
      what: 'a call that is refused',
    });
    const before = ledger.callsTo('/paused').length;
    await admin.must(200, 'PUT', `/api/v1/flows/${flow.id}`, { settings: { onDestinationDown: 'park' } });
    const { playId } = await admin.run(flow.id);
    await waitFor(async () => (await admin.play(playId)).state === 'DEFERRED', { what: 'the play to wait' });
    expect(await admin.must(200, 'GET', path)).toMatchObject({ state: 'paused', parked: 1, nextProbe: null });
    expect(await admin.must(200, 'GET', `/api/v1/plays/${playId}/waiting`)).toMatchObject({
      ...{ reason: 'destination_down', ref: 'ask', until: expect.any(String) as string },
      message: expect.stringContaining('paused') as string,
    });
    expect(ledger.callsTo('/paused')).toHaveLength(before);
    await admin.must(200, 'POST', `${path}/release`);
    await waitFor(async () => (await admin.play(playId)).state === 'DONE', { what: 'the end of the play' });
    expect(ledger.callsTo('/paused')).toHaveLength(before + 1);
    expect((await shown(playId)).layers.ask).toMatchObject({ state: 'DONE', attempts: 1 });
  });
});
