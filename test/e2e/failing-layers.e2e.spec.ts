import type { FlowView, PlayFrame } from '@weft/contracts';
import { socketClient, waitFor } from '@weft/testing';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { sharedFleet } from './harness/fleet.js';

const { admin, ledger, one } = await sharedFleet();

interface Layer {
  readonly ref: string;
  readonly appId: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly timeoutMs?: number;
  readonly onError?: string;
}

const ask = (ref: string, path: string, more: object = {}): Layer => ({
  ref,
  appId: 'web-request',
  args: { url: path.includes('://') ? path : `${ledger.url}${path}`, ...more },
});
const tell = (ref: string, template: string): Layer => ({ ref, appId: 'text-template', args: { template } });

/** A flow of these layers, run once and watched to its end. */
async function runThrough(layers: readonly Layer[], fields: object = {}, args: object = {}) {
  const flow: FlowView = await admin.createFlow({ ...fields });
  for (const layer of layers) await admin.addLayer(flow.id, { ...layer });
  const { playId } = await admin.run(flow.id, { args: { ...args } });
  const socket = socketClient(`${one('realtime').url}/ws/plays/${playId}`, { headers: admin.credentials });
  await socket.closed;
  const [play, results] = await Promise.all([admin.play(playId), admin.layers(playId)]);
  return { play, layers: Object.fromEntries(results.map((layer) => [layer.ref, layer])), frames: socket.frames };
}

function dataOf<T extends PlayFrame['type']>(frames: readonly PlayFrame[], type: T) {
  return frames.flatMap((frame) =>
    frame.type === type ? [frame.data as Extract<PlayFrame, { type: T }>['data']] : [],
  );
}

describe('an expression that leads to nothing', () => {
  it('fails its layer and the play, and names the path and what is there instead', async () => {
    ledger.answerWith(() => ({ body: { name: 'Ada', mail: 'ada@weft.test' } }));
    const { play, layers, frames } = await runThrough([
      ask('fetch', '/person'),
      tell('greet', 'Hello {{ .fetch.json.nmae }}'),
      tell('never', 'reached'),
    ]);
    expect(play).toMatchObject({ state: 'FAIL', error: { code: 'expression_unresolved', ref: 'greet' } });
    expect(play.error?.message).toContain('.fetch.json.nmae');
    expect(play.error?.message).toContain('"name"');
    expect(layers.greet).toMatchObject({ state: 'FAIL', attempts: 1, error: { code: 'expression_unresolved' } });
    expect(layers.never).toMatchObject({ state: 'NEW', startedAt: null, out: null });
    expect(dataOf(frames, 'layer_error')).toEqual([
      { layer_id: layers.greet?.id, error_message: play.error?.message, retry_count: 0, ref: 'greet' },
    ]);
    expect(dataOf(frames, 'layer_complete').map(({ ref, status }) => [ref, status])).toEqual([
      ['fetch', 'DONE'],
      ['greet', 'FAIL'],
    ]);
    expect(dataOf(frames, 'play_complete')).toMatchObject([{ final_status: 'FAIL' }]);
  });

  it('may be a run without its args', async () => {
    const { play } = await runThrough([tell('greet', '{{ $prev.args.who }}')], {}, { whom: 'Ada' });
    expect(play.error).toMatchObject({ code: 'expression_unresolved', ref: 'greet' });
    expect(play.error?.message).toMatch(/\$prev\.args\.who.*"whom"/);
  });
});

describe('a destination inside', () => {
  // Another host may answer private addresses: only a listener of our own that is not called is a proof.
  let knocks = 0;
  const canary = createServer((socket) => {
    knocks += 1;
    socket.destroy();
  }).listen(0);
  afterAll(() => canary.close());

  it('is not called, however it is written, nor by a redirect', async () => {
    if (!canary.listening) await once(canary, 'listening');
    const { port } = canary.address() as AddressInfo;
    const inside = [
      '127.0.0.2',
      '2130706434',
      '0x7f000002',
      '0177.0.0.2',
      '127.2',
      '[::ffff:127.0.0.2]',
      '[::1]',
      '0.0.0.0',
    ];
    const urls = inside.map((host) => `http://${host}:${port}/`);
    ledger.answerWith(({ path }) => ({ status: 302, headers: { location: urls[Number(path.slice(1))] ?? '' } }));
    const calls = [
      ...urls.map((url, i) => ask(`direct${i}`, url)),
      ...urls.map((_url, i) => ask(`redirect${i}`, `/${i}`)),
      ask('metadata', 'http://169.254.169.254/latest/meta-data/'),
      ask('private', 'http://10.0.0.1/'),
    ];
    const { play, layers } = await runThrough(calls.map((call) => ({ ...call, onError: 'continue' })));
    expect(play.state).toBe('DONE');
    const allowed = Object.values(layers).filter(
      ({ state, error }) => state !== 'FAIL' || error?.code !== 'destination_blocked',
    );
    expect(allowed).toEqual([]);
    expect(knocks).toBe(0);
    connect(port, '127.0.0.2');
    await waitFor(() => knocks === 1, { what: 'the canary to hear a call that is made' });
  });
});

describe('a web request', () => {
  it('that is answered with an error status fails, and keeps the answer', async () => {
    ledger.answerWith(() => ({ status: 503, body: { sorry: true } }));
    const { play, layers } = await runThrough([ask('call', '/down')]);
    expect(play.error).toMatchObject({ code: 'bad_status', ref: 'call' });
    expect(layers.call).toMatchObject({ state: 'FAIL', out: { statusCode: 503, json: { sorry: true } } });
    expect((await runThrough([ask('call', '/down', { failOn: [] })])).play.state).toBe('DONE');
  });

  it('that is not answered in time, or not at all, fails with what happened', async () => {
    ledger.answerWith(({ path }) => (path === '/slow' ? { delayMs: 4_000 } : { hangUp: true }));
    const slow = await runThrough([{ ...ask('call', '/slow'), timeoutMs: 300 }]);
    expect(slow.play.error?.code).toBe('timeout');
    expect((await runThrough([ask('call', '/gone')])).play.error?.code).toBe('connect_failed');
  });

  it('with onError "continue" leaves its fault behind and lets the play go on', async () => {
    ledger.answerWith(() => ({ status: 500 }));
    const { play, layers } = await runThrough([
      { ...ask('call', '/broken'), onError: 'continue' },
      tell('report', 'status {{ .call.statusCode }}, said {{ .call.json.text ?? "nothing" }}'),
    ]);
    expect(play).toMatchObject({ state: 'DONE', error: null });
    expect(layers.call).toMatchObject({ state: 'FAIL', error: { code: 'bad_status' } });
    expect(layers.report?.out).toEqual({ text: 'status 500, said nothing' });
  });
});

describe('an output', () => {
  const textOf = (bytes: number): string => 'weft '.repeat(bytes / 5);

  it('of 20 KB is a reference in frames, whole in the layers, and read by the next layer', async () => {
    const text = textOf(20_000);
    ledger.answerWith(() => ({ body: text }));
    const { layers, frames } = await runThrough([ask('big', '/big'), tell('after', '{{ .big.statusCode }}')]);
    const { id, playId } = { id: layers.big?.id, playId: frames[0]?.playId };
    const path = `/api/v1/plays/${playId}/layers/big/out`;
    expect(dataOf(frames, 'layer_complete').find(({ layer_id }) => layer_id === id)?.output).toEqual({
      $ref: path,
      bytes: layers.big?.outBytes,
    });
    expect(layers.big?.out).toMatchObject({ body: text, statusCode: 200 });
    expect((await admin.send('GET', path)).body).toEqual(layers.big?.out);
    expect(layers.after?.out).toEqual({ text: '200' });
  });

  it('of 300 KB is a reference in the layers, too, and whole at its own address', async () => {
    const text = textOf(300_000);
    ledger.answerWith(() => ({ body: text }));
    const { layers } = await runThrough([ask('big', '/big'), tell('after', '{{ .big.statusCode }}')]);
    const { $ref, bytes } = layers.big?.out as { $ref: string; bytes: number };
    expect(bytes).toBe(layers.big?.outBytes);
    const whole = await admin.send<{ body: string }>('GET', $ref);
    expect(whole.body.body).toBe(text);
    // the body is stored once, unchanged, together with the other fields
    expect(bytes).toBeGreaterThan(Buffer.byteLength(text));
    expect(bytes).toBeLessThan(Buffer.byteLength(text) + 1_000);
    expect(layers.after?.out).toEqual({ text: '200' });
  });

  it('over the limit of its flow fails its layer: nothing is cut', async () => {
    ledger.answerWith(() => ({ body: textOf(50_000) }));
    const { play, layers } = await runThrough([ask('big', '/big')], { settings: { maxOutputBytes: 10_000 } });
    expect(play.error).toMatchObject({ code: 'output_too_large', ref: 'big' });
    expect(layers.big?.out).toBeNull();
  });
});
