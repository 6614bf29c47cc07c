/**
 * Stores what a loop has done: while it runs, so that nothing of it is repeated after a crash, a cancel or a time limit, and
 * when it fails.
 */
import { INLINE_OUTPUT_BYTES, type DoneItems, type PayloadRef } from '@weft/engine';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import type { PreparedCall } from '../call/layer-call.js';
import type { LayerPayloads } from '../call/layer-payloads.js';
import { toLine } from './done-items.js';
import type { LoopState } from './unfinished-loops.js';

/** A shorter loop writes nothing while it runs. */
const FIRST_MS = 1_000;
/** A long loop is stored less often, so that it makes about a hundred writes a day. */
const SHARE_OF_RUNTIME = 0.1;
/** Lists in the payload store for one loop. Beyond that nothing more is stored: further items may be called again. */
const MAX_LISTS = 250;
const TURN_MS = 10;
/** A play that has just begun cannot store anything yet: it is asked again. */
const AGAIN_MS = 500;
const SAVES = 10;

export class LoopKeeper {
  protected readonly mostLists: number = MAX_LISTS;
  private readonly startedAtMs = performance.now();
  private timer?: NodeJS.Timeout;
  private saving: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    protected readonly work: PreparedCall,
    protected readonly state: LoopState,
    /** Of the item at this index; undefined: it is not known yet. */
    private readonly digestAt: (index: number) => string | undefined,
    protected readonly payloads: LayerPayloads,
    /** Items altogether. */
    public limit: number,
  ) {}

  /** Whether all that is done is ready to be stored, since the last `pack`. */
  get isPacked(): boolean {
    return this.state.packed.indexes.size >= this.state.done;
  }

  /** Whether nothing more can be stored in lists of its own. */
  get isFull(): boolean {
    return (this.state.packed.items?.more?.length ?? 0) >= this.mostLists;
  }

  /** Saves from time to time, until `stop`. */
  start(): void {
    if (this.stopped || !this.work.call.keep) return;
    const pauseMs = Math.max(FIRST_MS, (performance.now() - this.startedAtMs) * SHARE_OF_RUNTIME);
    this.timer = setTimeout(() => void this.save().then(() => this.start()), pauseMs);
  }

  /** Resolves when nothing is being saved any more. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.saving;
  }

  /** Saves again, after `stop`. */
  resume(): void {
    this.stopped = false;
    this.start();
  }

  /** Never rejects: what is not saved is called again. */
  save(): Promise<void> {
    this.saving = this.saving.then(() => this.saveNew().catch(() => undefined));
    return this.saving;
  }

  /** @returns false: the loop cannot be left, because something of what it has done would be called again */
  async saveAll(): Promise<boolean> {
    const { call } = this.work;
    const { state } = this;
    for (let saves = 1; ; saves += 1) {
      await this.save();
      if (state.done <= state.packed.saved || call.signal.aborted) return true;
      if (saves === SAVES || !call.keep || !this.isPacked) return false;
      await sleep(AGAIN_MS, undefined, { signal: call.signal }).catch(() => undefined);
    }
  }

  private async saveNew(): Promise<void> {
    const { call } = this.work;
    const { state } = this;
    if (state.done <= state.packed.saved || call.signal.aborted) return;
    const items = await this.pack();
    if (!items || !(await call.keep?.(items))) return;
    state.packed.saved = items.count;
    this.onSaved(items);
  }

  /** The play has these items. */
  protected onSaved(_items: DoneItems): void {}

  /** All that is done, with what is new stored; undefined: nothing is done. */
  async pack(): Promise<DoneItems | undefined> {
    const { packed } = this.state;
    const { indexes, lines } = await this.newLines();
    if (lines.length === 0) return packed.items;
    const stored = await this.withLines(packed.items, lines);
    if (!stored) return packed.items;
    for (const index of indexes) packed.indexes.add(index);
    packed.items = { ...stored, count: packed.indexes.size, of: this.limit };
    return packed.items;
  }

  /** Null when there are too many lists. */
  private async withLines(
    before: DoneItems | undefined,
    lines: readonly string[],
  ): Promise<Omit<DoneItems, 'count'> | null> {
    const { inlineBudget } = this.work.call;
    const list = asList(lines);
    const text = before?.text === undefined ? list : `${before.text.slice(0, -'\n]'.length)},\n${lines.join(',\n')}\n]`;
    if (Buffer.byteLength(text) <= INLINE_OUTPUT_BYTES) {
      if (before?.text !== undefined) inlineBudget.release(before.text);
      if (inlineBudget.take(text)) return { ...before, text };
      if (before?.text !== undefined) inlineBudget.count(before.text);
    }
    const lists: readonly PayloadRef[] = before?.more ?? [];
    if (lists.length >= this.mostLists) return null;
    const ref = await this.put(list);
    return before?.ref ? { ...before, more: [...lists, ref] } : { ...before, ref };
  }

  protected lineOf(index: number, digest: string): string {
    const { outs, failed } = this.state;
    return toLine(index, digest, outs[index], failed.has(index) ? this.work.call.play._id : null);
  }

  /** In the play, or in the payload store. */
  protected async storeAlone(line: string): Promise<Pick<DoneItems, 'text' | 'ref'>> {
    const text = asList([line]);
    const fits = Buffer.byteLength(text) <= INLINE_OUTPUT_BYTES && this.work.call.inlineBudget.take(text);
    return fits ? { text } : { ref: await this.put(text) };
  }

  private put(list: string): Promise<PayloadRef> {
    const { play } = this.work.call;
    const of = { companyId: play.company_id, flowId: play.flowId, playId: play._id };
    return this.payloads.put(of, Buffer.from(list));
  }

  /** Between many entries the event loop handles other work. */
  private async newLines(): Promise<{ readonly indexes: readonly number[]; readonly lines: readonly string[] }> {
    const { outs, packed } = this.state;
    const indexes: number[] = [];
    const lines: string[] = [];
    let turnAtMs = performance.now();
    for (let index = 0; index < outs.length; index += 1) {
      // a hole is an item that is not done
      if (!(index in outs) || packed.indexes.has(index)) continue;
      const digest = this.digestAt(index);
      if (digest === undefined) continue;
      indexes.push(index);
      lines.push(this.lineOf(index, digest));
      if (performance.now() - turnAtMs <= TURN_MS) continue;
      await turn();
      turnAtMs = performance.now();
    }
    return { indexes, lines };
  }
}

/** JSON with one entry a line, so that it can be read in pieces. */
function asList(lines: readonly string[]): string {
  return `[\n${lines.join(',\n')}\n]`;
}
