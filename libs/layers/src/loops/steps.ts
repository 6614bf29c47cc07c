/**
 * A layer that works in steps: the end of each is stored before the next one begins, by a write that proves that the play is still
 * this worker's. What is stored is never done again (docs/protocol.md §4 "Steps", ADR 129).
 */
import { mayRetry, type DoneItems, type LayerWait } from '@weft/engine';
import { setImmediate as turn } from 'node:timers/promises';
import { LayerFailure, type LayerContext, type Output, type PlayEnd } from '../layer-module.js';
import type { AskStep, CallStep, StartStep, Step, SteppingModule } from '../stepping-module.js';
import { PausedCall } from '../call/call-gate.js';
import { internalCause, toLayerFailure } from '../call/failure.js';
import { scopeOf, type PreparedCall } from '../call/layer-call.js';
import { asJson, assertBytes } from '../call/layer-outputs.js';
import { argsOf, idempotencyKeyOf, inContext, sandboxUse } from '../call/module-call.js';
import type { ModuleServices } from '../call/module-services.js';
import { peerOf } from '../call/peer-answer.js';
import { isOfItem } from './collected-item.js';
import { bytesOf, digestOf, earlierEntries, type EarlierEntry } from './done-items.js';
import type { LoopDeps } from './for-each.js';
import { attemptItem, ItemFailure, type ItemEnd } from './item-attempts.js';
import { LoopGate } from './loop-gate.js';
import { PausedSeries } from './series.js';
import { StepKeeper } from './step-keeper.js';
import { StepNotes } from './step-notes.js';
import { newLoop, type LoopState } from './unfinished-loops.js';

export type StepsEnd = { readonly out: Output } | { readonly wait: LayerWait };

/** @throws ItemFailure of the step that failed, PausedSeries when the layer goes on later; as `argsOf` */
export async function runSteps(work: PreparedCall, module: SteppingModule<unknown>, deps: LoopDeps): Promise<StepsEnd> {
  const { play, position } = work.call;
  const use = sandboxUse(work, deps.services, idempotencyKeyOf(work));
  const args: unknown = await argsOf(work, module, scopeOf(work.call), use);
  const left = play.doneItems?.[position];
  await deps.memory.reserve(bytesOf(left));
  const earlier = left ? await earlierEntries(work, left, deps.payloads) : new Map<number, EarlierEntry[]>();
  return new StepsRun(work, module, args, { left, earlier }, deps).run();
}

/** After this time the event loop handles other work. */
const TURN_MS = 10;

class StepsRun {
  private readonly state: LoopState = newLoop(0);
  private readonly keeper: StepKeeper;
  private readonly digests: string[] = [];
  private readonly services: ModuleServices;
  private answer: { readonly payload: unknown } | null;
  /** A step has ended in this call of the layer: the attempts of the layer before were not of the steps that follow. */
  private hasMovedOn = false;
  /** Steps that have started plays: those whose plays are open, and those whose ends are known. */
  private open: number[] = [];
  private readonly collected: number[] = [];
  private readonly notes: StepNotes;

  constructor(
    private readonly work: PreparedCall,
    private readonly module: SteppingModule<unknown>,
    private readonly args: unknown,
    private readonly before: {
      readonly left: DoneItems | undefined;
      readonly earlier: ReadonlyMap<number, readonly EarlierEntry[]>;
    },
    private readonly deps: LoopDeps,
  ) {
    const { call } = work;
    const { gate } = deps.services;
    const paused = gate && new LoopGate(gate, call.play.waits?.[call.position]?.destination);
    this.services = { ...deps.services, gate: paused, loop: deps.memory };
    this.notes = new StepNotes(work, this.services.steps);
    this.answer = call.answer;
    this.keeper = new StepKeeper(work, this.state, (index) => this.digests[index], deps.payloads);
    if (before.left) {
      const { begun: _begun, ...items } = before.left;
      this.state.packed.items = items;
    }
    deps.memory.watch(this.state);
  }

  async run(): Promise<StepsEnd> {
    try {
      for (let turnAtMs = performance.now(); ;) {
        const next = this.module.next(this.args, this.outs);
        if ('end' in next) return { out: next.end };
        const wait = await this.make(next.steps);
        if (wait) return { wait };
        // a worker that takes over plans hundreds of steps that it does not make
        if (performance.now() - turnAtMs <= TURN_MS) continue;
        await turn();
        turnAtMs = performance.now();
      }
    } catch (error) {
      if (error instanceof PausedSeries) throw error;
      throw await this.settled(this.failureOf(error, this.outs.length));
    }
  }

  /** What the steps gave, up to the first one without an end. */
  private get outs(): readonly Output[] {
    const { outs, done } = this.state;
    return (
      outs.length === done
        ? outs
        : outs.slice(
            0,
            outs.findIndex((_, i) => !(i in outs)),
          )
    ) as Output[];
  }

  /** Makes these steps, except those that were made before. */
  private async make(steps: readonly Step[]): Promise<LayerWait | null> {
    const first = this.outs.length;
    const planned = steps.map((step, i) => ({ step, index: first + i }));
    const left = planned.filter(({ step, index }) => !this.recall(index, step));
    if (left.length === 0) return null;
    if (this.work.call.leave?.aborted) throw await this.later({ waitMs: 0 });
    const [only] = left;
    if (only?.step.does === 'ask') return this.ask(only.index, only.step);
    this.open = [];
    const ends = await Promise.allSettled(left.map(async ({ step, index }) => this.perform(index, step)));
    const faults = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
    const fault = faults.find((one) => !(one instanceof PausedCall)) ?? faults[0];
    if (fault instanceof PausedCall) throw await this.later(fault);
    if (fault !== undefined) throw this.failureOf(fault, first);
    if (!(await this.keeper.settle())) throw await this.later({ waitMs: 0 });
    return this.open.length > 0 ? this.waitForPlays() : null;
  }

  /** Whether the step was made before. @throws LayerFailure `agent_diverged` */
  private recall(index: number, step: Step): boolean {
    const digest = digestOf(step.request);
    this.digests[index] = digest;
    const found = this.before.earlier.get(index);
    if (!found) return false;
    const entry = found.find((one) => one.digest === digest);
    if (!entry) {
      const message = `step ${index} is not what was done before at this place: the flow, a tool or Weft has changed since. Run the flow anew.`;
      throw new LayerFailure('agent_diverged', message);
    }
    const { state } = this;
    state.bytes += entry.bytes;
    this.put(index, entry.out as Output);
    state.packed.indexes.add(index);
    state.packed.saved = state.done;
    if (step.does === 'start') this.collected.push(index);
    return true;
  }

  private async perform(index: number, step: Step): Promise<void> {
    this.deps.progress(step.percent, step.status);
    if (step.does === 'call') return this.call(index, step);
    if (step.does === 'start') return this.start(index, step);
    throw new TypeError('a step that asks is the only one of its time');
  }

  private async call(index: number, step: CallStep): Promise<void> {
    const { keeper, services } = this;
    if (!step.isOnce) {
      const ended = await this.attempt(index, step, (context) => step.run(context), services);
      if (ended instanceof PausedCall) throw ended;
      const isLater = ended instanceof ItemFailure && this.mayBeTriedLater(ended);
      if (isLater) throw ended;
      return this.end(index, step, ended, step.failed?.bind(step));
    }
    if (this.before.left?.begun?.includes(index)) {
      const message = `step ${index} (${step.status}): the worker was lost during this call, and its onInterrupted is "fail": it was not made again.`;
      throw new LayerFailure('interrupted', message);
    }
    keeper.begun.add(index);
    try {
      if (!(await keeper.settle())) return;
      const gate = this.deps.services.gate && new LoopGate(this.deps.services.gate, undefined);
      gate?.stay();
      const ended = await this.attempt(index, step, (context) => step.run(context), { ...services, gate });
      if (ended instanceof PausedCall) throw ended;
      keeper.begun.delete(index);
      return await this.end(index, step, ended, step.failed?.bind(step));
    } finally {
      keeper.begun.delete(index);
    }
  }

  private async start(index: number, step: StartStep): Promise<void> {
    const started = (context: LayerContext) => context.plays.start({ ...step.play, awaited: true });
    const ended = await this.attempt(index, step, async (context) => ({ ...(await started(context)) }), this.services);
    if (ended instanceof PausedCall) throw ended;
    if (ended instanceof ItemFailure) {
      if (this.mayBeTriedLater(ended)) throw ended;
      return this.end(index, step, ended, step.failed.bind(step));
    }
    const end = ended.out.ended as PlayEnd | null;
    if (!end) return void this.open.push(index);
    this.collected.push(index);
    return this.end(index, step, { ...ended, out: step.ended(end) });
  }

  private attempt(
    index: number,
    step: Step,
    act: (context: LayerContext) => Promise<Output>,
    services: ModuleServices,
  ): Promise<ItemEnd> {
    const { work, deps } = this;
    const idempotencyKey = idempotencyKeyOf(work, index);
    const { progress } = deps;
    const facts = { work, scope: scopeOf(work.call), idempotencyKey, storage: null, item: index, progress };
    const goesOn = () => !work.call.signal.aborted;
    const item = { work, noun: 'step', index, attempt: this.attemptNumber, serverNow: deps.serverNow, goesOn } as const;
    const recorded = async (context: LayerContext): Promise<Output> => {
      await this.notes.aboutToCall(index, step, idempotencyKey);
      return act(context);
    };
    return attemptItem({ ...item, call: () => inContext(facts, services, recorded) });
  }

  /** Of the first call for a step. */
  private get attemptNumber(): number {
    return this.hasMovedOn ? 1 : this.work.call.attempt;
  }

  private async end(
    index: number,
    step: Step,
    ended: Exclude<ItemEnd, PausedCall>,
    failed?: (failure: LayerFailure) => Output,
  ): Promise<void> {
    if (ended instanceof ItemFailure) {
      const cause = ended.cause as LayerFailure;
      const isLost = this.work.call.signal.aborted;
      if (!isLost) this.notes.failed(step);
      if (!failed || !isOfItem(cause) || isLost) throw ended;
      const fault = internalCause(cause);
      if (fault !== undefined) this.deps.onFault(fault);
      this.add(index, failed(cause));
    } else {
      this.add(index, ended.out);
      this.notes.ended(step, ended.out);
    }
    await this.keeper.settle();
  }

  private async ask(index: number, step: AskStep): Promise<LayerWait | null> {
    const { keeper, answer, work } = this;
    this.answer = null;
    keeper.hasOldAnswer ||= answer !== null;
    if (answer && (answer.payload as { readonly step?: unknown }).step === index) {
      const { decision } = answer.payload as { readonly decision?: unknown };
      this.notes.decided(step, decision);
      this.add(index, step.answered(answer.payload));
    }
    if (!(await keeper.settle())) throw await this.later({ waitMs: 0 });
    if (index in this.state.outs) return null;
    this.deps.progress(step.percent, step.status);
    return { ...this.waitAt(work, index), kind: 'approval', approval: step.approval };
  }

  private async waitForPlays(): Promise<LayerWait> {
    const { work, open, collected, deps } = this;
    const { play, position } = work.call;
    if (collected.length > 0) await deps.services.plays.collected(play, position, collected);
    const children = { open: open.length, wakeAfter: open.length, upTo: Math.max(...open) };
    return { ...this.waitAt(work, Math.min(...open)), kind: 'children', children };
  }

  private waitAt({ call, layer }: PreparedCall, step: number) {
    const since = new Date(this.deps.serverNow());
    return { position: call.position, ref: layer.definition.ref, since, until: null, step };
  }

  private add(index: number, out: Output): void {
    const { state } = this;
    const json = asJson(out);
    const bytes = state.bytes + Buffer.byteLength(json) + 1;
    assertBytes(bytes + 1, this.work);
    state.bytes = bytes;
    this.keeper.know(index, json);
    this.put(index, out);
    this.hasMovedOn = true;
  }

  private put(index: number, out: Output): void {
    this.state.outs[index] = out;
    this.state.done += 1;
  }

  private async later(pause: PausedSeries['pause']): Promise<PausedSeries> {
    return new PausedSeries(pause, await this.keeper.packAll(), this.hasMovedOn);
  }

  private failureOf(error: unknown, index: number): ItemFailure {
    if (error instanceof ItemFailure) return error;
    return new ItemFailure('step', index, this.attemptNumber, toLayerFailure(error));
  }

  private mayBeTriedLater(failure: ItemFailure): boolean {
    const { retry } = this.work.layer.definition;
    return mayRetry(retry, failure.attempts, failure.code, peerOf(failure, this.deps.serverNow()));
  }

  /** The failure with what it leaves: to the next attempt, to a retry of the play, or to the layers after this one. */
  private async settled(failure: ItemFailure): Promise<ItemFailure> {
    const { work, keeper, module, args } = this;
    const { attempts, code } = failure;
    if (work.call.signal.aborted) return failure;
    const stored = await keeper.packAll().catch(() => undefined);
    if (this.mayBeTriedLater(failure)) return failure.with({ attempts, keptItems: stored });
    const out = module.soFar(args, this.outs, code);
    return failure.with({ attempts, out, ...(work.layer.definition.onError !== 'continue' && { doneItems: stored }) });
  }
}
