import type { PlayLayerView } from '@weft/contracts';
import { ledgerServer, socketClient, waitFor } from '@weft/testing';
import mongoose from 'mongoose';
import { afterAll, describe, expect, it } from 'vitest';
import { connectAgent, useTool } from '../api/mcp-agent.js';
import { ioClient } from '../fixtures/io-client.js';
import { sharedFleet } from './harness/fleet.js';

const { admin, ledger, servers, one } = await sharedFleet();
const hooks = await ledgerServer();
const mongo = await new mongoose.mongo.MongoClient(servers.mongodbUri).connect();
const db = mongo.db(servers.mongodbDb);
afterAll(async () => {
  await Promise.all([mongo.close(), hooks.close()]);
});

/** As a server writes it, which JSON.stringify would not give back. */
const textOf = (count: number) =>
  `\n{ "big": 12345678901234567890, "list": [${Array.from({ length: count }, (_, id) => `{"id": ${id}, "name": "Ä"}`).join()}] }\n`;
const SIZES: Readonly<Record<string, number>> = { '/small': 150, '/middle': 4_000, '/large': 9_000 };
ledger.answerWith(({ path }) => {
  const headers = { 'content-type': 'application/json' };
  if (path.startsWith('/items/')) return { headers, body: `{ "item": "${path.slice(7)}" }` };
  if (path === '/refused') return { status: 422, headers, body: '{ "why": "no" }' };
  return { headers, body: textOf(SIZES[path] ?? 1) };
});

interface Out {
  readonly body: string;
  readonly json: unknown;
}
const request = (path: string) => ({ url: `${ledger.url}${path}` });
const call = (ref: string, path: string, more: object = {}) => ({
  ref,
  appId: 'web-request',
  args: request(path),
  ...more,
});
type Layer = Parameters<typeof admin.addLayer>[1];

async function flowOf(...layers: readonly object[]): Promise<string> {
  const { id } = await admin.createFlow();
  for (const layer of layers) await admin.addLayer(id, layer as Layer);
  return id;
}
const run = async (flowId: string, args: object = {}) => {
  const { playId } = await admin.run(flowId, { args: { ...args } });
  return admin.waitForPlay(playId);
};
const layersOf = async (playId: string) =>
  Object.fromEntries((await admin.layers(playId)).map((layer) => [layer.ref, layer])) as Record<string, PlayLayerView>;
const plays = () => db.collection<{ _id: string; layers: { out: unknown; jsonFrom?: string }[] }>('plays');

async function storedOnce(flowId: string, args: object = {}) {
  const play = await run(flowId, args);
  const stored = await plays().findOne({ _id: play.id });
  expect(stored?.layers.map(({ jsonFrom }) => jsonFrom)).toContain('body');
  return { play, layers: stored?.layers ?? [] };
}

interface Line {
  readonly cursor: string;
  readonly playId: string;
  readonly type: string;
  readonly data: { readonly ref: string; readonly output: unknown };
}
async function changesFrom(query: string): Promise<Line[]> {
  const answer = await fetch(`${admin.url}/api/v1/changes${query}`, { headers: admin.credentials });
  const text = await answer.text();
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

const expectWhole = (out: unknown, text: string) => {
  expect((out as Out).body).toBe(text);
  expect((out as Out).json).toEqual(JSON.parse(text));
};

describe('JSON answers that are stored once', () => {
  it('are whole wherever an output leaves the store', async () => {
    const webhook = { name: 'w', url: `${hooks.url}/hook`, events: ['play.done'], include_out: true };
    await admin.must(201, 'POST', '/api/v1/webhooks', webhook);
    const forEach = { in: '{{ $prev.args.ids }}', concurrency: 2 };
    const collect = { ...forEach, onItemError: 'collect' };
    const flowId = await flowOf(
      call('items', '/items/{{ $item }}', { forEach }),
      call('collected', '/items/{{ $item }}', { forEach: collect }),
      call('refused', '/refused', { onError: 'continue' }),
      call('middle', '/middle'),
      call('large', '/large'),
      { ref: 'pause', appId: 'delay', args: { ms: 300 } },
      {
        ref: 'read',
        appId: 'text-template',
        args: {
          template:
            '{{ .items[1].json.item }} {{ .collected[0].out.json.item }} {{ .refused.json.why }} {{ .middle.json.list[3].id }} {{ $count(.large.json.list) }} {{ .middle.body }}',
        },
      },
      call('small', '/small'),
    );
    const socket = (playId: string) =>
      socketClient(`${one('realtime').url}/ws/plays/${playId}`, { headers: admin.credentials });
    const company = socketClient(`${one('realtime').url}/api/ws`, { headers: admin.credentials });
    const io = ioClient(one('realtime').url, { headers: admin.credentials });
    await Promise.all([io.opened, company.opened]);
    const { cursor } = (await changesFrom('')).at(-1) as { cursor: string };

    const { play } = await storedOnce(flowId, { ids: ['a', 'b'] });
    expect(play).toMatchObject({ state: 'DONE', error: null });
    const layers = await layersOf(play.id);
    expectWhole(layers.small?.out, textOf(150));
    expectWhole(layers.middle?.out, textOf(4_000));
    expect(layers.large?.out).toMatchObject({ $ref: expect.any(String) as string });
    expect(layers.items?.out).toMatchObject([
      { json: { item: 'a' } },
      { json: { item: 'b' }, body: '{ "item": "b" }' },
    ]);
    expect(layers.collected?.out).toMatchObject([{ out: { json: { item: 'a' } } }, { out: { json: { item: 'b' } } }]);
    expect(layers.refused?.out).toMatchObject({ statusCode: 422, json: { why: 'no' } });
    expect(layers.read?.out).toEqual({ text: `b a no 3 9000 ${textOf(4_000)}` });
    for (const [ref, count] of [
      ['small', 150],
      ['middle', 4_000],
      ['large', 9_000],
    ] as const) {
      const { body } = await admin.send('GET', `/api/v1/plays/${play.id}/layers/${ref}/out`);
      expectWhole(body, textOf(count));
    }
    const items = await admin.send<{ items: { out: Out }[] }>('GET', `/api/v1/plays/${play.id}/layers/items/items`);
    expect(items.body.items.map(({ out }) => out.json)).toContainEqual({ item: 'a' });

    const text = textOf(150);
    const live = socket(play.id);
    await live.closed;
    await io.ask('subscribe', { playId: play.id });
    await io.waitForFrame((frame) => frame.type === 'play_complete');
    for (const frames of [live.frames, io.frames]) {
      const ends = frames.flatMap(({ type, data }) =>
        type === 'layer_complete' && data.ref === 'small' ? [data.output] : [],
      );
      expect(ends).toHaveLength(1);
      expectWhole(ends[0], text);
    }
    const ofCompany = await company.waitForFrame((each) => {
      const { playId, ref, state } = each as unknown as Record<string, unknown>;
      return playId === play.id && ref === 'small' && state === 'DONE';
    });
    expectWhole((ofCompany as unknown as { out: unknown }).out, text);
    const isChange = ({ playId, type, data }: Line) =>
      playId === play.id && type === 'layer_complete' && data.ref === 'small';
    const changed = await waitFor(async () => (await changesFrom(`?cursor=${cursor}`)).find(isChange), {
      what: 'the end of the layer in the change feed',
    });
    expectWhole(changed.data.output, text);
    const { body: events } = await admin.send('GET', `/api/v1/plays/${play.id}/events`);
    expect(JSON.stringify(events)).toContain('"json":{"big"');
    await expect.poll(() => hooks.calls.map(({ body }) => body).find((body) => body.includes(play.id))).toBeDefined();
    const delivery = hooks.calls.find(({ body }) => body.includes(play.id))?.body ?? '{}';
    expectWhole((JSON.parse(delivery) as { data: { out: unknown } }).data.out, text);

    const { token } = await admin.createApiKey({ scope: 'mcp' });
    const agent = await connectAgent(admin.url, token);
    const got = (await useTool(agent, 'get_play', { playId: play.id })) as { layers: PlayLayerView[] };
    expect(got.layers.find(({ ref }) => ref === 'refused')?.out).toMatchObject({ json: { why: 'no' } });
    await agent.close();
    const { body: backtest } = await admin.send('POST', `/api/v1/flows/${flowId}/backtest`, { last: 5 });
    expect(backtest).toMatchObject({ different: 0, unresolved: 0 });
    await Promise.all([company.close(), live.close()]);
    io.close();
  });

  it('are in MongoDB once, small ones and larger ones', async () => {
    const { play, layers } = await storedOnce(await flowOf(call('small', '/small'), call('middle', '/middle')));
    expect(layers[0]?.out).toMatchObject({ body: textOf(150) });
    expect(layers[0]?.out).not.toHaveProperty('json');
    const files = await db.collection('payloads.files').find({ 'metadata.playIds': play.id }).toArray();
    expect(files.map(({ length }) => length as number)).toEqual([Buffer.byteLength(textOf(4_000))]);
  });

  it('are given to whoever waits for the run, to a parent, and to a retry that takes them over', async () => {
    const child = await flowOf(call('small', '/small'));
    const waited = await admin.send<{ out: Out }>('POST', `/api/v1/flows/${child}/run`, { wait: 20_000 });
    expectWhole(waited.body.out, textOf(150));
    const parent = await flowOf(
      { ref: 'sub', appId: 'run-flow', args: { flowId: child } },
      { ref: 'read', appId: 'text-template', args: { template: '{{ .sub.out.json.list[5].id }}' } },
    );
    const { id } = await run(parent);
    expect((await layersOf(id)).read?.out).toEqual({ text: '5' });

    let isBroken = true;
    hooks.answerWith(() => ({ status: isBroken ? 422 : 200 }));
    const failing = await flowOf(
      call('small', '/small'),
      call('middle', '/middle'),
      {
        ref: 'send',
        appId: 'web-request',
        args: { url: `${hooks.url}/x`, method: 'POST', body: '{{ .small.json.list[2] }}' },
      },
      {
        ref: 'read',
        appId: 'text-template',
        args: { template: '{{ .middle.json.list[9].id }} {{ .small.json.list[1].id }}' },
      },
    );
    const failed = await storedOnce(failing);
    expect(failed.play.state).toBe('FAIL');
    isBroken = false;
    const again = await admin.must<{ playId: string }>(202, 'POST', `/api/v1/plays/${failed.play.id}/retry`);
    const ended = await admin.waitForPlay(again.playId);
    expect(ended.state).toBe('DONE');
    const layers = await layersOf(again.playId);
    expect(layers.read?.out).toEqual({ text: '9 1' });
    expectWhole(layers.small?.out, textOf(150));
    expectWhole(layers.middle?.out, textOf(4_000));
    // events of the plays arrive there, too
    const sent = hooks.calls.findLast(({ path }) => path === '/x');
    expect(JSON.parse(sent?.body ?? '')).toEqual({ id: 2, name: 'Ä' });
  });
});
