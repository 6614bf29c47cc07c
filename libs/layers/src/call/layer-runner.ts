import type { LayerOutcome, LayerResult } from '@weft/engine';
import { evaluate, isTruthy, type ExpressionScope } from '@weft/expressions';
import { cutText } from '@weft/kernel';
import {
  LayerFailure,
  type Output,
  type VisitResult,
  type LayerContext,
  type StartingModule,
  type Steering,
  type WaitingModule,
  type WorkingModule,
} from '../layer-module.js';
import type { SteppingModule } from '../stepping-module.js';
import { storageFor } from '../stored/content.js';
import { internalCause, MAX_MESSAGE_BYTES, toLayerFailure } from './failure.js';
import { PausedCall } from './call-gate.js';
import { peerOf } from './peer-answer.js';
import { runFanOut, waitForPlays } from '../loops/fan-out.js';
import type { LoopDeps } from '../loops/for-each.js';
import { HeldMemory, LoopMemory } from '../memory/held-memory.js';
import { ItemFailure } from '../loops/item-attempts.js';
import { runLoop } from '../loops/run-loop.js';
import { PausedSeries, waitAfter } from '../loops/series.js';
import { runSteps } from '../loops/steps.js';
import { scopeOf, prepareCall, type LayerCall, type PreparedCall } from './layer-call.js';
import { NO_OUTPUT, remembered, storeOutput } from './layer-outputs.js';
import type { LayerPayloads } from './layer-payloads.js';
import { argsOf, callModule, callStarting, idempotencyKeyOf, sandboxUse } from './module-call.js';
import { computed, type SandboxUse } from './call-sandbox.js';
import { moduleServices, type GivenModuleServices, type ModuleServices } from './module-services.js';
import { throttled } from './progress-throttle.js';
import { answerOf, StoredReads, withStoredReads } from './stored-reads.js';
import { UnfinishedLoops } from '../loops/unfinished-loops.js';

/** Services that are not given do not exist for modules. */
export interface LayerRunnerOptions extends GivenModuleServices {
  readonly payloads: LayerPayloads;
  /** MongoDB's clock, epoch ms. */
  readonly serverNow: () => number;
  /**
   * Bytes that the running layers hold at once, of stored outputs, of answers and of the results of loops; default 256 MiB of
   * each, at least four times what one layer may read.
   */
  readonly heldBytes?: number;
  /** Called with faults that are not the layer's: their messages are not for users. */
  readonly onFault?: (call: LayerCall, fault: unknown) => void;
}

/** How a call ended; `out` is what later expressions read, wherever it is stored. */
export interface LayerEnd {
  readonly outcome: LayerOutcome;
  readonly out: unknown;
}

const NOT_RUN = { state: 'FILTERED', ...NO_OUTPUT, attempts: 0 } as const;

/**
 * Makes one call of one layer: evaluates its condition and its arguments, calls its module (once, or for each item)
 * within its time limit, and stores a large output.
 */
export class LayerRunner {
  private readonly unfinished = new UnfinishedLoops();

  private readonly services: ModuleServices;
  private readonly stored: StoredReads;

  constructor(private readonly options: LayerRunnerOptions) {
    const memory = new HeldMemory(options.heldBytes);
    this.services = moduleServices({ ...options, memory, files: options.payloads.files ?? null });
    this.stored = new StoredReads(options.payloads, options.heldBytes);
  }

  /** Never rejects because of the layer: its failure is in the result. */
  run(call: LayerCall): Promise<LayerEnd> {
    const startedAt = call.wait?.since ?? this.now();
    return this.reading(call, startedAt, async (work) => {
      const applies = this.applies(work);
      if (!(applies instanceof Promise ? await applies : applies)) return this.end(work, startedAt, NOT_RUN);
      const { definition, module } = work.layer;
      if (!module) throw new LayerFailure('unknown_app', `There is no module "${definition.appId}" in this process.`);
      if (module.effect === 'park') return this.visit(work, module, startedAt);
      if (module.effect === 'start')
        return work.layer.items
          ? throttled(work.call, (progress) => this.fanOut(work, module, startedAt, progress))
          : this.start(work, module, startedAt);
      if (module.effect === 'steps')
        return throttled(work.call, (progress) => this.inSteps(work, module, startedAt, progress));
      return throttled(work.call, (progress) => this.perform(work, module, startedAt, progress));
    });
  }

  /** Evaluates only the layer's `when`: null when the layer has to run, else how it ended without a call. */
  check(call: LayerCall): Promise<LayerEnd | null> {
    const at = this.now();
    return this.reading(call, at, async (work) => ((await this.applies(work)) ? null : this.end(work, at, NOT_RUN)));
  }

  /** Runs `work` with the stored outputs that the layer reads, which are released when it has ended. */
  private async reading<End>(
    call: LayerCall,
    startedAt: Date,
    act: (work: PreparedCall) => Promise<End>,
  ): Promise<End | LayerEnd> {
    let work = prepareCall(call);
    let release: (() => void) | undefined;
    try {
      ({ work, leave: release } = await withStoredReads(work, this.stored));
      return await act(work);
    } catch (error) {
      return await this.fail(work, startedAt, error);
    } finally {
      release?.();
    }
  }

  /**
   * Removes a stored output that no play will refer to: its call is made again. What cannot be removed now is swept
   * later.
   */
  async discard(
    { play, inlineBudget }: Pick<LayerCall, 'play' | 'inlineBudget'>,
    { out, outRef, doneItems }: LayerResult,
  ): Promise<void> {
    // what was stored while the loop ran belongs to the play
    if (doneItems?.more) return;
    if (doneItems?.ref) await this.options.payloads.discard(play.company_id, doneItems.ref).catch(() => undefined);
    else if (doneItems) inlineBudget.release(doneItems.text);
    if (outRef) await this.options.payloads.discard(play.company_id, outRef).catch(() => undefined);
    else inlineBudget.release(out);
  }

  private async visit(work: PreparedCall, module: WaitingModule<unknown>, since: Date): Promise<LayerEnd> {
    const { call } = work;
    const args = await argsOf(work, module, scopeOf(call), this.useFor(work));
    const answer = await answerOf(call, this.options.payloads);
    const result = module.ask(args, { since, wait: call.wait, answer, now: this.now() });
    return this.endVisit(work, result, since);
  }

  private async start(work: PreparedCall, module: StartingModule<unknown>, since: Date): Promise<LayerEnd> {
    const scope = scopeOf(work.call);
    const args: unknown = await argsOf(work, module, scope, this.useFor(work));
    const call = {
      work,
      module,
      args,
      scope,
      idempotencyKey: idempotencyKeyOf(work),
      storage: null,
      progress: () => undefined,
    };
    const started = await callStarting(call, this.services);
    if ('done' in started) return this.endVisit(work, started, since);
    const children = { open: 1, wakeAfter: 1, playId: started.waitsFor };
    return { outcome: { kind: 'wait', wait: waitForPlays(work, children, since) }, out: null };
  }

  private async endVisit(work: PreparedCall, result: VisitResult, since: Date): Promise<LayerEnd> {
    const { call, layer } = work;
    if ('wait' in result) {
      const wait = { ...result.wait, position: call.position, ref: layer.definition.ref, since };
      return { outcome: { kind: 'wait', wait }, out: null };
    }
    const stored = await storeOutput(work, result.done, this.options.payloads);
    return this.end(work, since, { state: 'DONE', ...stored }, result.done);
  }

  private async fanOut(
    work: PreparedCall,
    module: StartingModule<unknown>,
    since: Date,
    progress: LayerContext['progress'],
  ): Promise<LayerEnd> {
    const { items } = work.layer;
    if (!items) throw new RangeError('the layer has no loop');
    return this.inLoop(work, progress, async (deps) => {
      const ended = await runFanOut(work, items, module, deps);
      if ('wait' in ended) return { outcome: { kind: 'wait', wait: ended.wait }, out: null };
      const stored = await storeOutput(work, ended.outs, this.options.payloads);
      return this.end(work, since, { state: 'DONE', ...stored }, ended.outs);
    });
  }

  private async inSteps(
    work: PreparedCall,
    module: SteppingModule<unknown>,
    since: Date,
    progress: LayerContext['progress'],
  ): Promise<LayerEnd> {
    return this.inLoop(work, progress, async (deps) => {
      const ended = await runSteps({ ...work, call: deps.memory.call }, module, deps);
      if ('wait' in ended) return { outcome: { kind: 'wait', wait: ended.wait }, out: null };
      const stored = await storeOutput(work, ended.out, this.options.payloads);
      return this.end(work, since, { state: 'DONE', ...stored }, ended.out);
    });
  }

  /** Until `run` has ended, the loop has the room that it needs. */
  private async inLoop<End>(
    work: PreparedCall,
    progress: LayerContext['progress'],
    run: (deps: LoopDeps) => Promise<End>,
  ): Promise<End> {
    const { services, options, unfinished } = this;
    const { payloads, serverNow } = options;
    const memory = new LoopMemory(services.memory, work);
    const onFault = (fault: unknown) => options.onFault?.(work.call, fault);
    try {
      return await run({ services, payloads, unfinished, memory, progress, serverNow, onFault });
    } finally {
      memory.release();
    }
  }

  private async perform(
    work: PreparedCall,
    module: WorkingModule<unknown>,
    startedAt: Date,
    progress: LayerContext['progress'],
  ): Promise<LayerEnd> {
    const { services, options } = this;
    const { payloads } = options;
    const { call, layer } = work;
    if (layer.items || layer.paging || layer.until) {
      const inLoop = await this.inLoop(work, progress, async (deps) => {
        const outs = await runLoop({ ...work, call: deps.memory.call }, module, deps);
        return outs && this.end(work, startedAt, { state: 'DONE', ...(await storeOutput(work, outs, payloads)) }, outs);
      });
      if (inLoop) return inLoop;
    }
    const scope = layer.definition.repeat ? { ...scopeOf(call), repeat: { index: 0, out: null } } : scopeOf(call);
    const evaluated = argsOf(work, module, scope, this.useFor(work));
    const args: unknown = evaluated instanceof Promise ? await evaluated : evaluated;
    const of = { companyId: call.play.company_id, flowId: call.play.flowId, playId: call.play._id };
    const storage = storageFor(() => payloads.upload(of), work.maxOutputBytes);
    const out = await callModule(
      { work, module, args, scope, idempotencyKey: idempotencyKeyOf(work), storage, progress },
      services,
    );
    const stored = await storeOutput(work, out, payloads);
    const then = module.steer?.(args, out);
    const state = then && 'filterRest' in then ? 'FILTERED' : 'DONE';
    return this.end(work, startedAt, { state, ...stored }, remembered(out, stored), then);
  }

  private async fail(work: PreparedCall, startedAt: Date, error: unknown): Promise<LayerEnd> {
    if (error instanceof PausedCall || error instanceof PausedSeries) {
      return { outcome: waitAfter(error, work, this.now()), out: null };
    }
    const failure = toLayerFailure(error);
    const { code, statusCode } = failure;
    const message = cutText(failure.message, MAX_MESSAGE_BYTES);
    const fault = internalCause(failure);
    if (fault !== undefined) this.options.onFault?.(work.call, fault);
    const item = error instanceof ItemFailure ? error : null;
    const out = failure.out ?? (item && refusedOf(item, work));
    const stored = out ? await storeOutput(work, out, this.options.payloads).catch(() => NO_OUTPUT) : NO_OUTPUT;
    const ended = this.end(
      work,
      startedAt,
      {
        state: 'FAIL',
        ...stored,
        ...(item?.doneItems && { doneItems: item.doneItems }),
        attempts: item?.attempts ?? work.call.attempt,
        error: { code, message, ...(statusCode !== undefined && { statusCode }), ...(item && { item: item.index }) },
      },
      remembered(out, stored),
    );
    const peer = peerOf(failure, this.options.serverNow());
    if (ended.outcome.kind !== 'result') return ended;
    const { keptItems: doneItems, failedUpTo }: Partial<ItemFailure> = item ?? {};
    const ofLoop = { ...(doneItems && { doneItems }), ...(failedUpTo !== undefined && { failedUpTo }) };
    return { ...ended, outcome: { ...ended.outcome, ...(peer && { peer }), ...ofLoop } };
  }

  private end(
    { call, layer, kvUse }: PreparedCall,
    startedAt: Date,
    ended: Pick<LayerResult, 'state' | 'out' | 'jsonFrom' | 'outRef' | 'outBytes' | 'error' | 'doneItems'> & {
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

  /** Whether the layer's `when` lets it run; a layer that is already waiting passed it before. */
  private applies(work: PreparedCall): boolean | Promise<boolean> {
    const { call } = work;
    const { when } = work.layer;
    if (!when || call.wait) return true;
    const { onMissing } = call.prepared.version.settings;
    const judge = (scope: ExpressionScope): boolean => isTruthy(evaluate(when, scope, { onMissing }));
    const scope = computed(when, scopeOf(call), this.useFor(work, '.when'));
    return scope instanceof Promise ? scope.then(judge) : judge(scope);
  }

  private useFor(work: PreparedCall, part = ''): SandboxUse {
    return sandboxUse(work, this.services, `${idempotencyKeyOf(work)}${part}`);
  }

  private now(): Date {
    return new Date(this.options.serverNow());
  }
}

/** What the failure of an item kept. Where the play goes on, later layers read the output of the loop. */
function refusedOf({ cause }: ItemFailure, { layer }: PreparedCall): Output | undefined {
  return cause instanceof LayerFailure && layer.definition.onError !== 'continue' ? cause.out : undefined;
}
