/** A layer that runs again until its condition is true: docs/layers.md "repeat". */
import type { RepeatOptions } from '@weft/shapes';
import type { DoneItems, PayloadRef } from '@weft/engine';
import { evaluate, isTruthy, type CompiledValue, type ExpressionScope } from '@weft/expressions';
import { LayerFailure, type Output, type WorkingModule } from '../layer-module.js';
import { computed } from '../call/call-sandbox.js';
import { bytesOf, digestOf, earlierEntries, toLine } from './done-items.js';
import type { ItemFailure } from './item-attempts.js';
import { scopeOf, type PreparedCall } from '../call/layer-call.js';
import { LoopKeeper } from './loop-keeper.js';
import type { LayerPayloads } from '../call/layer-payloads.js';
import { argsOf, callModule, idempotencyKeyOf, sandboxUse } from '../call/module-call.js';
import type { ModuleServices } from '../call/module-services.js';
import { runSeries, seriesKey, type Series, type SeriesCall, type SeriesDeps } from './series.js';
import { newLoop, type LoopState } from './unfinished-loops.js';

/** Of the outputs of one layer in the payload store: those that others have replaced go when the play has the next one. */
const MAX_STORED_BYTES = 256 * 1024 * 1024;
/** Rounds are about no item. */
const NO_ITEM = digestOf(null);

export interface RoundsOf {
  readonly module: WorkingModule<unknown>;
  readonly until: CompiledValue;
  readonly repeat: RepeatOptions;
}

/** @returns the output of the last round @throws ItemFailure of the round that failed, PausedSeries */
export async function runRounds(work: PreparedCall, of: RoundsOf, deps: SeriesDeps): Promise<Output> {
  const { call } = work;
  const left = call.play.doneItems?.[call.position];
  await deps.memory.reserve(bytesOf(left));
  const state = deps.unfinished.take(seriesKey(work), 1, left) ?? (await resumedRounds(work, left, deps.payloads));
  if (left) void discardReplaced(work, left, deps.payloads);
  const rounds = new Rounds(work, of, state, deps);
  await runSeries(work, rounds, deps);
  return rounds.last as Output;
}

/** The play has these items: nothing refers to what they are in the place of. What is not removed goes with the play. */
async function discardReplaced({ call }: PreparedCall, { replaced = [] }: DoneItems, payloads: LayerPayloads) {
  for (const ref of replaced) await payloads.discard(call.play.company_id, ref).catch(() => undefined);
}

/** Only the output of the last round is known: `outs[0]`. */
async function resumedRounds(
  work: PreparedCall,
  left: DoneItems | undefined,
  payloads: LayerPayloads,
): Promise<LoopState> {
  const state = newLoop(1);
  if (!left) return state;
  for (const [index, [entry]] of await earlierEntries(work, left, payloads)) {
    state.outs[0] = entry?.out;
    state.done = index + 1;
  }
  state.packed.items = left;
  state.packed.saved = state.done;
  return state;
}

class Rounds implements Series {
  readonly noun = 'round';
  readonly limit: number;
  readonly keeper: RoundKeeper;

  constructor(
    private readonly work: PreparedCall,
    private readonly of: RoundsOf,
    readonly state: LoopState,
    private readonly deps: SeriesDeps,
  ) {
    // a retry goes on with as many rounds again: its rounds are counted from the first one of the chain
    this.limit = Math.max(of.repeat.max, state.packed.items?.of ?? 0);
    this.keeper = new RoundKeeper(work, state, deps.payloads, this.limit);
  }

  get done(): number {
    return this.state.done;
  }

  get last(): Output | null {
    return (this.state.outs[0] as Output | undefined) ?? null;
  }

  async next(index: number): Promise<SeriesCall | null> {
    const { repeat } = this.of;
    if (index > 0 && (await this.isDone(index - 1))) return null;
    if (index >= this.limit) {
      this.keeper.limit = index + repeat.max;
      throw new LayerFailure('repeat_exhausted', `repeat.until is not true after ${index} rounds`);
    }
    return { delayMs: index === 0 ? 0 : repeat.delayMs, call: (services) => this.call(index, services) };
  }

  add(index: number, out: Output): void {
    this.state.outs[0] = out;
    this.state.done = index + 1;
  }

  /** Of a round that failed what its failure kept, such as a refused answer; after the last round its output. */
  outOf(failure: ItemFailure): Output | undefined {
    const cause = failure.cause as LayerFailure;
    return cause.code === 'repeat_exhausted' ? (this.last ?? undefined) : cause.out;
  }

  private async isDone(index: number): Promise<boolean> {
    const { work, of } = this;
    const { onMissing } = work.call.prepared.version.settings;
    const use = sandboxUse(work, this.deps.services, `${idempotencyKeyOf(work, index)}.until`);
    return isTruthy(evaluate(of.until, await computed(of.until, this.scopeOf(index), use), { onMissing }));
  }

  private async call(index: number, services: ModuleServices): Promise<Output> {
    const { work, of } = this;
    const scope = this.scopeOf(index);
    const idempotencyKey = idempotencyKeyOf(work, index);
    const args: unknown = await argsOf(work, of.module, scope, sandboxUse(work, services, idempotencyKey));
    const made = { work, module: of.module, args, scope, idempotencyKey, storage: null, progress: () => undefined };
    return callModule(made, services);
  }

  private scopeOf(index: number): ExpressionScope {
    return { ...scopeOf(this.work.call), repeat: { index, out: this.last } };
  }
}

/** Stores how many rounds are done, and the output of the last one. */
class RoundKeeper extends LoopKeeper {
  private packedRounds: number;

  constructor(work: PreparedCall, state: LoopState, payloads: LayerPayloads, limit: number) {
    super(work, state, () => undefined, payloads, limit);
    this.packedRounds = state.packed.saved;
  }

  override get isPacked(): boolean {
    return this.packedRounds >= this.state.done;
  }

  override async pack(): Promise<DoneItems | undefined> {
    const { state, limit } = this;
    const { done: count, packed } = state;
    if (count === 0) return undefined;
    if (packed.items?.count === count) packed.items = { ...packed.items, of: limit };
    else packed.items = { ...(await this.stored(toLine(count - 1, NO_ITEM, state.outs[0], null))), count, of: limit };
    this.packedRounds = count;
    return packed.items;
  }

  protected override onSaved(items: DoneItems): void {
    void discardReplaced(this.work, items, this.payloads);
  }

  /** In the place of the round before. */
  private async stored(line: string): Promise<Omit<DoneItems, 'count'>> {
    const { work, state } = this;
    const { items: before } = state.packed;
    if (before?.text !== undefined) work.call.inlineBudget.release(before.text);
    const replaced = this.replacedAfter(before);
    const total = replaced.reduce((sum, { bytes }) => sum + bytes, Buffer.byteLength(line));
    if (total > MAX_STORED_BYTES) {
      const message = `The outputs of the rounds that are stored have more than ${MAX_STORED_BYTES} bytes together.`;
      throw new LayerFailure('output_too_large', message);
    }
    const stored = await this.storeAlone(line);
    return { ...stored, ...(stored.ref && { madeIn: work.call.play._id }), ...(replaced.length > 0 && { replaced }) };
  }

  /** What a retried play stored stays for that play. */
  private replacedAfter(before: DoneItems | undefined): readonly PayloadRef[] {
    if (!before) return [];
    const { ref, madeIn, count, replaced = [] } = before;
    const isInPlay = count <= this.state.packed.saved;
    return [...(isInPlay ? [] : replaced), ...(ref && madeIn === this.work.call.play._id ? [ref] : [])];
  }
}
