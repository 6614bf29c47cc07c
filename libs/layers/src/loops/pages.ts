/** The pages of an answer: docs/layers.md "Pages". */
import { evaluate } from '@weft/expressions';
import { LayerFailure, type Output, type Paging, type WorkingModule } from '../layer-module.js';
import { computed } from '../call/call-sandbox.js';
import { bytesOf, digestOf, earlierEntries, type EarlierEntry } from './done-items.js';
import type { ItemFailure } from './item-attempts.js';
import { scopeOf, type PreparedCall } from '../call/layer-call.js';
import { LoopKeeper } from './loop-keeper.js';
import { argsOf, callModule, idempotencyKeyOf, sandboxUse } from '../call/module-call.js';
import type { ModuleServices } from '../call/module-services.js';
import { runSeries, seriesKey, type Series, type SeriesCall, type SeriesDeps } from './series.js';
import { newLoop, type LoopState } from './unfinished-loops.js';

/** A page is held whole. */
const MAX_PAGE_BYTES = 16 * 1024 * 1024;

export interface PagesOut extends Output {
  readonly pages: readonly Output[];
  readonly count: number;
}

/** @throws ItemFailure of the first page that failed, PausedSeries when the layer goes on later; as `argsOf` */
export async function runPages(
  work: PreparedCall,
  { module, paging }: { readonly module: WorkingModule<unknown>; readonly paging: Paging<unknown> },
  deps: SeriesDeps,
): Promise<PagesOut | null> {
  const scope = scopeOf(work.call);
  const args: unknown = await argsOf(work, module, scope, sandboxUse(work, deps.services, idempotencyKeyOf(work)));
  const limit = paging.most(args);
  if (limit === null) return null;
  const { call } = work;
  const left = call.play.doneItems?.[call.position];
  await deps.memory.reserve(bytesOf(left));
  const unfinished = deps.unfinished.take(seriesKey(work), limit, left);
  const earlier =
    unfinished || !left ? new Map<number, EarlierEntry[]>() : await earlierEntries(work, left, deps.payloads);
  const state = unfinished ?? newLoop(limit);
  if (!unfinished && left) state.packed.items = left;
  const pages = new Pages(work, { module, paging, args, limit, earlier }, state, deps);
  await runSeries(work, pages, deps);
  return pages.out;
}

class Pages implements Series {
  readonly noun = 'page';
  readonly limit: number;
  readonly keeper: LoopKeeper;
  readonly done = 0;
  /** Of the requests so far. A request may be large, so none is held. */
  private readonly digests: string[] = [];
  private readonly seen = new Map<string, number>();
  private args: unknown;

  constructor(
    private readonly work: PreparedCall,
    private readonly of: {
      readonly module: WorkingModule<unknown>;
      readonly paging: Paging<unknown>;
      readonly args: unknown;
      readonly limit: number;
      readonly earlier: ReadonlyMap<number, readonly EarlierEntry[]>;
    },
    readonly state: LoopState,
    private readonly deps: SeriesDeps,
  ) {
    this.limit = of.limit;
    this.args = of.args;
    this.keeper = new LoopKeeper(work, state, (index) => this.digests[index], deps.payloads, of.limit);
  }

  async next(index: number): Promise<SeriesCall | 'done' | null> {
    const { of, state } = this;
    if (index > 0 && !(await this.goOn(index))) return null;
    const digest = digestOf(of.paging.identityOf(this.args));
    this.refuseRepetition(index, digest);
    this.digests[index] = digest;
    if (index in state.outs) return 'done';
    const earlier = of.earlier.get(index)?.find((entry) => entry.digest === digest);
    if (!earlier) return { delayMs: 0, call: (services) => this.call(index, services) };
    state.bytes += earlier.bytes;
    this.add(index, earlier.out as Output);
    state.packed.indexes.add(index);
    state.packed.saved = state.done;
    return 'done';
  }

  add(index: number, out: Output): void {
    this.state.outs[index] = out;
    this.state.done += 1;
  }

  outOf(_failure: ItemFailure): PagesOut {
    return this.out;
  }

  get out(): PagesOut {
    const pages = this.state.outs.slice(0, this.digests.length).filter((page) => page !== undefined) as Output[];
    return { pages, count: pages.length };
  }

  /** Goes on to the request for this page; false: the page before was the last one. */
  private async goOn(index: number): Promise<boolean> {
    const { of, work, limit } = this;
    const page = this.state.outs[index - 1] as Output;
    const found = await this.valuesAfter(index - 1, page);
    const args = of.paging.following(of.args, this.args, page, found);
    if (args === null) return false;
    if (index >= limit) {
      const advice = 'raise maxPages, or end earlier with until';
      throw new LayerFailure('too_many_pages', `there are more than ${limit} pages: ${advice}`);
    }
    work.call.signal.throwIfAborted();
    this.args = args;
    return true;
  }

  private refuseRepetition(index: number, digest: string): void {
    const before = this.seen.get(digest);
    if (before === undefined) return void this.seen.set(digest, index);
    const message = `the answer to page ${index - 1} leads back to page ${before}, which would never end`;
    throw new LayerFailure('page_repeated', message);
  }

  private async valuesAfter(index: number, page: Output): Promise<Record<string, unknown>> {
    const { work, deps } = this;
    const scope = { ...scopeOf(work.call), page: { ...page, index } };
    const found: Record<string, unknown> = {};
    for (const [path, compiled] of work.layer.paging ?? []) {
      const seed = `${idempotencyKeyOf(work, index)}.${path}`;
      const full = await computed(compiled, scope, sandboxUse(work, deps.services, seed));
      // the last page often leaves the field out
      found[path] = evaluate(compiled, full, { onMissing: 'null' });
    }
    return found;
  }

  private async call(index: number, services: ModuleServices): Promise<Output> {
    const { work, of, args, state } = this;
    const left = Math.max(1, Math.min(MAX_PAGE_BYTES, work.maxOutputBytes - state.bytes));
    const out = await callModule(
      {
        work: { ...work, maxOutputBytes: left },
        module: of.module,
        args,
        scope: scopeOf(work.call),
        idempotencyKey: idempotencyKeyOf(work, index),
        storage: null,
        progress: () => undefined,
      },
      services,
    );
    return of.paging.pageOf(out);
  }
}
