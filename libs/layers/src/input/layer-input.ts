/**
 * What a layer of a stored play was given: its arguments, computed anew from the args of the play and the outputs of the layers
 * before it. Nothing is called and nothing is stored.
 */
import type { FlowVersion, LayerResult, Play } from '@weft/engine';
import type { ExpressionScope, LayerError } from '@weft/expressions';
import type { Sandbox } from '@weft/sandbox';
import { isDeepStrictEqual } from 'node:util';
import type { SandboxUse } from '../call/call-sandbox.js';
import { toLayerFailure } from '../call/failure.js';
import { errorOf, prepareCall, scopeOf, UnloadedOutput, type PreparedCall } from '../call/layer-call.js';
import type { FileSource } from '../call/layer-files.js';
import type { LayerPayloads } from '../call/layer-payloads.js';
import { withoutMarks } from '../call/link-marks.js';
import { idempotencyKeyOf, sandboxUse } from '../call/module-call.js';
import type { ModuleServices } from '../call/module-services.js';
import { prepareVersion } from '../call/prepared-version.js';
import { StoredReads, withStoredReads } from '../call/stored-reads.js';
import { MemoryPayloads } from '../dry-run/memory-payloads.js';
import { recordedOut } from '../dry-run/recorded-play.js';
import { pagingOf, type Output, type Paging } from '../layer-module.js';
import { digestOf, earlierEntries } from '../loops/done-items.js';
import { itemsOf } from '../loops/loop-results.js';
import { valuesAfterPage } from '../loops/pages.js';
import { InlineBudget } from '../memory/inline-budget.js';
import { renderArgs, TIME_IS_OVER, whyNodeLost, type RenderedArgs, type WhyLost } from './rendered-args.js';

export interface LayerInputRequest {
  readonly play: Play;
  /** The version that it runs. Its blueprint variables are used as they are given here. */
  readonly version: FlowVersion;
  readonly companyName: string;
  readonly ref: string;
  /** Of a loop the item, page or round, from 0; default: the one that failed, else the first. */
  readonly item: number | undefined;
  /** Stands in the place of each field of a link, and of each address that decides an approval. */
  readonly secret: string;
  /** Opens stored outputs and args of the play. */
  readonly open: LayerPayloads['open'];
  /** The whole output of a layer; undefined: it is not kept any more, or too large. */
  readonly outputOf: (result: LayerResult) => Promise<unknown>;
  /** Opens files, which expressions may read. */
  readonly openFile: FileSource['open'];
  readonly sandbox: Pick<Sandbox, 'run'>;
  readonly signal: AbortSignal;
}

export interface LayerInput extends RenderedArgs {
  /** What `LayerInputRequest.item` was, or its default; null: the layer makes one call. */
  readonly item: number | null;
  /** Of a loop over a list: what the item is, and how many there are; undefined: it is not known. */
  readonly each?: { readonly value: unknown; readonly of: number };
  /** Of the call. */
  readonly idempotencyKey: string;
}

/** Of all outputs together that are read one by one. */
const MAX_READ_BYTES = 32 * 1024 * 1024;
/** Larger args are not read. */
const MAX_ARGS_BYTES = 16 * 1024 * 1024;

/**
 * Never rejects because of the layer.
 *
 * @throws RangeError when the version has no such layer, or its loop no such item
 */
export async function layerInput(request: LayerInputRequest): Promise<LayerInput> {
  const { play, version, secret, signal } = request;
  const position = version.layers.findIndex(({ ref }) => ref === request.ref);
  const work = preparedCall(request, position);
  const result = play.layers.find((each) => each.position === position);
  const why = whyNotCalled(play, position, result);
  if (why !== null) return notKnown(work, null, why);
  const ready = await readStored(work, request);
  try {
    const input = await new InputOf(ready.work, result, ready.whyLost, request).input();
    return { ...input, args: withoutMarks(input.args, secret) };
  } catch (error) {
    if (signal.aborted) return notKnown(work, null, TIME_IS_OVER);
    throw error;
  } finally {
    ready.leave();
  }
}

/** Null: it was called. */
function whyNotCalled({ log, waits, layersErasedAt }: Play, position: number, result: LayerResult | undefined) {
  if (result?.state === 'SKIP') return 'The layer was skipped: nothing was given to it.';
  if (result?.state === 'FILTERED' && result.attempts === 0) {
    return 'The condition of the layer did not hold: nothing was given to it.';
  }
  const hasBegun = waits?.[position] !== undefined || log.some((entry) => 'layer' in entry && entry.layer === position);
  return result || layersErasedAt || hasBegun ? null : 'The layer has not begun.';
}

function notKnown(work: PreparedCall, item: number | null, reason: string): LayerInput {
  const unresolved = [{ path: '', reason }];
  return { args: null, expressions: {}, unresolved, item, idempotencyKey: idempotencyKeyOf(work, item ?? undefined) };
}

function preparedCall({ play, version, companyName, secret, signal }: LayerInputRequest, position: number) {
  const outputs = new Map<string, unknown>();
  const errors = new Map<string, LayerError>();
  for (const result of play.layers) {
    if (result.position >= position) continue;
    const error = errorOf(result);
    outputs.set(result.ref, recordedOut(result));
    if (error) errors.set(result.ref, error);
  }
  const prepared = prepareVersion(version, companyName, () => secret);
  const { wait, answer, by } = { wait: null, answer: null, by: 'input' };
  const inlineBudget = new InlineBudget();
  const call = { play, prepared, position, attempt: 1, wait, answer, outputs, errors, inlineBudget, signal, by };
  return prepareCall(call);
}

/** With everything in memory that its expressions name and that is still there. */
async function readStored(work: PreparedCall, { open }: LayerInputRequest) {
  const { layer, call } = work;
  const { play, outputs } = call;
  const reads = new StoredReads(new MemoryPayloads({ open }));
  const lost = new Map<string, string>();
  for (const { ref } of layer.reads) if (!outputs.has(ref)) lost.set(ref, whyNoResult(play, ref));
  const leaves: (() => void)[] = [];
  const readWith = async (part: Partial<PreparedCall['layer']>): Promise<PreparedCall['call']> => {
    const ready = await withStoredReads({ ...work, layer: { ...layer, ...part } }, reads);
    leaves.push(ready.leave);
    return ready.work.call;
  };
  let args: Play['args'] | null = play.args;
  let whyNoArgs: string | undefined;
  if (play.argsRef && layer.readsArgs) {
    const { bytes } = play.argsRef;
    args = null;
    if (bytes > MAX_ARGS_BYTES) whyNoArgs = `The args of the play have ${bytes} bytes: too many to be shown here.`;
    else
      await readWith({ reads: [] }).then(
        (found) => (args = found.play.args),
        (error: unknown) => (whyNoArgs = toLayerFailure(error).message),
      );
  }
  const known = new Map(outputs);
  const together = await readWith({ readsArgs: false }).catch(() => null);
  for (const [ref, out] of together?.outputs ?? []) known.set(ref, out);
  let leftBytes = MAX_READ_BYTES;
  for (const each of together ? [] : layer.reads) {
    const held = outputs.get(each.ref);
    if (!(held instanceof UnloadedOutput)) continue;
    leftBytes -= held.ref.bytes;
    if (leftBytes < 0) lost.set(each.ref, `The output of "${each.ref}" is too large to be read here.`);
    else
      await readWith({ reads: [each], readsArgs: false }).then(
        (found) => known.set(each.ref, found.outputs.get(each.ref)),
        (error: unknown) => lost.set(each.ref, toLayerFailure(error).message),
      );
  }
  const whyLost: WhyLost = ({ root, ref }) => {
    if (root === 'args') return whyNoArgs;
    if (root === 'errors') return outputs.has(ref) ? undefined : whyNoResult(play, ref);
    return root === 'layer' ? lost.get(ref) : undefined;
  };
  return {
    work: { ...work, call: { ...call, outputs: known, play: { ...play, args: args ?? {} } } },
    whyLost,
    leave: () => {
      for (const leave of leaves) leave();
    },
  };
}

function whyNoResult({ layersErasedAt }: Play, ref: string): string {
  return layersErasedAt
    ? 'Retention has deleted the results of the layers of this play.'
    : `No result of "${ref}" is stored.`;
}

type Rendered = Omit<LayerInput, 'idempotencyKey'>;

class InputOf {
  private readonly failed: number | undefined;
  private readonly services: Pick<ModuleServices, 'sandbox' | 'files'>;

  constructor(
    private readonly work: PreparedCall,
    private readonly result: LayerResult | undefined,
    private readonly whyLost: WhyLost,
    private readonly request: LayerInputRequest,
  ) {
    this.failed = result?.error?.item;
    const { sandbox, openFile: open } = request;
    this.services = { sandbox, files: { open, store: () => Promise.reject(new TypeError('nothing is stored here')) } };
  }

  async input(): Promise<LayerInput> {
    const rendered = await this.rendered();
    return { ...rendered, idempotencyKey: idempotencyKeyOf(this.work, rendered.item ?? undefined) };
  }

  private async rendered(): Promise<Rendered> {
    const { items, until, module } = this.work.layer;
    if (items) return this.ofItem();
    if (until) return this.ofRound();
    const paging = module && pagingOf(module);
    if (paging && this.work.layer.paging) return this.ofPage(paging);
    const { item } = this.request;
    if (item !== undefined && item > 0) throw new RangeError('The layer is no loop: it has no items.');
    return { ...(await this.render(scopeOf(this.work.call), idempotencyKeyOf(this.work))), item: null };
  }

  private get index(): number {
    return this.request.item ?? this.failed ?? 0;
  }

  private render(scope: ExpressionScope, seed: string, why: WhyLost = () => undefined): Promise<RenderedArgs> {
    const whyLost: WhyLost = (read) => this.whyLost(read) ?? why(read);
    return renderArgs({ work: this.work, scope, use: this.useFor(seed), whyLost });
  }

  private useFor(seed: string): SandboxUse {
    return sandboxUse(this.work, this.services, seed);
  }

  private async ofItem(): Promise<Rendered> {
    const { work, index: item } = this;
    const { items: list } = work.layer;
    if (!list) throw new RangeError('the layer has no loop');
    let reason = whyNodeLost(list.node, this.whyLost);
    let items: readonly unknown[] | null = null;
    if (reason === undefined) {
      items = await itemsOf(work, list, this.services).catch((error: unknown) => {
        reason = toLayerFailure(error).message;
        return null;
      });
    }
    if (items?.length === 0 && this.request.item === undefined) {
      return { ...notKnown(work, null, 'The list of the loop is empty: there was no call.'), item: null };
    }
    if (items && item >= items.length) throw new RangeError(`The loop has ${items.length} items, counted from 0.`);
    const scope = { ...scopeOf(work.call), index: item, ...(items && { item: items[item] }) };
    const rendered = await this.render(scope, idempotencyKeyOf(work, item), ({ root }) =>
      root === 'item' ? reason : undefined,
    );
    return { ...rendered, item, ...(items && { each: { value: items[item], of: items.length } }) };
  }

  private async ofRound(): Promise<Rendered> {
    const { work, index: item } = this;
    const out = item === 0 ? null : (await this.entries()).get(item - 1)?.[0]?.out;
    const scope = { ...scopeOf(work.call), repeat: { index: item, out: out ?? null } };
    const reason =
      out === undefined ? `The output of round ${item - 1} is not kept: that of a later round is.` : undefined;
    const rendered = await this.render(scope, idempotencyKeyOf(work, item), ({ root, steps }) =>
      root === 'repeat' && steps[0] !== 'index' ? reason : undefined,
    );
    return { ...rendered, item };
  }

  private async ofPage(paging: Paging<unknown>): Promise<Rendered> {
    const { work, index: item } = this;
    const first = await this.render(scopeOf(work.call), idempotencyKeyOf(work));
    if (item === 0 || first.unresolved.length > 0) return { ...first, item };
    const parsed = work.layer.module?.argsSchema.safeParse(first.args);
    if (!parsed?.success) return { ...notKnown(work, item, 'The arguments of the first page cannot be read.'), item };
    const found = await this.followed(paging, parsed.data, item);
    if ('reason' in found) return { ...notKnown(work, item, found.reason), item };
    const { args, changed } = following(first.args, parsed.data, found.args);
    const expressions = Object.entries(first.expressions).filter(
      ([pointer]) => !changed.has(pointer.split('/')[1] ?? ''),
    );
    return { args, expressions: Object.fromEntries(expressions), unresolved: [], item };
  }

  /** The arguments of that page: each follows from the page before it. */
  private async followed(
    paging: Paging<unknown>,
    first: unknown,
    item: number,
  ): Promise<{ readonly args: unknown } | { readonly reason: string }> {
    const pages = await this.pages();
    let args = first;
    for (let index = 1; index <= item; index += 1) {
      const page = pages(index - 1, digestOf(paging.identityOf(args)));
      if (!page) return { reason: `Page ${index - 1}, from which page ${index} follows, is not kept.` };
      try {
        const values = await valuesAfterPage(this.work, this.services, index - 1, page);
        const next: unknown = paging.following(first, args, page, values);
        if (next === null) throw new RangeError(`The answer has ${index} pages, counted from 0.`);
        args = next;
      } catch (error) {
        if (error instanceof RangeError) throw error;
        return { reason: toLayerFailure(error).message };
      }
    }
    return { args };
  }

  private async pages(): Promise<(index: number, digest: string) => Output | undefined> {
    const { result } = this;
    if (result?.state === 'DONE') {
      const out = (await this.request.outputOf(result)) as { readonly pages?: readonly Output[] } | undefined;
      return (index) => out?.pages?.[index];
    }
    const entries = await this.entries();
    return (index, digest) => entries.get(index)?.find((each) => each.digest === digest)?.out as Output | undefined;
  }

  /** Of a loop that is not done: what it has stored. */
  private async entries() {
    const { work, result } = this;
    const left = result?.doneItems ?? work.call.play.doneItems?.[work.call.position];
    const payloads = new MemoryPayloads({ open: this.request.open });
    return left ? earlierEntries(work, left, payloads).catch(() => NO_ENTRIES) : NO_ENTRIES;
  }
}

const NO_ENTRIES: Awaited<ReturnType<typeof earlierEntries>> = new Map();

/** The arguments of the first page with those fields changed that the module changes for a later one. */
function following(shown: unknown, first: unknown, args: unknown) {
  const before = first as Readonly<Record<string, unknown>>;
  const fields = Object.entries(args as object).filter(
    ([name, value]) => Object.hasOwn(before, name) && !isDeepStrictEqual(value, before[name]),
  );
  return {
    args: { ...(shown as object), ...Object.fromEntries(fields) },
    changed: new Set(fields.map(([name]) => name)),
  };
}
