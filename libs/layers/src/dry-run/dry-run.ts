/** Runs a version in memory, with the engine's own decisions and the real layer runner; nothing leaves the process. */
import type { LayerState, PlayError, PlayState } from '@weft/contracts';
import { acceptPlay, shownError, type FlowVersion, type LayerResult, type Play } from '@weft/engine';
import type { Sandbox } from '@weft/sandbox';
import type { Faces } from '../face.js';
import type { LayerEnd } from '../call/layer-runner.js';
import { MemoryPayloads } from './memory-payloads.js';
import { Rehearsal, timeIsOver } from './rehearsal.js';
import { asSkipped, isMissing, rehearse } from './rehearsed-version.js';

export interface DryRunRequest {
  readonly version: FlowVersion;
  readonly companyName: string;
  readonly args: Readonly<Record<string, unknown>>;
  /**
   * By ref: the whole output that a layer gives instead of running (for a layer with `forEach`, the list); for a layer that works in
   * steps maybe the recorded ends of its steps, `{ replay: […] }`. Pure layers without a fixture run for real.
   */
  readonly fixtures: Readonly<Record<string, unknown>>;
  /** What its layers name that the company has of its own; without it their input is not judged. */
  readonly faces?: Faces;
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
   * Layers that would have called a service or waited, and have no fixture: the play continued without their output. Of a layer whose
   * steps are replayed `<ref>.<tool>`, or `<ref>.model`: the call that was not recorded.
   */
  readonly missingFixtures: readonly string[];
}

/**
 * Never rejects because of the flow. Large flows take a while: the caller limits how many run at once, and for how
 * long.
 */
export async function dryRun(request: DryRunRequest): Promise<DryRun> {
  const { version, companyName, now, sandbox, signal = NEVER } = request;
  const missing: string[] = [];
  const fixtures = { outs: request.fixtures, missing };
  const prepared = rehearse(version, companyName, fixtures, request.faces);
  const settle = (end: LayerEnd): LayerEnd => (isMissing(end) ? asSkipped(end) : end);
  const means = { signal, sandbox, payloads: new MemoryPayloads(), settle };
  const rehearsal = new Rehearsal(prepared, newPlay(request), now, means);
  const play = await rehearsal.toTheEnd();
  const { outputs } = rehearsal;
  return { ...endOf(play, signal), layers: shownLayers(version, play, outputs), missingFixtures: missing };
}

/** How a rehearsed play ended. */
export function endOf({ state, error }: Play, signal: AbortSignal): Pick<DryRun, 'state' | 'error'> {
  return signal.aborted ? timeIsOver(error?.ref ?? null) : { state, error: error ?? null };
}

/** Every layer of the version, in order. */
export function shownLayers({ layers }: FlowVersion, play: Play, outputs: ReadonlyMap<string, unknown>): DryRunLayer[] {
  const results = new Map(play.layers.map((result) => [result.position, result]));
  return layers.map(({ ref }, position) => shown(ref, results.get(position), outputs));
}

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

const NEVER = new AbortController().signal;

function shown(ref: string, result: LayerResult | undefined, outputs: ReadonlyMap<string, unknown>): DryRunLayer {
  if (!result) return { ref, state: 'NEW', out: null, error: null };
  return { ref, state: result.state, out: outputs.get(ref) ?? null, error: shownError(result) };
}
