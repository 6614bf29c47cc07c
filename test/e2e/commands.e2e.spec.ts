import type { PlayView } from '@weft/contracts';
import { socketClient, waitFor } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { sharedFleet } from './harness/fleet.js';
import { twoLayerFlow } from './harness/two-layer-flow.js';

const { admin, ledger, one } = await sharedFleet();
const flow = await twoLayerFlow(admin, ledger.url);
ledger.answerWith(({ body }) => ({ body: { n: (JSON.parse(body) as { n: number }).n }, delayMs: 600 }));

const command = (playId: string, what: string) => admin.send<PlayView>('POST', `/api/v1/plays/${playId}/${what}`);
const callsOf = (playId: string) => ledger.calls.filter(({ headers }) => headers['idempotency-key'] === `${playId}.0`);
const isCalled = (playId: string) => waitFor(() => callsOf(playId).length > 0, { what: 'the call of the first layer' });

describe('a play that runs', () => {
  it('finishes its layer under a hold, stops, and goes on after the release without calling again', async () => {
    const { playId } = await admin.run(flow.id, { args: { n: 1 } });
    const socket = socketClient(`${one('realtime').url}/ws/plays/${playId}`, { headers: admin.credentials });
    await isCalled(playId);
    expect(await command(playId, 'hold')).toMatchObject({ status: 200, body: { state: 'ON_HOLD' } });
    expect(await command(playId, 'hold')).toMatchObject({
      status: 409,
      body: { code: 'illegal_move', state: 'ON_HOLD' },
    });
    await waitFor(async () => (await admin.layers(playId))[0]?.state === 'DONE', { what: 'the running layer to end' });
    expect((await admin.play(playId)).state).toBe('ON_HOLD');

    expect((await command(playId, 'release')).status).toBe(200);
    expect(await admin.waitForPlay(playId)).toMatchObject({ state: 'DONE' });
    expect(callsOf(playId)).toHaveLength(1);
    const { code } = await socket.closed;
    expect(code).toBe(1000);
    expect(socket.frames.map(({ seq }) => seq)).toEqual(socket.frames.map((_, i) => i + 1));
    const moves = socket.frames.flatMap((frame) => (frame.type === 'play_state_change' ? [frame.data.new_status] : []));
    expect(moves).toContain('ON_HOLD');
    expect(moves.at(-1)).toBe('DONE');
  });

  it('ends as FAIL when it is cancelled, at once and for good', async () => {
    const { playId } = await admin.run(flow.id, { args: { n: 2 }, idempotencyKey: 'cancelled-once' });
    await isCalled(playId);
    expect(await command(playId, 'cancel')).toMatchObject({
      status: 200,
      body: { state: 'FAIL', error: { code: 'cancelled' } },
    });
    for (const what of ['hold', 'release', 'cancel']) {
      expect(await command(playId, what)).toMatchObject({ status: 409, body: { code: 'illegal_move', state: 'FAIL' } });
    }
    // the key is free again, and the cancelled play stays as it is
    const again = await admin.run(flow.id, { args: { n: 2 }, idempotencyKey: 'cancelled-once' });
    expect(again.playId).not.toBe(playId);
    expect(await admin.waitForPlay(again.playId)).toMatchObject({ state: 'DONE' });
    expect((await admin.play(playId)).state).toBe('FAIL');
  });

  it('is unknown to whoever asks for another id', async () => {
    expect(await command('00000000000000000000', 'cancel')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
});

describe('a play that failed', () => {
  it('is retried as a new play that calls only what failed of a stage, and rerun from the start', async () => {
    const charging = await admin.createFlow({ name: 'Ask and charge, tell' });
    for (const [ref, path] of [
      ['ask', '/ask-first'],
      ['charge', '/charge'],
    ] as const) {
      await admin.addLayer(charging.id, {
        ref,
        stage: 'both',
        appId: 'web-request',
        args: { method: 'POST', url: `${ledger.url}${path}` },
      });
    }
    const template = '{{ .ask.json.path }} and {{ .charge.json.path }}';
    await admin.addLayer(charging.id, { ref: 'told', appId: 'text-template', args: { template } });
    ledger.answerWith(({ path }) => ({
      status: path === '/charge' && calls('/charge') === 1 ? 500 : 200,
      body: { path },
    }));
    const calls = (path: string): number => ledger.callsTo(path).length;

    const failed = await admin.run(charging.id, { args: { n: 1 }, idempotencyKey: 'charge-once' });
    expect(await admin.waitForPlay(failed.playId)).toMatchObject({ state: 'FAIL', error: { ref: 'charge' } });
    const retry = await command(failed.playId, 'retry');
    const { playId } = retry.body as unknown as { playId: string };
    expect(retry).toMatchObject({ status: 202, body: { state: 'RUN', retryOf: failed.playId } });
    const socket = socketClient(`${one('realtime').url}/ws/plays/${playId}`, { headers: admin.credentials });
    expect(await admin.waitForPlay(playId)).toMatchObject({ state: 'DONE', trigger: 'retry', retryOf: failed.playId });
    expect([calls('/ask-first'), calls('/charge')]).toEqual([1, 2]);
    expect(ledger.calls.at(-1)?.idempotencyKey).toBe(`${failed.playId}.1`);
    const [before, after] = await Promise.all([admin.layers(failed.playId), admin.layers(playId)]);
    expect(after[0]?.out).toEqual(before[0]?.out);
    expect(after.map(({ state }) => state)).toEqual(['DONE', 'DONE', 'DONE']);
    expect(after[2]?.out).toEqual({ text: '/ask-first and /charge' });
    expect((await admin.play(failed.playId)).state).toBe('FAIL');
    expect((await socket.closed).code).toBe(1000);
    const completed = socket.frames.flatMap((frame) => (frame.type === 'layer_complete' ? [frame.data] : []));
    expect(completed).toMatchObject([{ ref: 'charge', status: 'DONE', output: { statusCode: 200 } }, { ref: 'told' }]);

    // the retry holds the key now, and the run that had it is answered with it
    expect(await admin.run(charging.id, { idempotencyKey: 'charge-once' })).toEqual({ playId, state: 'DONE' });
    expect(await command(failed.playId, 'retry')).toMatchObject({
      status: 409,
      body: { code: 'idempotency_key_in_use' },
    });
    const rerun = await command(playId, 'rerun');
    const again = (rerun.body as unknown as { playId: string }).playId;
    expect(await admin.waitForPlay(again)).toMatchObject({ state: 'DONE', trigger: 'rerun', args: { n: 1 } });
    expect([calls('/ask-first'), calls('/charge')]).toEqual([2, 3]);
  });

  it('is retried through the play that waits for it, which calls only what failed of the items that failed', async () => {
    const charging = await admin.createFlow({ name: 'Ask and charge an item' });
    for (const ref of ['ask', 'charge'])
      await admin.addLayer(charging.id, {
        ref,
        appId: 'web-request',
        args: { method: 'POST', url: `${ledger.url}/${ref}/{{ $prev.args.item }}` },
      });
    const all = await admin.createFlow({ name: 'All items' });
    await admin.addLayer(all.id, {
      ref: 'each',
      appId: 'run-flow',
      args: { flowId: charging.id, args: { item: '{{ $item }}' } },
      forEach: { in: '{{ [1, 2, 3] }}', concurrency: 3 },
    });
    const calls = (path: string) => ledger.callsTo(path).map(({ idempotencyKey }) => idempotencyKey);
    ledger.answerWith(({ path }) => ({ status: path === '/charge/2' && calls('/charge/2').length === 1 ? 500 : 200, body: {} })); // prettier-ignore

    const { playId } = await admin.run(all.id, {});
    expect(await admin.waitForPlay(playId)).toMatchObject({ state: 'FAIL' });
    const { items } = (await admin.send<{ items: PlayView[] }>('GET', `/api/v1/plays?flowId=${charging.id}`)).body;
    const failed = items.find(({ state }) => state === 'FAIL');
    expect(items.map(({ state }) => state).toSorted()).toEqual(['DONE', 'DONE', 'FAIL']);
    const refused = { status: 409, body: { code: 'retry_the_parent', parentPlayId: playId } };
    expect(await command(failed?.id ?? '', 'retry')).toMatchObject(refused);
    const bulk = { action: 'retry', filter: { flowId: charging.id } };
    expect((await admin.send('POST', '/api/v1/plays/bulk', bulk)).body).toEqual({ matched: 1, changed: 1, skipped: 0 });

    const { retriedBy } = await admin.play(playId);
    expect(await admin.waitForPlay(retriedBy?.playId ?? '')).toMatchObject({ state: 'DONE', retryOf: playId });
    for (const item of [1, 2, 3]) expect(calls(`/ask/${item}`)).toHaveLength(1);
    expect([1, 3].map((item) => calls(`/charge/${item}`).length)).toEqual([1, 1]);
    expect(calls('/charge/2')).toEqual(Array(2).fill(`${failed?.id}.1`));
    const listed = async (mended: boolean) =>
      (await admin.send<{ items: PlayView[] }>('GET', `/api/v1/plays?state=FAIL&mended=${mended}`)).body.items
        .map(({ id }) => id)
        .filter((id) => [playId, failed?.id].includes(id));
    expect([(await listed(true)).toSorted(), await listed(false)]).toEqual([[playId, failed?.id].toSorted(), []]);
  });

  it('can be one of many that a filter named', async () => {
    const delayed = await twoLayerFlow(admin, ledger.url, 'Later');
    const runs = await Promise.all(
      [1, 2, 3, 4, 5].map((n) => admin.run(delayed.id, { args: { n }, delayMs: 3_600_000 })),
    );
    const filter = { flowId: delayed.id, state: 'DEFERRED' };
    const answer = await admin.send('POST', '/api/v1/plays/bulk', { action: 'cancel', filter });
    expect(answer).toMatchObject({ status: 202, body: { matched: 5, changed: 5, skipped: 0 } });
    const plays = await Promise.all(runs.map(({ playId }) => admin.play(playId)));
    expect(plays.map(({ state, error }) => [state, error?.code])).toEqual(Array(5).fill(['FAIL', 'cancelled']));
    const path = `/api/v1/plays/${runs[0]?.playId}`;
    expect((await admin.send('DELETE', path)).status).toBe(204);
    expect((await admin.send('GET', path)).status).toBe(404);
  });
});
