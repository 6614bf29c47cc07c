/** Plays a version in memory, with the engine's own decisions and the real layer runner; nothing leaves the process. */
import type { PlayError } from '@weft/contracts';
import {
  applyWrite,
  nextStep,
  onConditionChecked,
  onLayerEnded,
  onLayersStarted,
  onWriteStored,
  startSession,
  type LayerResult,
  type Play,
  type Session,
} from '@weft/engine';
import type { LayerError } from '@weft/expressions';
import type { Sandbox } from '@weft/sandbox';
import { setImmediate as turn } from 'node:timers/promises';
import { InlineBudget } from '../memory/inline-budget.js';
import { errorOf, type LayerCall } from '../call/layer-call.js';
import type { LayerPayloads } from '../call/layer-payloads.js';
import { LayerRunner, type LayerEnd } from '../call/layer-runner.js';
import type { PreparedVersion } from '../call/prepared-version.js';

export interface RehearsalMeans {
  readonly sandbox: Pick<Sandbox, 'run'>;
  /** When it is aborted, no further layer runs. */
  readonly signal: AbortSignal;
  readonly payloads: LayerPayloads;
  /** Gives the end that counts for the play instead of the one of the call. */
  readonly settle: (end: LayerEnd, ref: string) => LayerEnd;
}

const ME = 'dry-run:1';

/** After this time the event loop handles other work. */
const TURN_MS = 10;

const TIME_IS_OVER = { code: 'play_timeout', message: 'The dry run took too long: its time is over.' };

/** The end of a play whose time was over. */
export function timeIsOver(ref: string | null): { readonly state: 'FAIL'; readonly error: PlayError } {
  return { state: 'FAIL', error: { ...TIME_IS_OVER, ref } };
}

export const NO_WAY_OUT = {
  request: () => Promise.reject(new Error('a dry run calls nobody')),
  close: () => Promise.resolve(),
};

/** One play in memory, from its beginning to its end. */
export class Rehearsal {
  readonly outputs = new Map<string, unknown>();
  private readonly errors = new Map<string, LayerError>();
  private readonly runner: LayerRunner;
  private readonly inlineBudget = new InlineBudget();
  private session: Session;
  private turnAtMs = performance.now();

  constructor(
    private readonly prepared: PreparedVersion,
    private play: Play,
    private readonly now: Date,
    private readonly means: RehearsalMeans,
  ) {
    const { sandbox, payloads } = means;
    this.runner = new LayerRunner({ sandbox, http: NO_WAY_OUT, payloads, serverNow: () => now.getTime() });
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
      if (outcome.kind !== 'result') continue;
      const { result } = outcome;
      const error = errorOf(result);
      this.outputs.set(result.ref, out ?? null);
      if (error) this.errors.set(result.ref, error);
    }
  }

  private async endOf(position: number): Promise<LayerEnd> {
    if (performance.now() - this.turnAtMs > TURN_MS) {
      await turn();
      this.turnAtMs = performance.now();
    }
    if (this.means.signal.aborted) return { outcome: this.notCalled(position), out: null };
    return this.means.settle(await this.runner.run(this.callOf(position)), this.prepared.plan[position]?.ref ?? '');
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
      errors: this.errors,
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
}
