/** Runs a version in memory, with the engine's own decisions and the real layer runner; nothing leaves the process. */
import type { LayerState, PlayError, PlayState } from '@weft/contracts';
import {
  acceptPlay,
  onWriteStored,
  applyWrite,
  onLayerEnded,
  onLayersStarted,
  onConditionChecked,
  nextStep,
  startSession,
  type FlowVersion,
  type LayerResult,
  type Play,
  type Session,
} from '@weft/engine';
import type { Sandbox } from '@weft/sandbox';
import { setImmediate as turn } from 'node:timers/promises';
import type { LayerCall } from '../running/layer-call.js';
import { InlineBudget } from '../running/inline-budget.js';
import { LayerRunner, type LayerEnd } from '../running/layer-runner.js';
import type { PreparedVersion } from '../running/prepared-version.js';
import { MemoryPayloads } from './memory-payloads.js';
import { MISSING_FIXTURE, rehearse } from './rehearsed-version.js';

export interface DryRunRequest {
  readonly version: FlowVersion;
  readonly companyName: string;
  readonly args: Readonly<Record<string, unknown>>;
  /**
   * By ref: the whole output that a layer gives instead of running (for a layer with `forEach`, the list). Pure layers
   * without a fixture run for real.
   */
  readonly fixtures: Readonly<Record<string, unknown>>;
  readonly now: Date;
  /** Runs what users wrote; the caller closes it. */
  readonly sandbox: Pick<Sandbox, 'run'>;
  /** When it is aborted, no further layer runs, and the play is FAIL with `play_timeout`. */
  readonly signal?: AbortSignal;
}

export interface DryRunLayer {
  readonly ref: string;
  /** NEW: not reached. SKIP: of a branch that was not taken, or without a fixture. */
  readonly state: LayerState;
  readonly out: unknown;
  readonly error: { readonly code: string; readonly message: string } | null;
}

export interface DryRun {
  readonly state: PlayState;
  readonly error: PlayError | null;
  /** Every layer of the version, in order. */
  readonly layers: readonly DryRunLayer[];
  /**
   * Layers that would have called a service or waited, and have no fixture: the play continued without their output.
   */
  readonly missingFixtures: readonly string[];
}

const ME = 'dry-run:1';

/** After this time the event loop handles other work. */
const TURN_MS = 10;

/**
 * Never rejects because of the flow. Large flows take a while: the caller limits how many run at once, and for how
 * long.
 */
export async function dryRun(request: DryRunRequest): Promise<DryRun> {
  const { version, companyName, now, sandbox, signal = NEVER } = request;
  const missing: string[] = [];
  const fixtures = { outs: request.fixtures, incomplete: () => missing.length > 0 };
  const prepared = rehearse(version, companyName, fixtures);
  const rehearsal = new Rehearsal(prepared, newPlay(request), now, { signal, sandbox }, (ref) => missing.push(ref));
  const play = await rehearsal.toTheEnd();
  const results = new Map(play.layers.map((result) => [result.position, result]));
  return {
    ...(signal.aborted ? timedOut(play) : { state: play.state, error: play.error ?? null }),
    layers: version.layers.map(({ ref }, position) => shown(ref, results.get(position), rehearsal.outputs)),
    missingFixtures: missing,
  };
}

function timedOut({ error }: Play): Pick<DryRun, 'state' | 'error'> {
  return { state: 'FAIL', error: { ...TIME_IS_OVER, ref: error?.ref ?? null } };
}

const TIME_IS_OVER = { code: 'play_timeout', message: 'The dry run took too long: its time is over.' };

function newPlay({ version, args, now }: DryRunRequest): Play {
  return acceptPlay({
    playId: 'dry-run',
    companyId: version.companyId,
    flowId: version.flowId,
    version: version.version,
    args,
    idempotencyKey: null,
    dueAt: null,
    trigger: 'api',
    triggeredBy: null,
    serverNow: now,
  });
}

class Rehearsal {
  readonly outputs = new Map<string, unknown>();
  private readonly runner: LayerRunner;
  private readonly inlineBudget = new InlineBudget();
  private session: Session;
  private turnAtMs = performance.now();

  constructor(
    private readonly prepared: PreparedVersion,
    private play: Play,
    private readonly now: Date,
    private readonly means: { readonly sandbox: Pick<Sandbox, 'run'>; readonly signal: AbortSignal },
    private readonly onMissing: (ref: string) => void,
  ) {
    const { sandbox } = means;
    this.runner = new LayerRunner({
      sandbox,
      http: NO_WAY_OUT,
      payloads: new MemoryPayloads(),
      serverNow: () => now.getTime(),
    });
    const start = { epoch: play.epoch, redelivered: false, isProofFresh: true, ownerId: ME, at: now };
    const session = startSession(play, start, prepared.plan);
    if ('drop' in session) throw new Error(`a new play cannot be taken: ${session.drop}`);
    this.session = session;
  }

  async toTheEnd(): Promise<Play> {
    for (;;) {
      const step = nextStep(this.session, { isProofFresh: true, isStopping: false, at: this.now });
      if (step.kind === 'drop') return this.play;
      if (step.kind === 'write') {
        const written = applyWrite(this.play, step.write, this.now);
        if (!written) throw new Error(`the ${step.purpose} write of a dry run does not fit its play`);
        this.play = written;
        this.session = onWriteStored(this.session, step);
      } else if (step.kind === 'checkConditions') {
        for (const position of step.positions) {
          const end = await this.runner.check(this.callOf(position));
          this.goOn(onConditionChecked(this.session, position, end?.outcome ?? null));
        }
      } else if (step.kind === 'startLayers') {
        await this.call(step.positions);
      } else {
        throw new Error(`a dry run has nothing to ${step.kind}`);
      }
    }
  }

  /** Runs the layers of a stage one after the other; as in a worker, none of them sees the output of another. */
  private async call(positions: readonly number[]): Promise<void> {
    this.session = onLayersStarted(this.session, positions, this.now);
    const ends: LayerEnd[] = [];
    for (const position of positions) ends.push(await this.endOf(position));
    for (const { outcome, out } of ends) {
      this.goOn(onLayerEnded(this.session, outcome));
      if (outcome.kind === 'result') this.outputs.set(outcome.result.ref, out ?? null);
    }
  }

  private async endOf(position: number): Promise<LayerEnd> {
    if (performance.now() - this.turnAtMs > TURN_MS) {
      await turn();
      this.turnAtMs = performance.now();
    }
    if (this.means.signal.aborted) return { outcome: this.notCalled(position), out: null };
    return this.withoutFixture(await this.runner.run(this.callOf(position)));
  }

  /** A skipped layer reads as null. */
  private goOn(session: Session): void {
    for (const { ref } of session.unstoredResults.slice(this.session.unstoredResults.length))
      this.outputs.set(ref, null);
    this.session = session;
  }

  private callOf(position: number): LayerCall {
    return {
      play: this.play,
      prepared: this.prepared,
      position,
      attempt: 1,
      wait: null,
      answer: null,
      outputs: this.outputs,
      inlineBudget: this.inlineBudget,
      signal: this.means.signal,
      by: ME,
    };
  }

  private notCalled(position: number): { readonly kind: 'result'; readonly result: LayerResult } {
    const { ref, name } = this.prepared.plan[position] ?? { ref: '', name: '' };
    const times = { startedAt: this.now, completedAt: this.now };
    const ended = { state: 'FAIL', out: null, outBytes: 0, attempts: 0, by: ME, error: TIME_IS_OVER } as const;
    return { kind: 'result', result: { position, ref, name, ...times, ...ended } };
  }

  private withoutFixture(end: LayerEnd): LayerEnd {
    const { outcome } = end;
    if (outcome.kind === 'wait' || outcome.result.error?.code !== MISSING_FIXTURE) return end;
    const { error: _error, ...result } = outcome.result;
    this.onMissing(result.ref);
    return { outcome: { kind: 'result', result: { ...result, state: 'SKIP', attempts: 0 } }, out: null };
  }
}

const NEVER = new AbortController().signal;

const NO_WAY_OUT = {
  request: () => Promise.reject(new Error('a dry run calls nobody')),
  close: () => Promise.resolve(),
};

function shown(ref: string, result: LayerResult | undefined, outputs: ReadonlyMap<string, unknown>): DryRunLayer {
  if (!result) return { ref, state: 'NEW', out: null, error: null };
  return { ref, state: result.state, out: outputs.get(ref) ?? null, error: result.error ?? null };
}
