import type { DoneItems } from '@weft/engine';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PreparedCall } from '../call/layer-call.js';
import type { LayerPayloads } from '../call/layer-payloads.js';
import { throwPlayLost } from '../call/failure.js';
import { LayerFailure } from '../layer-module.js';
import { toLineWith } from './done-items.js';
import { LoopKeeper } from './loop-keeper.js';
import type { LoopState } from './unfinished-loops.js';

/** A command may have changed the play in between: it is asked again. */
const AGAIN_MS = 100;
const TIMES = 50;
/** A layer has as many steps as the log of its play has room for. */
const MAX_LISTS = 1_000;

/** Stores the end of each step before the next one begins. */
export class StepKeeper extends LoopKeeper {
  /** Steps of which a call may be running that is never made again. */
  readonly begun = new Set<number>();
  /** The inbox still has an answer for a step whose end is known. */
  hasOldAnswer = false;
  protected override readonly mostLists: number = MAX_LISTS;
  /** Of steps that are not packed yet: what they gave, as JSON. */
  private readonly written = new Map<number, string>();
  private storedBegun: readonly number[] = [];
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    work: PreparedCall,
    state: LoopState,
    digestAt: (index: number) => string | undefined,
    to: LayerPayloads,
  ) {
    super(work, state, digestAt, to, 0);
  }

  /** What a step has given, which may be large, was written as JSON to know its size: once is enough. */
  know(index: number, json: string): void {
    this.written.set(index, json);
  }

  protected override lineOf(index: number, digest: string): string {
    const json = this.written.get(index);
    this.written.delete(index);
    return json === undefined ? super.lineOf(index, digest) : toLineWith(index, digest, json, null);
  }

  /**
   * Ends that come together are stored together.
   *
   * @returns false: the layer goes on later, and what is new is to be stored with its wait
   * @throws LayerFailure `not_stored`, `cancelled`
   */
  async settle(): Promise<boolean> {
    const { call } = this.work;
    for (let times = 1; ; times += 1) {
      if (await this.inTurn(() => this.storeNew())) return true;
      if (call.signal.aborted) throwPlayLost();
      if (call.leave?.aborted) return false;
      if (times === TIMES) throw notStored();
      await sleep(AGAIN_MS, undefined, { signal: call.signal }).catch(() => undefined);
    }
  }

  /** All that is done, ready to be stored with a wait or a failure. @throws LayerFailure `not_stored` */
  async packAll(): Promise<DoneItems | undefined> {
    this.begun.clear();
    const items = await this.inTurn(() => this.pack());
    if (items === false || !this.isPacked) throw notStored();
    return items;
  }

  override async pack(): Promise<DoneItems | undefined> {
    this.limit = this.state.outs.length;
    const items = await super.pack();
    if (this.begun.size === 0) return items;
    return { count: 0, ...items, begun: [...this.begun] };
  }

  private async storeNew(): Promise<boolean> {
    const { call } = this.work;
    const { state, hasOldAnswer } = this;
    const begun = [...this.begun];
    const isStored = state.done <= state.packed.saved && begun.every((index) => this.storedBegun.includes(index));
    if (!call.keep || (isStored && !hasOldAnswer)) return true;
    const items = await this.pack();
    // a copy: what is stored is known by it
    if (!items || !this.isPacked || !(await call.keep({ ...items }, { takesAnswer: hasOldAnswer }))) return false;
    state.packed.saved = items.count;
    this.storedBegun = items.begun ?? [];
    this.hasOldAnswer = false;
    return true;
  }

  /** Never rejects. */
  private inTurn<T>(act: () => Promise<T>): Promise<T | false> {
    const ended = this.turn.then(act).catch(() => false as const);
    this.turn = ended;
    return ended;
  }
}

function notStored(): LayerFailure {
  const message =
    'What this layer has done cannot be stored with its play any more, so it does not go on: a play has room for some 900 steps.';
  return new LayerFailure('not_stored', message);
}
