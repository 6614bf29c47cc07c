import type { LayerOutcome, LayerResult } from '@weft/engine';
import { evaluate, isTruthy, type Scope } from '@weft/expressions';
import { cutText } from '@weft/kernel';
import {
  LayerFailure,
  type Asked,
  type LayerContext,
  type StartingModule,
  type Steering,
  type WaitingModule,
  type WorkingModule,
} from '../layer-module.js';
import { storageFor } from '../stored/content.js';
import { asFailure, internalCause } from './failure.js';
import { ItemFailure, runForEach } from './for-each.js';
import { scopeOf, workOf, type LayerCall, type LayerWork } from './layer-call.js';
import { NO_OUTPUT, remembered, storeOutput } from './layer-outputs.js';
import type { LayerPayloads } from './layer-payloads.js';
import { argsOf, callModule, callStarting, keyOf, sandboxUse } from './module-call.js';
import { computed, type SandboxUse } from './call-sandbox.js';
import { outsideOf, type GivenOutside, type Outside } from './outside.js';
import { ProgressTeller } from './progress-teller.js';
import { answerOf, StoredReads, withStoredReads } from './stored-reads.js';
import { UnfinishedLoops } from './unfinished-loops.js';

/** Of the world outside, what is not given is not there. */
export interface LayerRunnerOptions extends GivenOutside {
  readonly payloads: LayerPayloads;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  /** Of stored outputs, what the layers that run here hold at once; default 256 MiB, at least twice what one layer may read. */
  readonly heldBytes?: number;
  /** Told of faults that are not the layer's: what they say is not for who wrote it. */
  readonly onFault?: (call: LayerCall, fault: unknown) => void;
}

/** How a call ended; `out` is what later expressions read, wherever it is stored. */
export interface LayerEnd {
  readonly outcome: LayerOutcome;
  readonly out: unknown;
}

/** Of an error: a play has it with the layer, in its log, and when it ends. */
const MAX_MESSAGE_BYTES = 4 * 1024;

const NOT_RUN = { state: 'FILTERED', ...NO_OUTPUT, attempts: 0 } as const;

/**
 * Makes one call of one layer: asks its condition, evaluates its arguments, calls its module (once, or for each item) within
 * its time limit, and puts a large output away.
 */
export class LayerRunner {
  private readonly unfinished = new UnfinishedLoops();

  private readonly outside: Outside;
  private readonly stored: StoredReads;

  constructor(private readonly options: LayerRunnerOptions) {
    this.outside = outsideOf(options);
    this.stored = new StoredReads(options.payloads, options.heldBytes);
  }

  /** Never rejects for the layer's sake: what went wrong is in the result. */
  run(call: LayerCall): Promise<LayerEnd> {
    const startedAt = call.wait?.since ?? this.now();
    return this.reading(call, startedAt, async (work) => {
      const applies = this.applies(work);
      if (!(applies instanceof Promise ? await applies : applies)) return this.end(work, startedAt, NOT_RUN);
      const { definition, module } = work.layer;
      if (!module) throw new LayerFailure('unknown_app', `There is no module "${definition.appId}" in this process.`);
      if (module.effect === 'park') return this.ask(work, module, startedAt);
      if (module.effect === 'start') return this.start(work, module, startedAt);
      return this.perform(work, module, startedAt);
    });
  }

  /** Asks only the layer's `when`: null when the layer is to run, else how it ended without a call. */
  check(call: LayerCall): Promise<LayerEnd | null> {
    const at = this.now();
    return this.reading(call, at, async (work) => ((await this.applies(work)) ? null : this.end(work, at, NOT_RUN)));
  }

  /** With what the layer reads of stored outputs, which is let go when it has ended. */
  private async reading<End>(
    call: LayerCall,
    startedAt: Date,
    act: (work: LayerWork) => Promise<End>,
  ): Promise<End | LayerEnd> {
    let work = workOf(call);
    let leave: (() => void) | undefined;
    try {
      ({ work, leave } = await withStoredReads(work, this.stored));
      return await act(work);
    } catch (error) {
      return await this.fail(work, startedAt, error);
    } finally {
      leave?.();
    }
  }

  /** An output that was put away and is not to be stored: its call is made again. What cannot be removed now is swept later. */
  async discard(
    { play, inlineRoom }: Pick<LayerCall, 'play' | 'inlineRoom'>,
    { out, outRef, doneItems }: LayerResult,
  ): Promise<void> {
    if (doneItems?.ref) await this.options.payloads.discard(play.company_id, doneItems.ref).catch(() => undefined);
    else if (doneItems) inlineRoom.giveBack(doneItems.text);
    if (outRef) await this.options.payloads.discard(play.company_id, outRef).catch(() => undefined);
    else inlineRoom.giveBack(out);
  }

  private async ask(work: LayerWork, module: WaitingModule<unknown>, since: Date): Promise<LayerEnd> {
    const { call } = work;
    const args = await argsOf(work, module, scopeOf(call), this.useFor(work));
    const answer = await answerOf(call, this.options.payloads);
    const asked = module.ask(args, { since, wait: call.wait, answer, now: this.now() });
    return this.asked(work, asked, since);
  }

  private async start(work: LayerWork, module: StartingModule<unknown>, since: Date): Promise<LayerEnd> {
    const scope = scopeOf(work.call);
    const args: unknown = await argsOf(work, module, scope, this.useFor(work));
    const call = { work, module, args, scope, idempotencyKey: keyOf(work), storage: null, progress: () => undefined };
    return this.asked(work, await callStarting(call, this.outside), since);
  }

  private async asked(work: LayerWork, asked: Asked, since: Date): Promise<LayerEnd> {
    const { call, layer } = work;
    if ('wait' in asked) {
      const wait = { ...asked.wait, position: call.position, ref: layer.definition.ref, since };
      return { outcome: { kind: 'wait', wait }, out: null };
    }
    const stored = await storeOutput(work, asked.done, this.options.payloads);
    return this.end(work, since, { state: 'DONE', ...stored }, asked.done);
  }

  private async perform(work: LayerWork, module: WorkingModule<unknown>, startedAt: Date): Promise<LayerEnd> {
    const { position, attempt, progress } = work.call;
    if (!progress) return this.performTelling(work, module, startedAt, () => undefined);
    const teller = new ProgressTeller((percent, status) => progress({ position, attempt, percent, status }));
    try {
      return await this.performTelling(work, module, startedAt, teller.say);
    } finally {
      teller.end();
    }
  }

  private async performTelling(
    work: LayerWork,
    module: WorkingModule<unknown>,
    startedAt: Date,
    progress: LayerContext['progress'],
  ): Promise<LayerEnd> {
    const { outside, options } = this;
    const { payloads } = options;
    const { call, layer } = work;
    if (layer.items) {
      const deps = { outside, payloads, unfinished: this.unfinished, progress };
      const outs = await runForEach(work, layer.items, module, deps);
      return this.end(work, startedAt, { state: 'DONE', ...(await storeOutput(work, outs, payloads)) }, outs);
    }
    const scope = scopeOf(call);
    const evaluated = argsOf(work, module, scope, this.useFor(work));
    const args: unknown = evaluated instanceof Promise ? await evaluated : evaluated;
    const of = { companyId: call.play.company_id, flowId: call.play.flowId, playId: call.play._id };
    const storage = storageFor(() => payloads.upload(of), work.maxOutputBytes);
    const out = await callModule(
      { work, module, args, scope, idempotencyKey: keyOf(work), storage, progress },
      outside,
    );
    const stored = await storeOutput(work, out, payloads);
    const then = module.steer?.(args, out);
    const state = then && 'filterRest' in then ? 'FILTERED' : 'DONE';
    return this.end(work, startedAt, { state, ...stored }, remembered(out, stored), then);
  }

  private async fail(work: LayerWork, startedAt: Date, error: unknown): Promise<LayerEnd> {
    const failure = asFailure(error);
    const { code, out } = failure;
    const message = cutText(failure.message, MAX_MESSAGE_BYTES);
    const fault = internalCause(failure);
    if (fault !== undefined) this.options.onFault?.(work.call, fault);
    const kept = out ? await storeOutput(work, out, this.options.payloads).catch(() => NO_OUTPUT) : NO_OUTPUT;
    const item = error instanceof ItemFailure ? error : null;
    const attempts = item?.attempts ?? work.call.attempt;
    const doneItems = item?.doneItems && { doneItems: item.doneItems };
    return this.end(
      work,
      startedAt,
      { state: 'FAIL', ...kept, ...doneItems, attempts, error: { code, message } },
      remembered(out, kept),
    );
  }

  private end(
    { call, layer, kvUse }: LayerWork,
    startedAt: Date,
    ended: Pick<LayerResult, 'state' | 'out' | 'outRef' | 'outBytes' | 'error' | 'doneItems'> & {
      readonly attempts?: number;
    },
    out: unknown = null,
    then?: Steering,
  ): LayerEnd {
    const kv = kvUse();
    const result: LayerResult = {
      position: call.position,
      ref: layer.definition.ref,
      name: layer.definition.name,
      startedAt,
      attempts: call.attempt,
      by: call.by,
      ...ended,
      ...(kv && { kv }),
      completedAt: new Date(Math.max(startedAt.getTime(), this.options.serverNow())),
    };
    return { outcome: { kind: 'result', result, ...(then && { then }) }, out };
  }

  /** Whether the layer's `when` lets it run; a layer that waits already was let. */
  private applies(work: LayerWork): boolean | Promise<boolean> {
    const { call, layer } = work;
    const { when } = layer;
    if (!when || call.wait) return true;
    const { onMissing } = call.prepared.version.settings;
    const judge = (scope: Scope): boolean => isTruthy(evaluate(when, scope, { onMissing }));
    const scope = computed(when, scopeOf(call), sandboxUse(work, this.options.sandbox, `${keyOf(work)}.when`));
    return scope instanceof Promise ? scope.then(judge) : judge(scope);
  }

  private useFor(work: LayerWork): SandboxUse {
    return sandboxUse(work, this.options.sandbox, keyOf(work));
  }

  private now(): Date {
    return new Date(this.options.serverNow());
  }
}
