import type { PlayView } from '@weft/contracts';
import { socketClient, waitFor } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { startFleet } from './harness/fleet.js';
import { twoLayerFlow } from './harness/two-layer-flow.js';

const { admin, ledger, one } = await startFleet();
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
