import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { LayerFailure, type Output } from '../layer-module.js';
import type { NextSteps, RecordedStep, Step, SteppingModule } from '../stepping-module.js';
import { Death, decide, endPlays, newWorld, runOnce, type RunOptions, type StepsWorld } from './steps.fixture.js';

/** What a step is: a call, a call that is never repeated, an approval, or a play; several letters are made side by side. */
type Script = readonly string[];

/** Calls by step. */
type Calls = Map<number, number>;

function moduleOf(script: Script, calls: Calls, death: () => Death): SteppingModule<Script> {
  const stepOf = (letter: string, index: number): Step => {
    const asked = { request: { letter, index }, asks: { letter, index } };
    const of = { name: { kind: letter }, ...asked, percent: 0, status: `step ${index}` };
    if (letter === 'a')
      return {
        ...{ ...of, does: 'ask' },
        approval: { message: 'May it?', approvers: [], onTimeout: 'fail' },
        answered: (payload) => ({ decided: (payload as { decision: string }).decision }),
      };
    if (letter === 's')
      return {
        ...{ ...of, does: 'start' },
        play: { flowId: 'f', args: {} },
        ended: ({ out }) => ({ out }),
        failed: ({ code }) => ({ code }),
        recorded: (end: RecordedStep): Output => end,
      };
    return {
      ...{ ...of, does: 'call', ...(letter === 'o' && { isOnce: true }) },
      run: () =>
        death().through(async () => {
          calls.set(index, (calls.get(index) ?? 0) + 1);
          if (letter === 'x') throw new LayerFailure('refused', 'no');
          return { index };
        }),
      ...(letter === 'x' && { failed: ({ code }: LayerFailure) => ({ code }) }),
    };
  };
  return {
    ...{ appId: 'agent', title: 'Steps', description: 'Works in steps.', icon: 'x', effect: 'steps', examples: [] },
    argsSchema: z.unknown().transform(() => script),
    outSchema: z.unknown(),
    recordSchema: z.looseObject({ kind: z.string() }),
    next: (_args, before): NextSteps => {
      let first = 0;
      for (const letters of script) {
        if (before.length < first + letters.length)
          return {
            steps: [...letters].slice(before.length - first).map((letter, i) => stepOf(letter, before.length + i)),
          };
        first += letters.length;
      }
      return { end: { steps: before } };
    },
    soFar: (_args, before, code): Output => ({ steps: before, code }),
  };
}

/** Runs until the layer has its output: each worker dies where its options say, and people and plays do what is waited for. */
async function play(script: Script, world: StepsWorld, options: (turn: number) => RunOptions = () => ({})) {
  const calls: Calls = new Map();
  let death!: Death;
  let deaths = 0;
  for (let turn = 0; turn < 50; turn += 1) {
    const given = options(turn);
    const module = moduleOf(script, calls, () => death);
    const { ended } = await runOnce(world, module, { ...given, services: (its) => ((death = its), {}) });
    if (ended === 'died') deaths += 1;
    else if ('out' in ended) return { out: ended.out, calls, deaths, world };
    else if ('wait' in ended && ended.wait.kind === 'approval') decide(world, 'approve');
    else if ('wait' in ended) endPlays(world);
  }
  throw new Error('it does not end');
}

const outsOf = ({ out }: { readonly out: Output }) => out.steps as readonly Output[];

describe('a layer that works in steps', () => {
  it('stores the end of each step before the next one begins', async () => {
    const world = newWorld();
    const { calls, out } = await play(['c', 'c', 'ccc'], world);
    expect(outsOf({ out })).toEqual([0, 1, 2, 3, 4].map((index) => ({ index })));
    expect([...calls.values()]).toEqual([1, 1, 1, 1, 1]);
    expect(world.stored.doneItems).toMatchObject({ count: 5 });
    expect(world.stored.writes).toBeGreaterThanOrEqual(3);
  });

  it('waits for a person and for plays between its steps, and is asked again with what has come', async () => {
    const world = newWorld();
    const { out } = await play(['c', 'a', 'a', 'ss', 'c'], world);
    expect(outsOf({ out })).toEqual([
      { index: 0 },
      { decided: 'approve' },
      { decided: 'approve' },
      { out: { n: 1 } },
      { out: { n: 1 } },
      { index: 5 },
    ]);
    expect(world.stored.inbox).toBeUndefined();
    expect([...world.plays.values()].map(({ starts }) => starts)).toEqual([1, 1]);
  });

  it('gives what a step makes of its failure, or fails with what it has done', async () => {
    expect(outsOf(await play(['x', 'c'], newWorld()))).toEqual([{ code: 'refused' }, { index: 1 }]);
    const world = newWorld();
    const failing = moduleOf(['c', 'c'], new Map(), () => death);
    let death!: Death;
    const next: typeof failing.next = (args, before) => {
      if (before.length === 1) throw new LayerFailure('limit_steps', 'enough');
      return failing.next(args, before);
    };
    const run = runOnce(world, { ...failing, next }, { services: (its) => ((death = its), {}) });
    const left = { code: 'limit_steps', index: 1, out: { steps: [{ index: 0 }], code: 'limit_steps' } };
    await expect(run).rejects.toMatchObject({ ...left, doneItems: { count: 1 } });
  });

  it('does not go on when what it has done cannot be stored, and hands the play over when it is to leave', async () => {
    const leave = new AbortController();
    const world = newWorld();
    const options = (turn: number): RunOptions => (turn === 0 ? { leave: leave.signal } : {});
    leave.abort();
    const { calls, out } = await play(['c', 'c'], world, options);
    expect(outsOf({ out })).toHaveLength(2);
    expect([...calls.values()]).toEqual([1, 1]);
  });

  it('fails where a worker that takes over would do something else', async () => {
    const world = newWorld();
    await play(['c', 'c'], world);
    const changed = moduleOf(['o', 'c'], new Map(), () => death);
    let death!: Death;
    const run = runOnce(world, changed, { services: (its) => ((death = its), {}) });
    await expect(run).rejects.toMatchObject({ code: 'agent_diverged', index: 0 });
  });
});

describe('a long series with large results', () => {
  /** Each step gives 20 KB, and its request has all before it, as the conversation of an agent has. */
  function growing(count: number, made: number[]): SteppingModule<Script> {
    const base = moduleOf([], new Map(), () => new Death(1, new AbortController()));
    const next: typeof base.next = (_args, before) => {
      const index = before.length;
      if (index === count) return { end: { count } };
      const request = before.map((out) => ({ text: String((out as { text: string }).text).slice(0, 8_000) }));
      const run = async (): Promise<Output> => {
        made.push(index);
        return { text: `${index} ${'x'.repeat(20_000)}` };
      };
      const of = { name: { kind: 'c' }, request, asks: {}, percent: 0, status: '' };
      return { steps: [{ ...of, does: 'call', run }] };
    };
    return { ...base, next };
  }

  it('writes what a step gave once', async () => {
    let written = 0;
    const made: number[] = [];
    const module = growing(1, made);
    const step = { toJSON: () => ((written += 1), { text: 'large' }) } as Output;
    const next: typeof module.next = (args, before) => {
      const planned = module.next(args, before);
      if ('end' in planned) return planned;
      return { steps: planned.steps.map((one) => ({ ...one, does: 'call', run: async () => step })) };
    };
    await runOnce(newWorld(), { ...module, next });
    expect(written).toBe(1);
  });

  it('lets the worker that takes it over do other work meanwhile', async () => {
    const world = newWorld();
    const made: number[] = [];
    await runOnce(world, growing(200, made));
    expect(made).toHaveLength(200);
    let turns = 0;
    const other = setInterval(() => (turns += 1), 1);
    const { ended } = await runOnce(world, growing(200, made));
    clearInterval(other);
    expect(ended).toEqual({ out: { count: 200 } });
    expect(made).toHaveLength(200);
    expect(turns).toBeGreaterThan(10);
  });
});

describe('what becomes of steps outside of their play', () => {
  it('is recorded before each call that may change something, and counted when a step has ended', async () => {
    const told: string[] = [];
    const watch = {
      aboutToCall: async ({ ref, step, idempotencyKey }: { ref: string; step: number; idempotencyKey: string }) =>
        void told.push(`${ref} ${step} ${idempotencyKey}`),
      ended: (kind: string, outcome: string) => void told.push(`${kind} ${outcome}`),
    };
    const world = newWorld();
    let death!: Death;
    const module = moduleOf(['c', 'x', 'a'], new Map(), () => death);
    const next: typeof module.next = (args, before) => {
      const planned = module.next(args, before);
      return 'end' in planned ? planned : { steps: planned.steps.map((step) => ({ ...step, isAudited: true })) };
    };
    const run = () => runOnce(world, { ...module, next }, { services: (its) => ((death = its), { steps: watch }) });
    await run();
    decide(world, 'reject');
    await run();
    expect(told).toEqual(['agent 0 p.0.0', 'c done', 'agent 1 p.0.1', 'x failed', 'a rejected']);
  });
});

describe('a worker that dies at any moment', () => {
  const SCRIPT: Script = ['c', 'ccc', 'a', 'ss', 'cs', 'c'];

  it('has done nothing twice that was stored, and started no play twice', async () => {
    const { deaths: none, calls: whole } = await play(SCRIPT, newWorld());
    expect(none).toBe(0);
    let died = 0;
    for (const at of Array.from({ length: 90 }, (_, i) => ({ turn: i % 5, use: 1 + Math.floor(i / 5) }))) {
      const world = newWorld();
      const { calls, deaths, out } = await play(SCRIPT, world, (turn) => (turn === at.turn ? { diesAt: at.use } : {}));
      const where = JSON.stringify(at);
      expect(outsOf({ out }), where).toHaveLength(10);
      const repeated = [...calls].filter(([step, times]) => times > (whole.get(step) ?? 0));
      // those of one answer run side by side
      expect(repeated.length, where).toBeLessThanOrEqual(3);
      for (const [, times] of repeated) expect(times).toBe(2);
      expect([...world.plays.values()].map(({ starts }) => starts)).toEqual([1, 1, 1]);
      died += deaths;
    }
    expect(died).toBeGreaterThan(30);
  });

  it('repeats at most one call for each death where calls come one after another', async () => {
    const script = ['c', 'c', 'c', 'c', 'c'];
    // a step takes four uses of the outside: before and after its call, and its write
    for (let every = 5; every < 12; every += 1) {
      const { calls, deaths } = await play(script, newWorld(), () => ({ diesAt: every }));
      const made = [...calls.values()].reduce((sum, times) => sum + times, 0);
      expect(made).toBeLessThanOrEqual(script.length + deaths);
      expect(deaths).toBeGreaterThan(0);
    }
  });

  it('leaves a call that is never made again to a failure, unless its end is stored', async () => {
    const codes = new Set<string>();
    for (let at = 1; at < 12; at += 1) {
      const world = newWorld();
      const calls: Calls = new Map();
      const run = play(['c', 'o', 'c'], world, (turn) => (turn === 0 ? { diesAt: at } : {}));
      const ended = await run.then(
        (done) => {
          for (const [step, times] of done.calls) calls.set(step, times);
          return 'done';
        },
        (error: LayerFailure) => error.code,
      );
      codes.add(ended);
      expect(calls.get(1) ?? 1).toBe(1);
    }
    expect([...codes].sort()).toEqual(['done', 'interrupted']);
  });
});
