/**
 * A loop whose items start plays: the plays of some items are open at a time, and the play of the loop is parked meanwhile. The
 * outputs stay in order (ADR 90). A layer without a loop that starts a play waits for it in the same way.
 */
import type { LayerWait } from '@weft/engine';
import type { CompiledValue } from '@weft/expressions';
import { LayerFailure, type StartingModule, type StartResult } from '../layer-module.js';
import { doneItem, failedItem, isOfItem } from './collected-item.js';
import { bytesOf, digestOf, resumedLoop } from './done-items.js';
import { internalCause, throwPlayLost, toLayerFailure } from '../call/failure.js';
import type { LoopDeps } from './for-each.js';
import { scopeOf, type PreparedCall } from '../call/layer-call.js';
import { LoopKeeper } from './loop-keeper.js';
import { ItemFailure } from './item-attempts.js';
import { addOut, itemsOf, withDoneItems } from './loop-results.js';
import { PausedSeries } from './series.js';
import { argsOf, callStarting, idempotencyKeyOf, sandboxUse } from '../call/module-call.js';
import type { LoopState } from './unfinished-loops.js';

/** Plays that are started, or looked up, at a time. */
const BATCH = 25;
/** How often a loop may start as many plays as may be open: each time adds to the play's log. */
const MOST_ROUNDS = 100;
/** Nothing but the end of other plays helps: with some of its own open, the loop waits for those. */
const NO_ROOM = 'backlog_full';

export type FanOutEnd = { readonly outs: readonly unknown[] } | { readonly wait: LayerWait };

/**
 * Called again when enough of its plays have ended. An item whose play is started already is asked for it, and starts no second
 * one.
 *
 * @throws ItemFailure of the first item that failed, when no play of the loop is open any more
 */
export async function runFanOut(
  work: PreparedCall,
  list: CompiledValue,
  module: StartingModule<unknown>,
  deps: LoopDeps,
): Promise<FanOutEnd> {
  const { call } = work;
  const items = await itemsOf(work, list, deps.services);
  assertFewRounds(work, items.length);
  const key = `${call.play._id}.${call.position}`;
  const read = call.play.doneItems?.[call.position];
  await deps.memory.reserve(bytesOf(read));
  const own = deps.unfinished.take(key, items.length, read);
  const state = own ?? (await resumedLoop(work, items, deps.payloads));
  // whoever had the loop before may have died before its last step
  const settled = own ? [] : [...state.outs.keys()].filter((index) => index in state.outs);
  deps.memory.watch(state);
  const fan = new FanOut(work, module, items, state, deps, settled);
  const keeper = new LoopKeeper(work, state, (index) => digestOf(items[index]), deps.payloads, items.length);
  keeper.start();
  await fan.run().finally(() => keeper.stop());
  if (call.signal.aborted) throwPlayLost();
  if (fan.open === 0 && !fan.failure && state.done < items.length) {
    // on hold before any play was open: what it has done is stored with its wait
    const left = await keeper.pack().catch(() => undefined);
    if (keeper.isPacked) throw new PausedSeries({ waitMs: 0 }, left, false);
    fan.mayLeave = false;
    await fan.run();
  }
  if (fan.open === 0) {
    const { failure } = fan;
    if (failure) throw await withDoneItems(failure, work, () => keeper.pack());
    return { outs: state.outs };
  }
  const isSaved = await keeper.saveAll();
  if (call.signal.aborted) throwPlayLost();
  // ends that the play could not store are asked for again, by whichever worker is next
  if (isSaved || keeper.isFull) {
    if (fan.settled.length > 0) await deps.services.plays.collected(call.play, call.position, fan.settled);
    deps.unfinished.keep(key, state, read);
  }
  return { wait: waitForPlays(work, fan.children, new Date(deps.serverNow())) };
}

/** The wait of a layer for plays that it has started: since it first had to wait for some. */
export function waitForPlays(
  { call: { play, position }, layer }: PreparedCall,
  children: LayerWait['children'],
  from: Date,
): LayerWait {
  const before = play.waits?.[position];
  const since = before?.kind === 'children' ? before.since : from;
  return { position, ref: layer.definition.ref, kind: 'children', since, until: null, children };
}

/** @throws LayerFailure `invalid_args` */
function assertFewRounds({ layer: { definition } }: PreparedCall, items: number): void {
  const concurrency = definition.forEach?.concurrency ?? 1;
  if (definition.args.wait === false || items <= MOST_ROUNDS * concurrency) return;
  const least = Math.ceil(items / MOST_ROUNDS);
  throw new LayerFailure('invalid_args', `forEach.concurrency must be at least ${least} to wait for ${items} plays`);
}

class FanOut {
  /** Plays that have not ended. */
  open = 0;
  /** Under a hold no further play is started. */
  mayLeave = true;
  private failed: ItemFailure | null = null;
  /** The company has no room for another play now. */
  private refused: ItemFailure | null = null;
  /** Plays that are being started. */
  private starting = 0;
  private next = 0;
  /** The last item whose play has been started. */
  private upTo: number;

  constructor(
    private readonly work: PreparedCall,
    private readonly module: StartingModule<unknown>,
    private readonly items: readonly unknown[],
    private readonly state: LoopState,
    private readonly deps: LoopDeps,
    /** Items whose ends are known, while their plays may still be marked as ended without the loop knowing. */
    readonly settled: number[],
  ) {
    this.upTo = work.call.play.waits?.[work.call.position]?.children?.upTo ?? -1;
  }

  get failure(): ItemFailure | null {
    return this.failed ?? this.refused;
  }

  /** Half of them make room for as many others; when no other one will be started, all of them are waited for. */
  get children(): NonNullable<LayerWait['children']> {
    const { open, upTo } = this;
    const startsMore = this.failed === null && this.state.done + open < this.items.length;
    return { open, wakeAfter: startsMore ? Math.ceil(open / 2) : open, upTo };
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: Math.min(BATCH, this.concurrency) }, () => this.lane()));
  }

  private async lane(): Promise<void> {
    while (this.mayGoOn()) {
      const index = this.next;
      this.next += 1;
      if (index in this.state.outs) continue;
      this.starting += 1;
      await this.item(index).finally(() => (this.starting -= 1));
    }
  }

  private mayGoOn(): boolean {
    if (this.work.call.signal.aborted || this.next >= this.items.length) return false;
    // those that have been started are counted, also after a failure
    if (this.next <= this.upTo) return true;
    if (this.mayLeave && this.work.call.leave?.aborted) return false;
    return this.failed === null && this.refused === null && this.open + this.starting < this.concurrency;
  }

  private async item(index: number): Promise<void> {
    const { attempt } = this.work.call;
    const visited: StartResult | ItemFailure = await this.visit(index).catch(
      (error: unknown) => new ItemFailure('item', index, attempt, toLayerFailure(error)),
    );
    if (visited instanceof ItemFailure) return this.fail(visited);
    this.upTo = Math.max(this.upTo, index);
    if ('waitsFor' in visited) {
      this.open += 1;
      return;
    }
    this.settled.push(index);
    this.add(index, this.collects ? doneItem(visited.done) : visited.done);
  }

  private async visit(index: number): Promise<StartResult> {
    const { work, module, deps } = this;
    await deps.memory.reserve();
    if (work.call.signal.aborted) throwPlayLost();
    const idempotencyKey = idempotencyKeyOf(work, index);
    const scope = { ...scopeOf(work.call), item: this.items[index], index };
    const args = await argsOf(work, module, scope, sandboxUse(work, deps.services, idempotencyKey));
    const call = { work, module, args, scope, idempotencyKey, storage: null, item: index, progress: () => undefined };
    return callStarting(call, deps.services);
  }

  private fail(failure: ItemFailure): void {
    const cause = failure.cause as LayerFailure;
    if (cause.code === NO_ROOM) {
      this.refused ??= failure;
      return;
    }
    this.settled.push(failure.index);
    if (!this.collects || !isOfItem(cause)) this.stop(failure);
    else {
      const fault = internalCause(cause);
      if (fault !== undefined) this.deps.onFault(fault);
      this.state.failed.add(failure.index);
      this.add(failure.index, failedItem(cause));
    }
  }

  private stop(failure: ItemFailure): void {
    if (this.failed === null || failure.index < this.failed.index) this.failed = failure;
  }

  private add(index: number, out: unknown): void {
    const { state, items, work } = this;
    try {
      addOut(state, work, index, out);
    } catch (error) {
      return this.stop(new ItemFailure('item', index, work.call.attempt, toLayerFailure(error)));
    }
    this.deps.progress(Math.floor((state.done * 100) / items.length), `${state.done} of ${items.length}`);
  }

  private get concurrency(): number {
    return this.work.layer.definition.forEach?.concurrency ?? 1;
  }

  private get collects(): boolean {
    return this.work.layer.definition.forEach?.onItemError === 'collect';
  }
}
