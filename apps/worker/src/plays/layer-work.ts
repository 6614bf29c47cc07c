import { askOf, type LayerOutcome, type LayerResult, type Play, type Session } from '@weft/engine';
import { Unloaded, type LayerCall, type LayerRunner, type PreparedVersion } from '@weft/layers';

/** The layers of one play as this worker runs them, and what those that have ended gave. */
export class LayerWork {
  /** By ref; large ones of earlier hand-outs as `Unloaded`. */
  private readonly outputs = new Map<string, unknown>();
  /** Bytes of those that lie in the play document. */
  private inlineBytes = 0;

  constructor(
    private readonly runner: Pick<LayerRunner, 'run' | 'check'>,
    private readonly play: Play,
    private readonly prepared: PreparedVersion,
    private readonly call: Pick<LayerCall, 'signal' | 'by'>,
  ) {
    for (const result of play.layers) this.know(result, result.outRef ? new Unloaded(result.outRef) : result.out);
  }

  run(session: Session, position: number): ReturnType<LayerRunner['run']> {
    return this.runner.run(this.callOf(session, position));
  }

  check(session: Session, position: number): ReturnType<LayerRunner['check']> {
    return this.runner.check(this.callOf(session, position));
  }

  /** Later expressions read what the layer gave, and null of those that were passed over, maybe because of it. */
  learn(results: readonly LayerResult[], outcome: LayerOutcome | null, out: unknown): void {
    const own = outcome?.kind === 'result' ? outcome.result.position : null;
    for (const result of results) this.know(result, result.position === own ? out : null);
  }

  appIdOf(position: number): string {
    return this.prepared.layers[position]?.definition.appId ?? '';
  }

  private know({ ref, outRef, outBytes }: LayerResult, out: unknown): void {
    this.outputs.set(ref, out ?? null);
    if (!outRef) this.inlineBytes += outBytes;
  }

  private callOf(session: Session, position: number): LayerCall {
    const { play, prepared, outputs, inlineBytes } = this;
    const { attempt, wait, answer } = askOf(session, position);
    return { play, prepared, position, attempt, wait, answer, outputs, inlineBytes, ...this.call };
  }
}
