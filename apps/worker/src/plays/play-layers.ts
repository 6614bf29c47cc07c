import {
  layerInputsOf,
  outOf,
  slotWaitMs,
  type DoneItems,
  type LayerOutcome,
  type LayerResult,
  type Play,
  type Session,
  type StoredStep,
} from '@weft/engine';
import {
  errorOf,
  InlineBudget,
  UnloadedOutput,
  type LayerCall,
  type LayerRunner,
  type PreparedVersion,
} from '@weft/layers';
import type { LayerError } from '@weft/expressions';
import type { PlayEvents } from './play-events.js';

/** The latest large outputs of together at most this size stay in memory. Others are read from the payload store. */
const LOADED_BYTES = 4 * 1024 * 1024;

/** Runs the layers of one play in this worker, and keeps the outputs of those that have ended. */
export class PlayLayers {
  /** By ref; large ones that are not in memory as `UnloadedOutput`. */
  private readonly outputs = new Map<string, unknown>();
  private readonly errors = new Map<string, LayerError>();
  private readonly large = new Map<string, UnloadedOutput>();
  readonly inlineBudget = new InlineBudget();

  constructor(
    private readonly runner: Pick<LayerRunner, 'run' | 'check' | 'discard'>,
    readonly play: Play,
    private readonly prepared: PreparedVersion,
    private readonly call: Pick<LayerCall, 'signal' | 'by' | 'proven'> & {
      readonly keep?: (position: number, items: DoneItems, step?: StoredStep) => Promise<boolean>;
      /** For a call that begins now: see `LayerCall`. */
      readonly leave?: () => AbortSignal;
    },
    private readonly watchers: Pick<PlayEvents, 'publish' | 'say' | 'layersRecorded'>,
  ) {
    for (const result of play.layers) {
      this.know(result, outOf(result));
      this.inlineBudget.count(result.out);
    }
    for (const { text } of Object.values(play.doneItems ?? {})) if (text !== undefined) this.inlineBudget.count(text);
    for (const [ref, stored] of this.large) this.outputs.set(ref, stored);
  }

  run(session: Session, position: number): ReturnType<LayerRunner['run']> {
    return this.runner.run(this.callOf(session, position));
  }

  check(session: Session, position: number): ReturnType<LayerRunner['check']> {
    return this.runner.check(this.callOf(session, position));
  }

  /** Later expressions read the layer's output, and null for layers that were skipped. */
  learn(results: readonly LayerResult[], outcome: LayerOutcome | null, out: unknown): void {
    const own = outcome?.kind === 'result' ? outcome.result : null;
    for (const result of results) this.know(result, result.position === own?.position ? out : null);
    this.watchers.layersRecorded(this.play, results);
    // the call failed and is repeated
    if (own && !results.some(({ position }) => position === own.position)) void this.runner.discard(this, own);
  }

  /** Call it only while no call runs: calls read outputs. */
  unload(): void {
    let bytes = 0;
    for (const [ref, stored] of [...this.large].reverse()) {
      bytes += stored.ref.bytes;
      if (bytes > LOADED_BYTES) this.outputs.set(ref, stored);
    }
  }

  appIdOf(position: number): string {
    return this.prepared.layers[position]?.definition.appId ?? '';
  }

  private know(result: LayerResult, out: unknown): void {
    const { ref, outRef } = result;
    const error = errorOf(result);
    this.outputs.set(ref, out ?? null);
    if (error) this.errors.set(ref, error);
    if (outRef) this.large.set(ref, new UnloadedOutput(outRef));
  }

  private readonly progress: LayerCall['progress'] = (update) =>
    this.watchers.publish(this.play.company_id, { playId: this.play._id, ...update });

  private readonly says: LayerCall['says'] = (said) =>
    this.watchers.say(this.play.company_id, { playId: this.play._id, ...said });

  private callOf(session: Session, position: number): LayerCall {
    const { prepared, outputs, errors, inlineBudget, progress, says } = this;
    const play = playNow(this.play, session);
    const { attempt, wait, answer } = layerInputsOf(session, position);
    const { keep, leave, ...call } = this.call;
    const slotMs = slotWaitMs(session);
    const state = { play, prepared, outputs, errors, inlineBudget, ...(slotMs !== null && { slotMs }) };
    const keeping: Pick<LayerCall, 'keep'> | undefined = keep && {
      keep: (items, step) => keep(position, items, step && { position, ...step }),
    };
    const leaving = leave && { leave: leave() };
    return { ...state, position, attempt, wait, answer, progress, says, ...call, ...keeping, ...leaving };
  }
}

/** The play with what its loops have done and its layers wait for by now. */
function playNow(play: Play, { doneItems, waits }: Session): Play {
  const isAsRead = !play.doneItems && !play.waits && isEmpty(doneItems) && isEmpty(waits);
  return isAsRead ? play : { ...play, doneItems, waits };
}

function isEmpty(record: object): boolean {
  for (const _ in record) return false;
  return true;
}
