import type { EgressRequest } from '@weft/egress';
import type { DoneItems, LayerWait } from '@weft/engine';
import { describe, expect, it } from 'vitest';
import type { GateAsk } from '../call/call-gate.js';
import { keysOf, NOW, peerWith, resultOf, waitOf, type Peer } from './series.fixture.js';

/** A layer whose play is put on hold during its second call. */
function heldLayer(layer: Peer['layer'], more: Partial<Peer> = {}) {
  const hold = new AbortController();
  const answer = (_: EgressRequest, nth: number) => {
    if (nth === 1) hold.abort();
    return { body: { nth, next: nth < 4 ? nth + 1 : null } };
  };
  const peer = peerWith({ layer, answer, play: { args: { list: ['a', 'b', 'c', 'd', 'e'] } }, ...more });
  // a play on hold stores nothing while its layers run
  const call = { leave: hold.signal, keep: async () => !hold.signal.aborted };
  const goOn = ({ wait, doneItems }: { readonly wait: LayerWait; readonly doneItems?: DoneItems }) =>
    peer.run({ of: { waits: { 0: wait }, doneItems: { 0: doneItems as DoneItems } } });
  return { ...peer, runUntilHeld: () => peer.run(call), goOn };
}

const KEYS = ['p.0.0', 'p.0.1', 'p.0.2', 'p.0.3', 'p.0.4'];

describe('a hold', () => {
  const url = 'http://a/';
  it.each<[string, Peer['layer']]>([
    ['items', { args: { url }, forEach: { in: '{{ $prev.args.list }}', concurrency: 1 } }],
    ['rounds', { args: { url }, repeat: { until: '{{ $repeat.out.json.nth = 4 }}', max: 9, delayMs: 0 } }],
    ['pages', { args: { url, paginate: { cursor: { from: '{{ $page.json.next }}', param: 'cursor' } } } }],
  ])('pauses a loop between its %s, and its release goes on with the next one', async (_what, layer) => {
    const { runUntilHeld, goOn, requests } = heldLayer(layer);
    const left = waitOf(await runUntilHeld());
    const now = new Date(NOW);
    expect(left).toMatchObject({ wait: { kind: 'repeat', since: now, until: now }, doneItems: { count: 2 } });
    expect(keysOf(requests)).toEqual(KEYS.slice(0, 2));
    expect(resultOf(await goOn(left)).state).toBe('DONE');
    expect(keysOf(requests)).toEqual(KEYS);
  });

  it('leaves a round the pause that is before it', async () => {
    const repeat = { until: '{{ $repeat.out.json.nth = 4 }}', max: 9, delayMs: 60_000 };
    const { run, goOn } = heldLayer({ args: { url }, repeat });
    const hold = AbortSignal.abort();
    const first = waitOf(await run({ leave: hold }));
    expect(first.wait).toMatchObject({ kind: 'repeat', until: new Date(NOW) });
    expect(waitOf(await goOn(first)).wait).toMatchObject({ kind: 'repeat', until: new Date(NOW + 60_000) });
  });

  it('pauses a loop that waits for a rate limit in its place', async () => {
    const asks: boolean[] = [];
    const gate = {
      enter: ({ mayPause, destination }: GateAsk) => {
        asks.push(mayPause);
        return asks.length === 2 ? ({ kind: 'rate_limit', waitMs: 60_000, destination } as const) : null;
      },
    };
    const layer = { args: { url }, forEach: { in: '{{ $prev.args.list }}', concurrency: 1 } };
    const { run, requests } = heldLayer(layer, { gate });
    const hold = new AbortController();
    const keep = async () => (hold.abort(), false);
    const left = waitOf(await run({ leave: hold.signal, keep }));
    expect(left).toMatchObject({ wait: { kind: 'rate_limit' }, doneItems: { count: 1 } });
    expect(requests).toHaveLength(1);
  });
});
