/**
 * A layer with `forEach`: its module is called once for each item of a list, some in parallel; the outputs stay in
 * order.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { mayRetry, type DoneItems } from '@weft/engine';
import type { CompiledValue } from '@weft/expressions';
import type { LayerFailure, LayerContext, Output, WorkingModule } from '../layer-module.js';
import { PausedCall } from '../call/call-gate.js';
import { doneItem, failedItem, isOfItem } from './collected-item.js';
import { internalCause, throwPlayLost, toLayerFailure } from '../call/failure.js';
import { attemptItem, ItemFailure } from './item-attempts.js';
import { scopeOf, type PreparedCall } from '../call/layer-call.js';
import { peerOf } from '../call/peer-answer.js';
import { bytesOf, digestOf, resumedLoop } from './done-items.js';
import { LoopGate } from './loop-gate.js';
import { LoopKeeper } from './loop-keeper.js';
import { addOut, itemsOf, withDoneItems } from './loop-results.js';
import type { LayerPayloads } from '../call/layer-payloads.js';
import type { LoopMemory } from '../memory/held-memory.js';
import { argsOf, callModule, idempotencyKeyOf, sandboxUse } from '../call/module-call.js';
import type { ModuleServices } from '../call/module-services.js';
import { PausedSeries } from './series.js';
import type { LoopState, UnfinishedLoops } from './unfinished-loops.js';

/** Items without calls to services do not yield by themselves: after this time the event loop handles other work. */
const TURN_MS = 10;

export interface LoopDeps {
  readonly payloads: LayerPayloads;
  readonly services: ModuleServices;
  readonly unfinished: UnfinishedLoops;
  readonly memory: LoopMemory;
  readonly progress: LayerContext['progress'];
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  /** Called with faults that are not an item's, when the failure of the item is collected. */
  readonly onFault: (fault: unknown) => void;
}

/**
 * @throws ItemFailure of the first item that failed, LayerFailure `invalid_args` when there is no list, PausedSeries when
 * the loop goes on later
 */
export async function runForEach(
  work: PreparedCall,
  list: CompiledValue,
  module: WorkingModule<unknown>,
  deps: LoopDeps,
): Promise<unknown[]> {
  const items = await itemsOf(work, list, deps.services);
  const { call, layer } = work;
  const key = `${call.play._id}.${call.position}`;
  const read = call.play.doneItems?.[call.position];
  await deps.memory.reserve(bytesOf(read));
  const state = deps.unfinished.take(key, items.length, read) ?? (await resumedLoop(work, items, deps.payloads));
  deps.memory.watch(state);
  const loop = new Loop(work, module, items, state, deps);
  const keeper = new LoopKeeper(work, state, (index) => digestOf(items[index]), deps.payloads, items.length);
  keeper.start();
  let left: DoneItems | undefined;
  const canLeave = async (): Promise<boolean> => {
    // a play on hold stores what a loop has done together with its wait
    if (!call.leave?.aborted && (await keeper.saveAll())) return true;
    if (!call.leave?.aborted) return false;
    await keeper.stop();
    left = await keeper.pack().catch(() => undefined);
    if (!keeper.isPacked) keeper.resume();
    return keeper.isPacked;
  };
  await loop.run(canLeave).finally(() => keeper.stop());
  const { failure, pause, failedUpTo } = loop;
  if (!failure) {
    if (loop.isDone) return state.outs;
    deps.unfinished.keep(key, state, read);
    const upTo = call.attempt > 1 ? failedUpTo : undefined;
    const later = pause ? new PausedCall(pause.pause, upTo) : { waitMs: 0, failedUpTo: upTo };
    throw new PausedSeries(later, left, false);
  }
  if (mayRetry(layer.definition.retry, failure.attempts, failure.code, peerOf(failure, deps.serverNow()))) {
    // another worker may make the next attempt, or a retry of the play
    const keptItems = call.signal.aborted ? undefined : await keeper.pack().catch(() => undefined);
    deps.unfinished.keep(key, state, read);
    throw failure.with({ keptItems, failedUpTo });
  }
  throw await withDoneItems(failure, work, () => keeper.pack());
}

class Loop {
  /** An item has to wait for long before its call: running items go on, and no item is started. */
  pause: PausedCall | null = null;
  /** The last item that has failed, in this call of the layer or an earlier one; −1: none has. */
  failedUpTo: number;
  private readonly failedBefore: number;
  private failed: ItemFailure | null = null;
  /** The failure with the most attempts of those items that are called again after a long pause, when all others are done. */
  private postponed: ItemFailure | null = null;
  private readonly gate: LoopGate | null;
  private readonly services: ModuleServices;
  private next = 0;
  private mayLeave = true;
  private turnAtMs = performance.now();

  constructor(
    private readonly work: PreparedCall,
    private readonly module: WorkingModule<unknown>,
    private readonly items: readonly unknown[],
    private readonly state: LoopState,
    private readonly deps: LoopDeps,
  ) {
    const { gate } = deps.services;
    this.gate = gate && new LoopGate(gate, work.call.play.waits?.[work.call.position]?.destination);
    this.services = { ...deps.services, gate: this.gate, loop: deps.memory };
    const { attempt, play, position } = work.call;
    this.failedBefore = attempt === 1 ? -1 : (play.waits?.[position]?.failedUpTo ?? items.length - 1);
    this.failedUpTo = this.failedBefore;
  }

  /** It comes before a pause: the next attempt, which counts, calls what is left. */
  get failure(): ItemFailure | null {
    return this.failed ?? this.postponed;
  }

  get isDone(): boolean {
    return this.state.done === this.items.length;
  }

  /** @param canLeave whether what is done is stored, or ready to be; otherwise the loop goes on in its place */
  async run(canLeave: () => Promise<boolean>): Promise<void> {
    for (;;) {
      await this.runLanes();
      if (this.failure || this.isDone || (await canLeave())) return;
      if (this.isLeaving) this.mayLeave = false;
      this.pause = null;
      this.gate?.stay();
    }
  }

  private async runLanes(): Promise<void> {
    const lanes = Math.min(this.items.length, this.work.layer.definition.forEach?.concurrency ?? 1);
    this.next = 0;
    await Promise.all(Array.from({ length: lanes }, () => this.lane()));
  }

  /** Runs items until none is left, one has failed or one has to wait for long, or the play is put on hold: then no item is started. */
  private async lane(): Promise<void> {
    const { outs } = this.state;
    while (this.failed === null && this.pause === null && !this.isLeaving && this.next < this.items.length) {
      const index = this.next;
      this.next += 1;
      if (index in outs) continue;
      if (performance.now() - this.turnAtMs > TURN_MS) {
        await turn();
        this.turnAtMs = performance.now();
      }
      await this.item(index);
    }
  }

  private get isLeaving(): boolean {
    return this.mayLeave && this.work.call.leave?.aborted === true;
  }

  private async item(index: number): Promise<void> {
    const { work, deps } = this;
    const attempt = index <= this.failedBefore ? work.call.attempt : 1;
    const goesOn = () => this.failed === null;
    const item = { work, noun: 'item', index, attempt, serverNow: deps.serverNow, goesOn } as const;
    const ended = await attemptItem({ ...item, call: () => this.callOnce(index) });
    if (ended instanceof PausedCall) return this.postpone(ended);
    if (ended instanceof ItemFailure) return this.fail(ended);
    this.add(index, ended.attempt, this.collects ? doneItem(ended.out) : ended.out);
  }

  /** The item is not called again now. */
  private fail(failure: ItemFailure): void {
    this.failedUpTo = Math.max(this.failedUpTo, failure.index);
    const cause = failure.cause as LayerFailure;
    if (!this.collects || !isOfItem(cause) || this.work.call.signal.aborted) return this.stop(failure);
    const peer = peerOf(failure, this.deps.serverNow());
    if (mayRetry(this.work.layer.definition.retry, failure.attempts, failure.code, peer)) {
      if (failure.attempts > (this.postponed?.attempts ?? 0)) this.postponed = failure;
      return;
    }
    const fault = internalCause(cause);
    if (fault !== undefined) this.deps.onFault(fault);
    this.state.failed.add(failure.index);
    this.add(failure.index, failure.attempts, failedItem(cause));
  }

  private stop(failure: ItemFailure): void {
    if (this.failed === null || failure.index < this.failed.index) this.failed = failure;
  }

  /** The loop goes on when the first of those that wait has its turn. */
  private postpone(paused: PausedCall): void {
    const msOf = ({ pause }: PausedCall) => pause.waitMs ?? Number.POSITIVE_INFINITY;
    if (this.pause === null || msOf(paused) < msOf(this.pause)) this.pause = paused;
  }

  private get collects(): boolean {
    return this.work.layer.definition.forEach?.onItemError === 'collect';
  }

  private async callOnce(index: number): Promise<Output> {
    const { work, module, services } = this;
    const { call } = work;
    await this.deps.memory.reserve();
    if (call.signal.aborted) throwPlayLost();
    const idempotencyKey = idempotencyKeyOf(work, index);
    const scope = { ...scopeOf(call), item: this.items[index], index };
    const evaluated = argsOf(work, module, scope, sandboxUse(work, services, idempotencyKey));
    const callWith = (args: unknown) =>
      callModule({ work, module, args, scope, idempotencyKey, storage: null, progress: () => undefined }, services);
    return callWith(evaluated instanceof Promise ? await evaluated : evaluated);
  }

  private add(index: number, attempt: number, out: unknown): void {
    const { state, items } = this;
    try {
      addOut(state, this.work, index, out);
    } catch (error) {
      return this.stop(new ItemFailure('item', index, attempt, toLayerFailure(error)));
    }
    this.deps.progress(Math.floor((state.done * 100) / items.length), `${state.done} of ${items.length}`);
  }
}
