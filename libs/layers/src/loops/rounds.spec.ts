import type { EgressRequest } from '@weft/egress';
import type { DoneItems, LayerWait } from '@weft/engine';
import { describe, expect, it } from 'vitest';
import { keysOf, NOW, peerWith, resultOf, waitOf } from './series.fixture.js';

const JOB = 'https://api.example.com/jobs/7';
const UNTIL = '{{ $repeat.out.json.status = "done" }}';
const polling = (repeat: object = {}, more: object = {}) => ({
  args: { url: JOB },
  repeat: { until: UNTIL, max: 10, delayMs: 0, ...repeat },
  ...more,
});
/** A job that is done at its nth call. */
const doneAt = (nth: number) => (_: EgressRequest, call: number) => ({
  body: { status: call + 1 >= nth ? 'done' : 'busy', call },
});
const left = (doneItems: DoneItems | undefined, wait?: LayerWait) => ({
  of: { doneItems: { 0: doneItems as DoneItems }, ...(wait && { waits: { 0: wait } }) },
});

describe('a layer that repeats', () => {
  it('runs until its condition is true, each round under a key of its own; its output is that of the last one', async () => {
    const { run, requests } = peerWith({ layer: polling(), answer: doneAt(3) });
    expect(resultOf(await run())).toMatchObject({
      state: 'DONE',
      out: { body: '{"status":"done","call":2}' },
    });
    expect(keysOf(requests)).toEqual(['p.0.0', 'p.0.1', 'p.0.2']);
  });

  it('reads its round and the output of the round before', async () => {
    const args = { url: '{{ "https://a.example/" & $repeat.index & "/" & $string($repeat.out.json.call) }}' };
    const layer = polling({ until: '{{ $repeat.index = 2 }}' }, { args });
    const { run, urls } = peerWith({ layer, answer: doneAt(99) });
    expect(resultOf(await run()).state).toBe('DONE');
    expect(urls()).toEqual(['https://a.example/0/', 'https://a.example/1/0', 'https://a.example/2/1']);
  });

  it('works for a module without effects, as a transform that goes on from its own output', async () => {
    const layer = {
      appId: 'transform',
      args: { expression: '($repeat.out.value ? $repeat.out.value : 1) * 2' },
      repeat: { until: '{{ $repeat.out.value > 30 }}', max: 10, delayMs: 5_000 },
    };
    const { run } = peerWith({ layer: { ...layer, repeat: { ...layer.repeat, delayMs: 0 } }, answer: () => ({}) });
    expect(resultOf(await run()).out).toEqual({ value: 32 });
  });

  it('fails after its last round, with the output of that round', async () => {
    const { run, requests } = peerWith({ layer: polling({ max: 2 }), answer: doneAt(9) });
    const { error, out, doneItems } = resultOf(await run());
    expect(error).toMatchObject({ code: 'repeat_exhausted', item: 2 });
    expect(out).toMatchObject({ body: '{"status":"busy","call":1}' });
    expect(requests).toHaveLength(2);
    expect(doneItems).toMatchObject({ count: 2, of: 4 });
  });

  it('has as many rounds again in a retry, under further keys', async () => {
    const { run, requests } = peerWith({ layer: polling({ max: 2 }), answer: doneAt(4) });
    const { doneItems } = resultOf(await run());
    const again = left(doneItems);
    const chain = { first: 'p', nth: 1, at: new Date(NOW) };
    expect(resultOf(await run({ of: { ...again.of, _id: 'q', chain } })).state).toBe('DONE');
    expect(keysOf(requests)).toEqual(['p.0.0', 'p.0.1', 'p.0.2', 'p.0.3']);
  });

  it('tries a round again by itself, and names the one that failed', async () => {
    const retry = { attempts: 2, backoff: 'fixed', delayMs: 0, maxDelayMs: 0 } as const;
    const answer = (_: EgressRequest, nth: number) => (nth % 2 === 0 ? { statusCode: 503 } : doneAt(8)(_, nth));
    const { run } = peerWith({ layer: polling({}, { retry }), answer });
    expect(resultOf(await run()).state).toBe('DONE');
    const down = peerWith({ layer: polling(), answer: (_, nth) => (nth === 1 ? { statusCode: 404 } : { body: {} }) });
    const { error, out } = resultOf(await down.run());
    expect(error).toMatchObject({ code: 'bad_status', statusCode: 404, item: 1 });
    expect(error?.message).toBe('round 1: api.example.com answered 404');
    expect(out).toMatchObject({ statusCode: 404 });
  });
});

describe('a pause between rounds', () => {
  it('gives up the slot with the round stored, and the next worker begins with the next round', async () => {
    const { run, requests } = peerWith({ layer: polling({ delayMs: 30_000 }), answer: doneAt(2) });
    const first = waitOf(await run());
    expect(first.wait).toEqual({
      ...{ position: 0, ref: 'a', kind: 'repeat', since: new Date(NOW), until: new Date(NOW + 30_000) },
    });
    expect(first.doneItems).toMatchObject({ count: 1, of: 10 });
    expect(requests).toHaveLength(1);
    expect(resultOf(await run(left(first.doneItems, first.wait)))).toMatchObject({ state: 'DONE' });
    expect(keysOf(requests)).toEqual(['p.0.0', 'p.0.1']);
  });

  it('keeps nothing of the rounds before the last one', async () => {
    const answer = (_: EgressRequest, nth: number) => ({ body: { text: `${nth}`.repeat(9_000) } });
    const { run, payloads } = peerWith({ layer: polling({ delayMs: 30_000, until: 'false' }), answer });
    let stored = waitOf(await run());
    for (let round = 1; round < 5; round += 1) stored = waitOf(await run(left(stored.doneItems, stored.wait)));
    expect(stored.doneItems).toMatchObject({ count: 5, of: 10 });
    expect(stored.doneItems).not.toHaveProperty('more');
    expect(payloads.bytes.get(stored.doneItems?.ref?.$ref ?? '')?.toString()).toContain('444');
    // the one before it stays until a worker has read that the play has the last one
    expect(payloads.bytes.size).toBe(2);
  });

  it('keeps what a retried play has stored', async () => {
    const answer = (_: EgressRequest, nth: number) => ({ body: { text: `${nth}`.repeat(9_000) } });
    const { run, payloads } = peerWith({ layer: polling({ delayMs: 30_000, until: 'false' }), answer });
    const { doneItems } = waitOf(await run());
    let stored = { doneItems, ...waitOf(await run({ of: { ...left(doneItems).of, _id: 'q' } })) };
    for (let round = 0; round < 3; round += 1) {
      stored = waitOf(await run({ of: { ...left(stored.doneItems, stored.wait).of, _id: 'q' } })) as typeof stored;
    }
    expect(payloads.bytes.has(doneItems?.ref?.$ref ?? '')).toBe(true);
    expect(payloads.bytes.size).toBe(3);
  });
});
