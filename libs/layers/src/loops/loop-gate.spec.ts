import type { EgressRequest } from '@weft/egress';
import type { DoneItems, LayerDefinition, LayerWait } from '@weft/engine';
import { aLayer, aPlay, aVersion, sandbox } from '@weft/testing';
import { describe, expect, it } from 'vitest';
import { MemoryPayloads } from '../stored/memory-payloads.fixture.js';
import type { GateAsk, GatePause } from '../call/call-gate.js';
import { InlineBudget } from '../memory/inline-budget.js';
import type { LayerCall } from '../call/layer-call.js';
import { LayerRunner } from '../call/layer-runner.js';
import { prepareVersion } from '../call/prepared-version.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const PAUSE: GatePause = { kind: 'rate_limit', waitMs: 60_000, destination: 'a:80' };
const WAIT: LayerWait = {
  ...{ position: 0, ref: 'ask', kind: 'rate_limit', destination: 'a:80' },
  ...{ since: new Date(NOW), until: new Date(NOW + 60_000) },
};
const RETRY = { attempts: 2, backoff: 'fixed', delayMs: 0, maxDelayMs: 0 } as const;

/** Two calls have room in each visit of the loop. */
function loop(list: readonly string[], { status = () => 200, keeps = true, ...layer }: LoopOptions = {}) {
  const calls: string[] = [];
  const asks: Pick<GateAsk, 'hasPaused' | 'mayPause'>[] = [];
  const payloads = new MemoryPayloads();
  let doneItems: DoneItems | undefined;
  let room = 0;
  const http = {
    request: async ({ url }: EgressRequest) => {
      calls.push(url.slice('http://a/'.length));
      return { statusCode: status(url), headers: {}, body: Buffer.alloc(0), url };
    },
    close: async () => undefined,
  };
  const gate = {
    enter: async ({ hasPaused, mayPause }: GateAsk) => {
      asks.push({ hasPaused, mayPause });
      room -= 1;
      return room >= 0 || !mayPause ? null : PAUSE;
    },
  };
  const worker = () => new LayerRunner({ http, gate, payloads, sandbox, serverNow: () => NOW });
  const forEach = { in: '{{ $prev.args.list }}', concurrency: 3, ...layer.forEach };
  const definition = aLayer('ask', { appId: 'web-request', args: { url: 'http://a/{{ $item }}' }, ...layer, forEach });
  const keep = async (items: DoneItems) => ((doneItems = items), true);
  const visit = async (runner: LayerRunner, wait: LayerWait | null = null, more: Partial<LayerCall> = {}) => {
    room = 2;
    const play = { ...aPlay({ companyId: 'c', playId: 'p', args: { list } }), ...(wait && { waits: { 0: wait } }) };
    const { outcome } = await runner.run({
      ...{ play: { ...play, ...(doneItems && { doneItems: { 0: doneItems } }) }, position: 0, attempt: 1, wait: null },
      ...{ prepared: prepareVersion(aVersion([definition]), 'Acme'), answer: null, outputs: new Map() },
      ...{ errors: new Map(), inlineBudget: new InlineBudget(), by: 'me', signal: new AbortController().signal },
      ...(keeps && { keep }),
      ...more,
    });
    doneItems = outcome.doneItems ?? doneItems;
    return { outcome, calls: calls.splice(0), asks: asks.splice(0) };
  };
  return { worker, visit };
}

interface LoopOptions extends Partial<Pick<LayerDefinition, 'retry'>> {
  readonly forEach?: Partial<NonNullable<LayerDefinition['forEach']>>;
  readonly status?: (url: string) => number;
  readonly keeps?: boolean;
}

describe('a loop whose calls are made later', () => {
  const waits = { kind: 'wait', wait: WAIT };

  it('parks with what it has done, and any worker goes on with what is missing', async () => {
    const { worker, visit } = loop(['1', '2', '3', '4', '5', '6', '7']);
    const [one, other] = [worker(), worker()];
    const first = await visit(one);
    expect(first.outcome).toEqual(waits);
    expect(first.calls).toEqual(['1', '2']);
    // one turn among those that wait, although three items run at once
    expect(first.asks).toHaveLength(3);
    expect((await visit(other, WAIT)).calls).toEqual(['3', '4']);
    // this one has a state of the loop that is older
    const third = await visit(one, WAIT);
    expect(third.calls).toEqual(['5', '6']);
    expect(third.asks.map(({ hasPaused }) => hasPaused)).toEqual([true, false, false]);
    const last = await visit(one, WAIT);
    expect(last.calls).toEqual(['7']);
    expect(last.outcome).toMatchObject({ kind: 'result', result: { state: 'DONE', attempts: 1 } });
    expect(last.outcome.kind === 'result' && last.outcome.result.out).toHaveLength(7);
  });

  it('does not take a wait for the failure of an item', async () => {
    const { worker, visit } = loop(['1', '2', '3'], { forEach: { onItemError: 'collect' } });
    expect((await visit(worker())).outcome).toEqual(waits);
    const { outcome } = await visit(worker(), WAIT);
    expect(outcome).toMatchObject({ result: { out: [{ ok: true }, { ok: true }, { ok: true }] } });
  });

  it('uses an attempt when the item that has to wait has failed before', async () => {
    const status = (url: string) => (url.endsWith('2') ? 503 : 200);
    const { worker, visit } = loop(['1', '2', '3'], { status, retry: RETRY, forEach: { concurrency: 1 } });
    const first = await visit(worker());
    expect(first.calls).toEqual(['1', '2']);
    const error = { code: 'bad_status', item: 1 };
    expect(first.outcome).toMatchObject({ result: { state: 'FAIL', attempts: 1, error }, doneItems: { count: 1 } });
    const second = await visit(worker(), null, { attempt: 2 });
    expect(second.calls).toEqual(['2']);
    expect(second.outcome).toMatchObject({ result: { state: 'FAIL', attempts: 2, error } });
  });

  it('waits in its place when what it has done cannot be stored', async () => {
    const { worker, visit } = loop(['1', '2', '3', '4'], { keeps: false, forEach: { concurrency: 1 } });
    const { outcome, calls, asks } = await visit(worker());
    expect(outcome).toMatchObject({ result: { state: 'DONE' } });
    expect(calls).toEqual(['1', '2', '3', '4']);
    expect(asks.map(({ mayPause }) => mayPause)).toEqual([true, true, true, false, false]);
  });
});

describe('the attempts of an item', () => {
  const retry = { attempts: 2, backoff: 'fixed', delayMs: 60_000, maxDelayMs: 60_000 } as const;
  const pausing = (failedUpTo?: number): LayerWait => ({
    ...{ position: 0, ref: 'ask', kind: 'retry', since: new Date(NOW), until: new Date(NOW) },
    ...(failedUpTo !== undefined && { failedUpTo }),
  });
  /** Each of these fails once. */
  const failingOnce = (...items: string[]) => {
    const left = new Set(items);
    return (url: string) => (left.delete(url.slice(-1)) ? 503 : 200);
  };
  const again = { attempt: 2 };

  it('are its own: those of an item before it do not count', async () => {
    const { worker, visit } = loop(['1', '2', '3'], {
      ...{ status: failingOnce('1', '2'), retry, forEach: { concurrency: 1 } },
    });
    const first = await visit(worker());
    expect(first.outcome).toMatchObject({ failedUpTo: 0, result: { attempts: 1, error: { item: 0 } } });
    const second = await visit(worker(), pausing(0), again);
    expect(second.calls).toEqual(['1', '2']);
    expect(second.outcome).toMatchObject({ failedUpTo: 1, result: { attempts: 1, error: { item: 1 } } });
    const third = await visit(worker(), pausing(1), again);
    expect(third.calls).toEqual(['2', '3']);
    expect(third.outcome).toMatchObject({ result: { state: 'DONE' } });
  });

  it('are counted for all items where nobody knows which have failed', async () => {
    const { worker, visit } = loop(['1', '2'], { status: failingOnce('2'), retry, forEach: { concurrency: 1 } });
    const { outcome } = await visit(worker(), pausing(), again);
    expect(outcome).toMatchObject({ result: { attempts: 2, error: { item: 1 } } });
  });

  it('are left when others are called again later, and the loop had to wait before it', async () => {
    const { worker, visit } = loop(['1', '2', '3', '4'], {
      ...{ status: failingOnce('1', '3'), retry, forEach: { concurrency: 1, onItemError: 'collect' } },
    });
    const first = await visit(worker());
    expect(first.calls).toEqual(['1', '2']);
    expect(first.outcome).toMatchObject({ failedUpTo: 0, result: { attempts: 1, error: { item: 0 } } });
    const second = await visit(worker(), pausing(0), again);
    expect(second.calls).toEqual(['1', '3']);
    expect(second.outcome).toMatchObject({ failedUpTo: 2, result: { attempts: 1, error: { item: 2 } } });
  });

  it('stay known over a wait', async () => {
    const { worker, visit } = loop(['1', '2', '3'], { retry, forEach: { concurrency: 1 } });
    const { outcome } = await visit(worker(), pausing(0), again);
    expect(outcome).toEqual({ kind: 'wait', wait: { ...WAIT, failedUpTo: 0 } });
  });
});
