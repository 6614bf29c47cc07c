/** A play of one layer that works in steps, in workers that are killed: what it stores, and what it does outside. */
import type { DoneItems, LayerOutcome, LayerWait } from '@weft/engine';
import { aLayer, aPlay, aVersion, sandbox } from '@weft/testing';
import { InlineBudget } from '../memory/inline-budget.js';
import { LoopMemory, HeldMemory } from '../memory/held-memory.js';
import { prepareVersion } from '../call/prepared-version.js';
import { prepareCall, type LayerCall } from '../call/layer-call.js';
import { moduleServices, type GivenModuleServices } from '../call/module-services.js';
import type { Faces } from '../face.js';
import type { PlayEnd } from '../layer-module.js';
import type { SteppingModule } from '../stepping-module.js';
import { MemoryPayloads } from '../stored/memory-payloads.fixture.js';
import { PausedSeries, waitAfter } from './series.js';
import { runSteps, type StepsEnd } from './steps.js';
import { UnfinishedLoops } from './unfinished-loops.js';

const NOW = Date.parse('2026-01-01T00:00:00Z');

/** Where a worker dies: before its nth use of anything outside of it, or after it. */
export class Death {
  used = 0;

  constructor(
    private readonly at: number,
    private readonly abort: AbortController,
  ) {}

  /** A dead worker does nothing more, and hears of nothing. */
  async through<T>(act: () => Promise<T>): Promise<T> {
    await this.point();
    const made = await act();
    await this.point();
    return made;
  }

  private async point(): Promise<void> {
    this.used += 1;
    if (this.used < this.at) return;
    this.abort.abort(new Error('the worker died'));
    await new Promise(() => undefined);
  }
}

export interface StoredLayer {
  doneItems: DoneItems | undefined;
  wait: LayerWait | undefined;
  inbox: object | undefined;
  /** How often each write was stored. */
  writes: number;
}

export interface StepsWorld {
  readonly stored: StoredLayer;
  readonly payloads: MemoryPayloads;
  /** Plays by the step that started them. */
  readonly plays: Map<number, { readonly playId: string; starts: number; end: PlayEnd | null }>;
}

export function newWorld(): StepsWorld {
  const stored = { doneItems: undefined, wait: undefined, inbox: undefined, writes: 0 };
  return { stored, payloads: new MemoryPayloads(), plays: new Map() };
}

/** How one worker's call of the layer ended: `died`, or what the layer gave. */
export type Ended = 'died' | StepsEnd | { readonly later: LayerOutcome };

export interface RunOptions {
  /** The use of the outside at which the worker dies; default: none. */
  readonly diesAt?: number;
  readonly leave?: AbortSignal;
  readonly services?: (death: Death) => Partial<GivenModuleServices>;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly retry?: LayerCall['prepared']['version']['layers'][number]['retry'];
  readonly faces?: Faces;
}

/** @throws ItemFailure */
export async function runOnce<Args>(
  world: StepsWorld,
  module: SteppingModule<Args>,
  { diesAt = Number.POSITIVE_INFINITY, leave, services, args = {}, retry = null, faces }: RunOptions = {},
): Promise<{ readonly ended: Ended; readonly death: Death }> {
  const { stored, payloads, plays } = world;
  const abort = new AbortController();
  const death = new Death(diesAt, abort);
  const given = moduleServices({
    http: { close: async () => undefined, request: async () => Promise.reject(new Error('nobody is called')) },
    sandbox,
    plays: {
      start: async (_play, _position, _ask, item = -1) =>
        death.through(async () => {
          const play = plays.get(item) ?? { playId: `child-${item}`, starts: 0, end: null };
          if (!plays.has(item)) play.starts += 1;
          plays.set(item, play);
          return { playId: play.playId, state: play.end?.state ?? 'RUN', ended: play.end };
        }),
      collected: async () => undefined,
    },
    ...services?.(death),
  });
  const version = aVersion([aLayer('agent', { appId: 'agent', args, retry })]);
  const { doneItems, wait, inbox } = stored;
  const work = prepareCall({
    play: {
      ...aPlay({ companyId: 'c' }),
      ...(doneItems && { doneItems: { 0: doneItems } }),
      ...(wait && { waits: { 0: wait } }),
    },
    prepared: prepareVersion(version, 'Acme', undefined, faces),
    ...{ position: 0, attempt: 1, wait: wait ?? null, answer: inbox ? { payload: inbox } : null },
    ...{ outputs: new Map(), errors: new Map(), inlineBudget: new InlineBudget(), by: 'me', signal: abort.signal },
    ...(leave && { leave }),
    keep: (items, step) =>
      death.through(async () => {
        if (leave?.aborted) return false;
        stored.doneItems = structuredClone(items);
        stored.wait = undefined;
        stored.writes += 1;
        if (step?.takesAnswer) stored.inbox = undefined;
        return true;
      }),
  });
  const memory = new LoopMemory(new HeldMemory(), work);
  const run = runSteps({ ...work, layer: { ...work.layer, module } }, module, {
    ...{ services: given, payloads, unfinished: new UnfinishedLoops(), memory, progress: () => undefined },
    ...{ serverNow: () => NOW, onFault: () => undefined },
  });
  const died = new Promise<'died'>((resolve) => {
    abort.signal.addEventListener('abort', () => void setImmediate(() => resolve('died')));
  });
  const ended = await Promise.race([run, died]).catch((error: unknown) => {
    if (abort.signal.aborted) return 'died' as const;
    if (!(error instanceof PausedSeries)) throw error;
    return { later: waitAfter(error, work, new Date(NOW)) };
  });
  run.catch(() => undefined);
  if (ended !== 'died' && 'wait' in ended) stored.wait = ended.wait;
  if (ended !== 'died' && 'later' in ended && ended.later.kind === 'wait') {
    stored.wait = ended.later.wait;
    stored.doneItems = ended.later.doneItems ?? stored.doneItems;
  }
  return { ended, death };
}

/** What a person decides, as the API stores it. */
export function decide(world: StepsWorld, decision: 'approve' | 'reject'): void {
  const { step } = world.stored.wait ?? {};
  world.stored.inbox = { kind: 'approval', decision, by: 'user', comment: null, at: new Date(NOW).toISOString(), step };
}

/** The plays that are waited for end well. */
export function endPlays({ plays }: StepsWorld): void {
  for (const play of plays.values()) play.end ??= { playId: play.playId, state: 'DONE', out: { n: 1 }, error: null };
}
