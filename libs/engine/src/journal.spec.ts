import { isFinal, type PlayFrame } from '@weft/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { acceptPlay } from './accept.js';
import { decideCommand, type Command } from './commands/commands.js';
import { resultsNeeded } from './journal-needs.js';
import { journal, startableSince, startedAtOf } from './journal.js';
import type { LayerPlan } from './layer-plan.js';
import type { LayerResult, LogEntry, Play } from './play.js';
import { applyWrite, type PlayWrite } from './play-write.js';
import { dueWrite, reissueWrite, reapWrite } from './reconcile/reconcile.js';
import { decideLazyClaim, nextStep } from './session/next-step.js';
import {
  onWriteStored,
  onLayerEnded,
  onLayersStarted,
  onConditionChecked,
  onWriteRefused,
} from './session/session-events.js';
import { startSession, type Session } from './session/session.js';
import type { SessionWrite } from './session/write-fields.js';

const T0 = Date.UTC(2026, 10, 21, 9);
const at = (ms: number) => new Date(T0 + ms);

function accepted(over: Partial<Play> = {}): Play {
  const run = { companyId: 'c1', flowId: 'f1', version: 1, args: {}, idempotencyKey: null, dueAt: null } as const;
  const play = acceptPlay({ ...run, playId: 'p1', trigger: 'api', triggeredBy: 'u1', serverNow: at(0) });
  return { ...play, ...over };
}

function result(position: number, over: Partial<LayerResult> = {}): LayerResult {
  const times = { startedAt: at(20 * position + 10), completedAt: at(20 * position + 25) };
  return {
    ...{ position, ref: `layer-${position}`, name: `Layer ${position}`, state: 'DONE', ...times },
    ...{ out: { n: position }, outBytes: 7, attempts: 1, by: 'w:1', ...over },
  };
}

const LOG: readonly LogEntry[] = [
  { seq: 1, type: 'accepted', at: at(0) },
  { seq: 2, type: 'state', from: 'NEW', state: 'RUN', at: at(5) },
  { seq: 3, type: 'start', layer: 0, ref: 'layer-0', name: 'Layer 0', at: at(10) },
  { seq: 4, type: 'error', layer: 0, ref: 'layer-0', message: 'bad status 500', retries: 0, at: at(15) },
  { seq: 5, type: 'resumed', layer: 1, at: at(20) },
  { seq: 6, type: 'complete', layer: 0, state: 'DONE', at: at(25) },
  { seq: 7, type: 'complete', layer: 1, state: 'SKIP', at: at(30) },
  { seq: 8, type: 'state', from: 'RUN', state: 'DONE', at: at(40) },
  { seq: 9, type: 'end', state: 'DONE', at: at(40) },
];
const ENDED = accepted({
  state: 'DONE',
  seq: 9,
  log: LOG,
  layers: [result(0, { attempts: 2 }), result(1, { state: 'SKIP', out: null, outBytes: 0 })],
  completedAt: at(45),
});

describe('the summary of the key-value store', () => {
  const uses = (reads: number, writes: number, ...keys: string[]) => ({ kv: { reads, writes, keys } });
  const summaryOf = (log: readonly LogEntry[]) => {
    const end = journal({ ...ENDED, log, layers: [], layersFrom: 2 }).at(-1);
    return end?.type === 'play_complete' ? end.data.kv_summary : null;
  };

  it('is empty for a play that did not use it', () => {
    expect(summaryOf(LOG)).toEqual({ reads: 0, writes: 0, keys: [] });
  });

  it('adds up what finished layers and failed calls did, with each name once, whatever of the results was read', () => {
    const log = LOG.map((entry) => {
      if (entry.type === 'error') return { ...entry, ...uses(0, 3, 'a', 'b') };
      return entry.type === 'complete' ? { ...entry, ...uses(2, 1, 'b', `c${entry.layer}`) } : entry;
    });
    expect(summaryOf(log)).toEqual({ reads: 4, writes: 5, keys: ['a', 'b', 'c0', 'c1'] });
  });

  it('names the first hundred', () => {
    const names = Array.from({ length: 60 }, (_, i) => `k${i}`);
    const log = LOG.map((entry) =>
      entry.type === 'complete' ? { ...entry, ...uses(1, 0, ...names.map((name) => name + entry.layer)) } : entry,
    );
    expect(summaryOf(log)?.keys).toHaveLength(100);
  });

  it('is in the log of the play, not twice with its results', () => {
    const steps = callsOf([
      result(0, { state: 'FAIL', error: { code: 'timeout', message: 'late' }, out: null, ...uses(0, 2, 'x') }),
      result(0, { attempts: 2, ...uses(1, 2, 'x', 'y') }),
    ]);
    expect(steps.layers.map((layer) => 'kv' in layer)).toEqual([false]);
    expect(journal(steps).at(-1)?.data).toMatchObject({ kv_summary: { reads: 1, writes: 4, keys: ['x', 'y'] } });
  });
});

/** A play of one layer that is called until it ends like this. */
function callsOf(results: readonly LayerResult[]): Play {
  const retry = { attempts: 5, backoff: 'fixed', delayMs: 0, maxDelayMs: 0 } as const;
  const plan: LayerPlan[] = [
    {
      ...{ ref: 'layer-0', name: '', kind: 'effect', once: false, onError: 'fail', stage: 0 },
      retry,
      conditional: false,
    },
  ];
  const left = [...results];
  let play = accepted();
  const taken = startSession(
    play,
    { epoch: 1, redelivered: false, isProofFresh: true, ownerId: 'w:1', at: at(1) },
    plan,
  );
  if ('drop' in taken) throw new Error(taken.drop);
  let session: Session = taken;
  for (;;) {
    const step = nextStep(session, { isProofFresh: true, isStopping: false, at: at(1_000) });
    if (step.kind === 'drop') return play;
    if (step.kind === 'write') {
      play = applyWrite(play, step.write, at(1_000)) ?? play;
      session = onWriteStored(session, step);
    } else if (step.kind === 'startLayers') {
      session = onLayerEnded(onLayersStarted(session, step.positions, at(5)), {
        kind: 'result',
        result: left.shift() as LayerResult,
      });
    } else throw new Error(`nothing to ${step.kind}`);
  }
}

describe('the journal of a play', () => {
  it('tells a whole play in frames that count from 1, with every field of the contract', () => {
    expect(journal(ENDED)).toEqual([
      frame(1, 'play_state_change', { play_id: 'p1', old_status: 'NEW', new_status: 'RUN', timestamp: iso(5) }),
      frame(2, 'layer_start', { layer_id: 'p1.0', flowlet_name: 'Layer 0', ref: 'layer-0', timestamp: iso(10) }),
      frame(3, 'layer_error', { layer_id: 'p1.0', error_message: 'bad status 500', retry_count: 0, ref: 'layer-0' }),
      frame(4, 'layer_complete', complete(0, { duration_ms: 15, output: { n: 0 } })),
      frame(5, 'layer_complete', complete(1, { status: 'SKIP', duration_ms: 15, output: null })),
      frame(6, 'play_state_change', { play_id: 'p1', old_status: 'RUN', new_status: 'DONE', timestamp: iso(40) }),
      frame(7, 'play_complete', {
        play_id: 'p1',
        final_status: 'DONE',
        duration_ms: 40,
        kv_summary: { reads: 0, writes: 0, keys: [] },
      }),
    ]);
  });

  it('finds the n-th result for the n-th end of a layer, in whatever order the layers ended, behind what a retry took over', () => {
    const log = LOG.map((entry) => {
      if (entry.type === 'accepted') return { ...entry, taken: 1 };
      return entry.type === 'complete' ? { ...entry, layer: 3 - entry.layer } : entry;
    });
    const layers = [result(0), result(3), result(2)];
    const refs = (from: number) =>
      journal({ ...ENDED, log, layers: layers.slice(from), layersFrom: from }, 4)
        .slice(0, 2)
        .map(({ data }) => 'layer_id' in data && [data.layer_id, data.ref]);
    expect(refs(0)).toEqual([
      ['p1.3', 'layer-3'],
      ['p1.2', 'layer-2'],
    ]);
    expect(refs(1)).toEqual(refs(0));
    expect(resultsNeeded(log)).toEqual([
      { frameSeq: 4, index: 1 },
      { frameSeq: 5, index: 2 },
    ]);
  });

  it('is empty until something happens that a watcher is told', () => {
    expect(journal(accepted())).toEqual([]);
  });

  it('starts at the number that is asked for, and is empty past the end', () => {
    expect(journal(ENDED, 6).map((one) => one.seq)).toEqual([6, 7]);
    expect(journal(ENDED, 8)).toEqual([]);
  });

  it('refers to an output that lies elsewhere or is over 16 KB, and shows every other one whole', () => {
    const shown = (over: Partial<LayerResult>) => {
      const [one] = journal({ ...ENDED, layers: [result(0, over), result(1)] }, 4);
      return one?.type === 'layer_complete' ? one.data.output : undefined;
    };
    const $ref = '/api/v1/plays/p1/layers/layer-0/out';
    expect(shown({ out: null, outRef: { $ref: 'x', bytes: 9 }, outBytes: 9 })).toEqual({ $ref, bytes: 9 });
    expect(shown({ out: 'x'.repeat(16_383), outBytes: 16_385 })).toEqual({ $ref, bytes: 16_385 });
    expect(shown({ out: 'x'.repeat(16_382), outBytes: 16_384 })).toBe('x'.repeat(16_382));
    expect([0, false, '', null, undefined].map((out) => shown({ out }))).toEqual([0, false, '', null, null]);
  });

  it('never tells a negative duration, whatever the clocks of the writers', () => {
    const early = journal({ ...ENDED, completedAt: at(1) }, 7)[0];
    expect(early).toMatchObject({ data: { duration_ms: 0 } });
    const backwards = result(0, { startedAt: at(30), completedAt: at(10) });
    expect(journal({ ...ENDED, layers: [backwards] }, 4)[0]).toMatchObject({ data: { duration_ms: 0 } });
  });

  it('gives a play that ended without having run no duration', () => {
    const log: LogEntry[] = [
      { seq: 1, type: 'accepted', at: at(0) },
      { seq: 2, type: 'state', from: 'NEW', state: 'FAIL', at: at(9) },
      { seq: 3, type: 'end', state: 'FAIL', at: at(9) },
    ];
    const cancelled = accepted({ state: 'FAIL', seq: 3, log, completedAt: at(9) });
    expect(startedAtOf(cancelled)).toBeNull();
    expect(journal(cancelled).at(-1)).toMatchObject({ type: 'play_complete', data: { duration_ms: 0 } });
  });

  it('knows since when a play could be started that has waited for its turn or its time, until a worker starts it', () => {
    const log: LogEntry[] = [
      { seq: 1, type: 'accepted', at: at(0) },
      { seq: 2, type: 'state', from: 'DEFERRED', state: 'RUN', at: at(9) },
    ];
    expect(startableSince(accepted({ state: 'RUN', seq: 2, log }))).toEqual(at(9));
    const claimed = [...log, { seq: 3, type: 'claimed', at: at(10) } as const];
    expect(startableSince(accepted({ state: 'RUN', seq: 3, log: claimed }))).toBeNull();
  });

  it('keeps numbers and order when retention has stripped the results', () => {
    const stripped = journal({ ...ENDED, layers: [] });
    expect(stripped.map(({ seq, type }) => [seq, type])).toEqual(journal(ENDED).map(({ seq, type }) => [seq, type]));
    expect(stripped[3]).toMatchObject({ data: { layer_id: 'p1.0', status: 'DONE', output: null } });
  });
});

describe('the journal of every history that the engine can write', () => {
  const property = (check: (history: readonly Play[]) => void) =>
    fc.assert(fc.property(histories(), check), { numRuns: 150 });

  it('numbers by one from 1, and from any number on tells the same', () => {
    property((history) => {
      for (const play of history) {
        const all = journal(play);
        expect(all.map((one) => one.seq)).toEqual(all.map((_, i) => i + 1));
        expect(play.log.map((one) => one.seq)).toEqual(play.log.map((_, i) => i + 1));
        expect(play.seq).toBe(play.log.length);
        for (const from of [1, 2, 5, all.length, all.length + 3]) {
          expect(journal(play, from)).toEqual(all.slice(from - 1));
        }
      }
    });
  });

  it('never takes back or changes what an earlier read of the play has told', () => {
    property((history) => {
      let told: PlayFrame[] = [];
      for (const play of history) {
        const now = journal(play);
        expect(now.slice(0, told.length)).toEqual(told);
        told = now;
      }
    });
  });

  it('tells an unbroken chain of states that ends, once and last, with the end', () => {
    property((history) => {
      for (const play of history) {
        const frames = journal(play);
        let state = 'NEW';
        for (const one of frames) {
          if (one.type !== 'play_state_change') continue;
          expect(one.data.old_status).toBe(state);
          state = one.data.new_status;
        }
        expect(state).toBe(play.state);
        const ends = frames.filter((one) => one.type === 'play_complete');
        expect(ends).toEqual(isFinal(play.state) ? frames.slice(-1) : []);
      }
    });
  });

  it('tells one completion for each result, after a start of that layer', () => {
    property((history) => {
      for (const play of history) {
        const frames = journal(play);
        const ids = frames.flatMap((one) => (one.type === 'layer_complete' ? [one.data.layer_id] : []));
        expect(ids).toEqual(play.layers.map((one) => `p1.${one.position}`));
        for (const [i, one] of frames.entries()) {
          if (one.type !== 'layer_complete') continue;
          const starts = frames.flatMap((other, j) =>
            other.type === 'layer_start' && other.data.layer_id === one.data.layer_id ? [j] : [],
          );
          expect(starts.length).toBeGreaterThan(0);
          expect(Math.max(...starts)).toBeLessThan(i);
        }
      }
    });
  });

  it('needs of a slice of the results only those that `resultsNeeded` names', () => {
    property((history) => {
      for (const play of history) {
        for (let layersFrom = 0; layersFrom <= play.layers.length; layersFrom += 1) {
          const below = resultsNeeded(play.log).filter((need) => need.index < layersFrom);
          const from = (below.at(-1)?.frameSeq ?? 0) + 1;
          const slice = { ...play, layers: play.layers.slice(layersFrom), layersFrom };
          expect(journal(slice, from)).toEqual(journal(play, from));
        }
      }
    });
  });
});

/** All stored forms of one play, from acceptance on, under random workers, commands, crashes and reconcilers. */
function histories(): fc.Arbitrary<readonly Play[]> {
  const layer = fc.record({
    kind: fc.constantFrom('pure', 'effect', 'park'),
    once: fc.boolean(),
    onError: fc.constantFrom('fail', 'continue'),
    joins: fc.boolean(),
    retry: fc.constantFrom(null, TWICE),
    conditional: fc.boolean(),
  });
  const move = fc.oneof(
    { weight: 8, arbitrary: fc.constant('work') },
    fc.constantFrom('lazy', 'die', 'reconcile', 'hold', 'release', 'resume', 'cancel'),
  );
  const outcome = fc.constantFrom('DONE', 'DONE', 'DONE', 'FAIL');
  return fc
    .tuple(
      fc.array(layer, { maxLength: 4, size: 'max' }),
      fc.array(fc.tuple(move, outcome), { maxLength: 40, size: 'max' }),
    )
    .map(([layers, moves]) => {
      let stage = 0;
      const plan = layers.map(({ joins, ...one }, i): LayerPlan => {
        if (!joins) stage = i;
        return { ...one, stage, ref: `layer-${i}`, name: `Layer ${i}` };
      });
      return playOut(plan, moves);
    });
}

const TWICE = { attempts: 2, backoff: 'fixed', delayMs: 5_000, maxDelayMs: 5_000 } as const;

type Move = 'work' | 'lazy' | 'die' | 'reconcile' | 'hold' | 'release' | 'resume' | 'cancel';

function playOut(plan: readonly LayerPlan[], moves: readonly (readonly [Move, 'DONE' | 'FAIL'])[]): readonly Play[] {
  let play = accepted();
  const history = [play];
  let session = null as Session | null;
  let ms = 0;
  const store = (write: PlayWrite): boolean => {
    const after = applyWrite(play, write, at(ms));
    if (after) history.push((play = after));
    return after !== null;
  };
  for (const [move, ending] of moves) {
    ms += 1_100; // more than the window that a release waits for
    if (move === 'die') session = null;
    else if (move === 'work') session = work(session, ending);
    else if (move === 'lazy') {
      const write: SessionWrite | null = session && decideLazyClaim(session, at(ms));
      if (session && write)
        session = store(write.write) ? onWriteStored(session, write) : onWriteRefused(session, write.purpose, play);
    } else if (move === 'reconcile') {
      if (play.state === 'DEFERRED' || play.state === 'WAIT') store(dueWrite(play, at(ms)));
      else if (play.owner) store(reapWrite(play, at(ms)));
      else store(reissueWrite(play));
    } else {
      const decision = decideCommand(play, command(move, play), at(ms));
      if (decision.kind === 'write') store(decision.write);
    }
  }
  return history;

  function work(current: Session | null, ending: 'DONE' | 'FAIL'): Session | null {
    const start = { epoch: play.epoch, redelivered: false, isProofFresh: true, ownerId: `w:${ms}`, at: at(ms) };
    const taken = current ?? startSession(play, start, plan);
    if ('drop' in taken) return null;
    const [running] = taken.runningCalls;
    if (running) return ended(taken, running.position, ending);
    const step = nextStep(taken, { isProofFresh: true, isStopping: false, at: at(ms) });
    switch (step.kind) {
      case 'drop':
        return null;
      case 'write': {
        const stored = store(step.write) ? onWriteStored(taken, step) : onWriteRefused(taken, step.purpose, play);
        return stored.endReason === null ? stored : null;
      }
      case 'checkConditions':
        return step.positions.reduce((session, one) => onConditionChecked(session, one, null), taken);
      case 'startLayers':
        return onLayersStarted(taken, step.positions, at(ms));
      default:
        return taken;
    }
  }

  function ended(session: Session, position: number, ending: 'DONE' | 'FAIL'): Session {
    const wait = session.waits[position];
    if (plan[position]?.kind === 'park' && !wait && !Object.hasOwn(session.inbox, String(position))) {
      const event = { name: 'e', key: null };
      const ref = `layer-${position}`;
      return onLayerEnded(session, {
        kind: 'wait',
        wait: { position, ref, kind: 'event', since: at(ms), until: at(ms + 1), event },
      });
    }
    const error = ending === 'FAIL' ? { error: { code: 'timeout', message: 'too slow' } } : {};
    const times = { startedAt: at(ms), completedAt: at(ms + 1), attempts: (session.tries[position] ?? 0) + 1 };
    return onLayerEnded(session, { kind: 'result', result: result(position, { state: ending, ...times, ...error }) });
  }
}

function command(kind: Command['kind'], play: Play): Command {
  if (kind === 'cancel') return { kind, error: { code: 'cancelled', message: 'stopped by a user', ref: null } };
  if (kind === 'retryNow' || kind === 'playsEnded') return { kind, position: waitingAt(play) };
  return kind === 'resume' ? { kind, position: waitingAt(play), payload: { ok: true } } : { kind };
}

function waitingAt({ waits, cursor }: Play): number {
  return Object.values(waits ?? {})[0]?.position ?? cursor;
}

function frame(seq: number, type: PlayFrame['type'], data: object): object {
  return { seq, type, playId: 'p1', data };
}

function complete(position: number, over: object): object {
  return { layer_id: `p1.${position}`, status: 'DONE', ref: `layer-${position}`, ...over };
}

function iso(ms: number): string {
  return at(ms).toISOString();
}
