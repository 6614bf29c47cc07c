/**
 * Calls that follow from each other, one after another: the pages of an answer, the rounds of a layer. What is done is stored
 * like the items of a loop, so that the next worker, or a retry, goes on after it (docs/protocol.md §4 "Kept items").
 */
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { KEEP_SLOT_MS, mayRetry, type DoneItems, type LayerOutcome, type LayerWait } from '@weft/engine';
import { LayerFailure, type LayerContext, type Output } from '../layer-module.js';
import { PausedCall, waitFor } from '../call/call-gate.js';
import { throwPlayLost, toLayerFailure } from '../call/failure.js';
import { attemptItem, ItemFailure, type ItemNoun } from './item-attempts.js';
import type { PreparedCall } from '../call/layer-call.js';
import { asJson, assertBytes } from '../call/layer-outputs.js';
import type { LayerPayloads } from '../call/layer-payloads.js';
import { LoopGate } from './loop-gate.js';
import type { LoopKeeper } from './loop-keeper.js';
import type { LoopMemory } from '../memory/held-memory.js';
import type { ModuleServices } from '../call/module-services.js';
import { peerOf } from '../call/peer-answer.js';
import type { LoopState, UnfinishedLoops } from './unfinished-loops.js';

export interface SeriesDeps {
  readonly payloads: LayerPayloads;
  readonly services: ModuleServices;
  readonly unfinished: UnfinishedLoops;
  readonly memory: LoopMemory;
  readonly progress: LayerContext['progress'];
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
}

export interface SeriesCall {
  /** Before the call, in ms. */
  readonly delayMs: number;
  readonly call: (services: ModuleServices) => Promise<Output>;
}

export interface Series {
  readonly noun: ItemNoun;
  /** The most calls, counted from the first one of all. */
  readonly limit: number;
  readonly state: LoopState;
  /** Stores what is done. */
  readonly keeper: LoopKeeper;
  /** How many of the first calls are done, as far as is known. */
  readonly done: number;
  /**
   * The next call, at this index; `done`: it was made before; null: all calls are made.
   *
   * @throws LayerFailure
   */
  next(index: number): Promise<SeriesCall | 'done' | null>;
  add(index: number, out: Output): void;
  /** What the layer leaves when it fails and the play goes on. */
  outOf(failure: ItemFailure): Output | undefined;
}

/** Of a loop that goes on by itself. */
interface LoopPause {
  /** 0 where a hold or a stop has interrupted it. */
  readonly waitMs: number;
  /** Of a loop over items: see `LayerWait`. */
  readonly failedUpTo?: number | undefined;
}

/** Thrown when the layer goes on later: its play gives up its slot, and stores what is done with its wait. */
export class PausedSeries extends LayerFailure {
  constructor(
    readonly pause: PausedCall | LoopPause,
    readonly doneItems: DoneItems | undefined,
    /** A call has succeeded before the one that is made later. */
    readonly hasMovedOn: boolean,
  ) {
    super('cancelled', 'The layer goes on later.');
    this.name = 'PausedSeries';
  }
}

/** The wait of a layer that goes on later. */
export function waitAfter(
  paused: PausedCall | PausedSeries,
  { call: { position }, layer }: PreparedCall,
  now: Date,
): LayerOutcome {
  const { ref } = layer.definition;
  if (paused instanceof PausedCall) return { kind: 'wait', wait: waitFor(paused, position, ref, now) };
  const { pause, doneItems, hasMovedOn } = paused;
  const wait = pause instanceof PausedCall ? waitFor(pause, position, ref, now) : waitOf(pause, position, ref, now);
  return { kind: 'wait', wait, ...(doneItems && { doneItems }), ...(hasMovedOn && { hasMovedOn }) };
}

function waitOf({ waitMs, failedUpTo }: LoopPause, position: number, ref: string, now: Date): LayerWait {
  const until = new Date(now.getTime() + waitMs);
  return { position, ref, kind: 'repeat', since: now, until, ...(failedUpTo !== undefined && { failedUpTo }) };
}

const TURN_MS = 10;

/** @throws ItemFailure of the call that failed, PausedSeries when the layer goes on later */
export async function runSeries(work: PreparedCall, series: Series, deps: SeriesDeps): Promise<void> {
  const { keeper } = series;
  deps.memory.watch(series.state);
  keeper.start();
  const ended = await new SeriesRun(work, series, deps).run().finally(() => keeper.stop());
  if (ended instanceof ItemFailure) throw await settled(ended, work, series, deps);
  if (ended) throw ended;
}

/** The failure with what it leaves: to the next attempt, to a retry of the play, or to the layers after this one. */
async function settled(
  failure: ItemFailure,
  work: PreparedCall,
  series: Series,
  { unfinished, serverNow }: SeriesDeps,
): Promise<ItemFailure> {
  const { call, layer } = work;
  const { retry, onError } = layer.definition;
  const { state, keeper } = series;
  const mayGoOn = (attempts: number) => mayRetry(retry, attempts, failure.code, peerOf(failure, serverNow()));
  const isOver = call.signal.aborted || onError === 'continue';
  const stored = isOver && !mayGoOn(failure.attempts) ? undefined : await keeper.pack().catch(() => undefined);
  // what is not stored may be called again by another worker: then each attempt of the layer counts
  const attempts = keeper.isPacked ? failure.attempts : Math.max(call.attempt, failure.attempts);
  if (mayGoOn(attempts)) {
    unfinished.keep(seriesKey(work), state, call.play.doneItems?.[call.position]);
    return failure.with({ attempts, keptItems: stored });
  }
  if (call.signal.aborted) return failure;
  if (onError === 'continue') return failure.with({ attempts, out: series.outOf(failure) });
  const out = series.noun === 'round' ? series.outOf(failure) : undefined;
  return failure.with({ attempts, doneItems: stored, out });
}

export function seriesKey({ call }: PreparedCall): string {
  return `${call.play._id}.${call.position}`;
}

class SeriesRun {
  private readonly gate: LoopGate | null;
  private readonly services: ModuleServices;
  /** Whether the play has paused for the first call that is made now. */
  private hasPaused: boolean;
  /** A call has succeeded: the attempts of the layer before were not of the calls that follow. */
  private hasMovedOn = false;

  constructor(
    private readonly work: PreparedCall,
    private readonly series: Series,
    private readonly deps: SeriesDeps,
  ) {
    const { gate } = deps.services;
    const wait = work.call.play.waits?.[work.call.position];
    this.hasPaused = wait !== undefined;
    this.gate = gate && new LoopGate(gate, wait?.destination);
    this.services = { ...deps.services, gate: this.gate, loop: deps.memory };
  }

  /** Undefined: all calls are done. */
  async run(): Promise<ItemFailure | PausedSeries | undefined> {
    const { series } = this;
    let turnAtMs = performance.now();
    for (let index = series.done; ; index += 1) {
      try {
        const next = await series.next(index);
        if (next === null) return undefined;
        const paused = next === 'done' ? undefined : await this.call(index, next);
        if (paused) return paused;
      } catch (error) {
        if (error instanceof ItemFailure) return error;
        return new ItemFailure(series.noun, index, this.attempt, toLayerFailure(error));
      }
      if (performance.now() - turnAtMs <= TURN_MS) continue;
      await turn();
      turnAtMs = performance.now();
    }
  }

  private async call(index: number, { delayMs, call }: SeriesCall): Promise<PausedSeries | undefined> {
    const { work, series, deps, services } = this;
    const { signal } = work.call;
    const paused = await this.delay(delayMs);
    if (paused) return paused;
    await deps.memory.reserve();
    if (signal.aborted) throwPlayLost();
    const item = { work, noun: series.noun, index, serverNow: deps.serverNow, goesOn: () => !signal.aborted };
    const { attempt } = this;
    for (;;) {
      const ended = await attemptItem({ ...item, attempt, call: () => call(services) });
      if (ended instanceof ItemFailure) throw ended;
      if (!(ended instanceof PausedCall)) {
        this.add(index, ended.attempt, ended.out);
        this.hasMovedOn = true;
        return undefined;
      }
      const later = await this.leave(ended);
      if (later) return later;
      this.gate?.stay();
    }
  }

  /** Of the first call for the next page or round. */
  private get attempt(): number {
    return this.hasMovedOn ? 1 : this.work.call.attempt;
  }

  private add(index: number, attempt: number, out: Output): void {
    const { series, work, deps } = this;
    try {
      const bytes = (series.noun === 'page' ? series.state.bytes : 0) + Buffer.byteLength(asJson(out)) + 1;
      assertBytes(bytes + 1, work);
      series.state.bytes = bytes;
    } catch (error) {
      throw new ItemFailure(series.noun, index, attempt, toLayerFailure(error));
    }
    series.add(index, out);
    const count = index + 1;
    deps.progress(Math.floor((count * 100) / series.limit), `${count} ${series.noun}${count === 1 ? '' : 's'}`);
  }

  private async delay(delayMs: number): Promise<PausedSeries | undefined> {
    const leftMs = this.hasPaused ? 0 : delayMs;
    this.hasPaused = false;
    const waitMs = leftMs > KEEP_SLOT_MS ? leftMs : 0;
    const paused = waitMs > 0 ? await this.leave({ waitMs }) : await this.leaveUnderHold();
    if (paused) return paused;
    if (leftMs === 0) return undefined;
    await sleep(leftMs, undefined, { signal: this.work.call.signal }).catch(() => undefined);
    return undefined;
  }

  /** Between two calls. Null: the play is not on hold, or what is done cannot be stored. */
  private async leaveUnderHold(): Promise<PausedSeries | null> {
    if (!this.work.call.leave?.aborted) return null;
    try {
      return await this.leave({ waitMs: 0 });
    } catch {
      this.series.keeper.resume(); // it goes on in its place
      return null;
    }
  }

  /** Null: what is done cannot be stored, and would be called again. */
  private async leave(pause: PausedSeries['pause']): Promise<PausedSeries | null> {
    const { keeper } = this.series;
    await keeper.stop();
    const doneItems = await keeper.pack();
    if (keeper.isPacked) return new PausedSeries(pause, doneItems, this.hasMovedOn);
    keeper.resume();
    return null;
  }
}
