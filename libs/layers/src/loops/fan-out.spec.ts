import type { ForEachOptions } from '@weft/shapes';
import type { DoneItems, LayerWait } from '@weft/engine';
import { aLayer, aPlay, aVersion } from '@weft/testing';
import { describe, expect, it, vi } from 'vitest';
import { LayerFailure, type PlayEnd, type StartPlayRequest } from '../layer-module.js';
import { MemoryPayloads } from '../stored/memory-payloads.fixture.js';
import { InlineBudget } from '../memory/inline-budget.js';
import { LayerRunner, type LayerEnd } from '../call/layer-runner.js';
import type { PlaysSource } from '../call/plays-source.js';
import { prepareVersion } from '../call/prepared-version.js';

const http = { request: () => Promise.reject(new Error('no requests')), close: () => Promise.resolve() };
const sandbox = { run: () => Promise.reject(new Error('nothing is computed')) };

/** Plays by the item that started them; they end when the spec says so. */
class Children implements PlaysSource {
  readonly started = new Map<number, StartPlayRequest>();
  readonly ends = new Map<number, PlayEnd>();
  readonly notified: number[] = [];
  starts = 0;
  refuses: (item: number) => string | null = () => null;

  async start(...[, , ask, item = -1]: Parameters<PlaysSource['start']>) {
    const code = this.started.has(item) ? null : this.refuses(item);
    if (code !== null) throw new LayerFailure(code, 'not now');
    if (!this.started.has(item)) this.starts += 1;
    this.started.set(item, ask);
    await Promise.resolve();
    return { playId: `child${item}`, state: 'RUN', ended: this.ends.get(item) ?? null };
  }

  collected(...[, , items]: Parameters<PlaysSource['collected']>) {
    this.notified.push(...items);
    return Promise.resolve();
  }

  end(items: readonly number[], state = 'DONE'): void {
    for (const item of items) {
      const error = state === 'FAIL' ? { code: 'bad', message: 'no' } : null;
      this.ends.set(item, { playId: `child${item}`, state, out: { n: item }, error });
    }
  }
}

/** @param options null: the layer has no loop */
function fixture(items: number, options: Partial<ForEachOptions> | null = {}, args: object = {}) {
  const forEach = options && { in: '{{ $prev.args.list }}', concurrency: 4, ...options };
  const layer = aLayer('fan', {
    appId: 'run-flow',
    args: { flowId: 'f2', args: { n: forEach ? '{{ $item }}' : 7 }, ...args },
    forEach,
  });
  const list = Array.from({ length: items }, (_, n) => n * 10);
  const children = new Children();
  const payloads = new MemoryPayloads();
  const open = () => new LayerRunner({ http, sandbox, payloads, plays: children, serverNow: () => Date.now() });
  let runner = open();
  let waits: Record<string, LayerWait> = {};
  let doneItems: Record<string, DoneItems> = {};
  /**
   * A call after the loop was set going.
   *
   * @param keeps whether the play can store what the loop has done
   */
  const run = async (keeps = true, leave?: AbortSignal): Promise<LayerEnd> => {
    const now = Object.entries(waits).map(([at, wait]) => [at, { ...wait, until: new Date() }]);
    const play = { ...aPlay({ args: { list } }), waits: Object.fromEntries(now) as typeof waits, doneItems };
    const keep = async (kept: DoneItems) => {
      doneItems = { 0: kept };
      return Promise.resolve(true);
    };
    const ended = await runner.run({
      ...{
        play,
        prepared: prepareVersion(aVersion([layer]), 'Acme'),
        position: 0,
        attempt: 1,
        wait: null,
        answer: null,
      },
      ...{
        outputs: new Map(),
        errors: new Map(),
        inlineBudget: new InlineBudget(),
        by: 'me',
        keep: keeps ? keep : undefined,
        ...(leave && { leave }),
      },
      signal: new AbortController().signal,
    });
    if (ended.outcome.kind === 'wait') waits = { 0: ended.outcome.wait };
    if (ended.outcome.doneItems) doneItems = { 0: ended.outcome.doneItems };
    return ended;
  };
  /** The next worker knows what is stored. */
  const crash = () => (runner = open());
  return { run, crash, children, payloads };
}

const waitOf = ({ outcome }: LayerEnd) => (outcome.kind === 'wait' ? outcome.wait.children : outcome.result);
const resultOf = ({ outcome }: LayerEnd) => (outcome.kind === 'result' ? outcome.result : outcome.wait);
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

describe('a loop whose items start plays', () => {
  it('starts as many as may be open, waits once for all, and gives their ends in the order of the items', async () => {
    const { run, children } = fixture(4);
    expect(waitOf(await run())).toEqual({ open: 4, wakeAfter: 4, upTo: 3 });
    expect([...children.started.values()].map(({ args }) => args.n)).toEqual([0, 10, 20, 30]);
    children.end([3, 1, 0, 2]);
    const { state, out } = resultOf(await run()) as { state: string; out: unknown };
    expect(state).toBe('DONE');
    expect(out).toEqual(range(0, 4).map((n) => ({ playId: `child${n}`, state: 'DONE', out: { n } })));
  });

  it('starts the next ones when half of the open ones have ended, never more at a time, each once', async () => {
    const { run, crash, children } = fixture(10);
    expect(waitOf(await run())).toEqual({ open: 4, wakeAfter: 2, upTo: 3 });
    children.end([1, 2]);
    expect(waitOf(await run())).toEqual({ open: 4, wakeAfter: 2, upTo: 5 });
    expect(children.notified).toEqual([1, 2]);
    children.end([0, 3, 4]);
    crash();
    expect(waitOf(await run())).toEqual({ open: 4, wakeAfter: 2, upTo: 8 });
    children.end(range(5, 9));
    await run();
    children.end([9]);
    expect(resultOf(await run())).toMatchObject({ state: 'DONE' });
    expect(children.starts).toBe(10);
  });

  it('asks nobody again for an item whose end is stored', async () => {
    const { run, crash, children } = fixture(6);
    await run();
    children.end([0, 1, 2]);
    await run();
    crash();
    for (const item of [0, 1, 2]) children.started.delete(item);
    children.end(range(3, 6));
    expect(resultOf(await run())).toMatchObject({ state: 'DONE' });
    expect(children.starts).toBe(6);
  });

  it('forgets no end that its play has not stored: the next worker finds it again', async () => {
    const { run, children } = fixture(6);
    await run();
    children.end([0, 1]);
    await run(false);
    expect(children.notified).toEqual([]);
    await run();
    expect(children.notified).toEqual([0, 1]);
  });

  it('forgets no end either that the payload store has not taken', async () => {
    const { run, children, payloads } = fixture(6);
    await run();
    children.ends.set(0, { playId: 'child0', state: 'DONE', out: { text: 'x'.repeat(20_000) }, error: null });
    const refusing = vi.spyOn(payloads, 'put').mockRejectedValue(new Error('not now'));
    await run();
    expect(children.notified).toEqual([]);
    refusing.mockRestore();
    await run();
    expect(children.notified).toEqual([0]);
  });

  it('collects plays that failed', async () => {
    const { run, children } = fixture(3, { onItemError: 'collect' });
    await run();
    children.end([0, 2]);
    children.end([1], 'FAIL');
    const { out } = resultOf(await run()) as { out: unknown[] };
    expect(out[0]).toEqual({ ok: true, out: { playId: 'child0', state: 'DONE', out: { n: 0 } }, error: null });
    expect(out[1]).toMatchObject({
      ok: false,
      out: { playId: 'child1', state: 'FAIL' },
      error: { code: 'child_failed' },
    });
    expect(out).toHaveLength(3);
  });

  it('starts no further one after a failure, and fails when the open ones have ended', async () => {
    const { run, children } = fixture(8);
    await run();
    children.end([2], 'FAIL');
    expect(waitOf(await run())).toEqual({ open: 3, wakeAfter: 3, upTo: 3 });
    // it is not counted among those that the loop waits for
    expect(children.notified).toEqual([2]);
    children.end([0, 1, 3]);
    const result = resultOf(await run());
    expect(result).toMatchObject({ state: 'FAIL', error: { code: 'child_failed', item: 2 } });
    // a retry of the play does not run these again
    expect(result).toMatchObject({ doneItems: { count: 3, of: 8 } });
    expect(children.starts).toBe(4);
  });

  it('waits for its own plays when the company has no room for others', async () => {
    const { run, children } = fixture(10, { concurrency: 10 });
    children.refuses = (item) => (item >= 6 ? 'backlog_full' : null);
    // not for each of them: every wake-up adds to the log of the play
    expect(waitOf(await run())).toMatchObject({ open: 6, wakeAfter: 3 });
    children.end([0, 1, 2]);
    children.refuses = () => null;
    expect(waitOf(await run())).toMatchObject({ open: 7, wakeAfter: 7 });
    const full = fixture(2);
    full.children.refuses = () => 'backlog_full';
    expect(resultOf(await full.run())).toMatchObject({ state: 'FAIL', error: { code: 'backlog_full' } });
  });

  it('goes on with the ids of plays that it does not wait for', async () => {
    const { run, children } = fixture(300, { concurrency: 1 }, { wait: false });
    const { out } = resultOf(await run()) as { out: unknown[] };
    expect(out).toHaveLength(300);
    expect(out[299]).toEqual({ playId: 'child299', state: 'RUN', out: null });
    expect(children.starts).toBe(300);
  });

  it('refuses more rounds than the log of a play has room for', async () => {
    const { run, children } = fixture(101, { concurrency: 1 });
    expect(resultOf(await run())).toMatchObject({ state: 'FAIL', error: { code: 'invalid_args' } });
    expect(children.starts).toBe(0);
  });

  it.each([{ wait: false }, {}])('starts no further play under a hold, and the rest after it: %j', async (args) => {
    const { run, children } = fixture(6, { concurrency: 1 }, args);
    const hold = new AbortController();
    children.end(range(0, 6));
    children.refuses = (item) => {
      if (item === 2) hold.abort();
      return null;
    };
    const { outcome } = await run(false, hold.signal);
    expect(outcome).toMatchObject({ kind: 'wait', wait: { kind: 'repeat' }, doneItems: { count: 3, of: 6 } });
    expect(children.starts).toBe(3);
    expect(resultOf(await run())).toMatchObject({ state: 'DONE' });
    expect(children.starts).toBe(6);
  });
});

describe('a layer without a loop that starts a play', () => {
  it('waits for it as a loop waits for one, and gives how it ended', async () => {
    const { run, crash, children } = fixture(0, null);
    const first = (await run()).outcome;
    expect(first).toMatchObject({
      wait: { kind: 'children', until: null, children: { open: 1, wakeAfter: 1, playId: 'child-1' } },
    });
    expect(children.started.get(-1)).toMatchObject({ args: { n: 7 }, awaited: true });
    // nobody is misled who sets it going too early
    expect((await run()).outcome).toEqual(first);
    children.end([-1]);
    crash();
    expect(resultOf(await run())).toMatchObject({
      ...{ state: 'DONE', out: { playId: 'child-1', state: 'DONE', out: { n: -1 } } },
    });
    expect(children.starts).toBe(1);
  });

  it('fails with it, as no item of a loop, and keeps what it gave', async () => {
    const { run, children } = fixture(0, null);
    await run();
    children.end([-1], 'FAIL');
    const result = resultOf(await run());
    expect(result).toMatchObject({ state: 'FAIL', out: { playId: 'child-1' }, error: { code: 'child_failed' } });
    expect(result).not.toHaveProperty('error.item');
  });
});
