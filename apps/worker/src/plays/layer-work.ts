import { askOf, type LayerOutcome, type LayerResult, type Play, type Session } from '@weft/engine';
import { InlineRoom, Unloaded, type LayerCall, type LayerRunner, type PreparedVersion } from '@weft/layers';
import type { PlayProgress } from '@weft/realtime-bus';

/** Of large outputs, the latest that together are no larger stay in memory; the others are read where they lie. */
const LOADED_BYTES = 4 * 1024 * 1024;

/** The layers of one play as this worker runs them, and what those that have ended gave. */
export class LayerWork {
  /** By ref; large ones that are not in memory as `Unloaded`. */
  private readonly outputs = new Map<string, unknown>();
  private readonly large = new Map<string, Unloaded>();
  readonly inlineRoom = new InlineRoom();

  constructor(
    private readonly runner: Pick<LayerRunner, 'run' | 'check' | 'discard'>,
    readonly play: Play,
    private readonly prepared: PreparedVersion,
    private readonly call: Pick<LayerCall, 'signal' | 'by' | 'proven'>,
    private readonly watchers: Pick<PlayProgress, 'tell'>,
  ) {
    for (const result of play.layers) {
      this.know(result, result.out);
      this.inlineRoom.hold(result.out);
    }
    for (const { text } of Object.values(play.doneItems ?? {})) this.inlineRoom.hold(text);
    for (const [ref, stored] of this.large) this.outputs.set(ref, stored);
  }

  run(session: Session, position: number): ReturnType<LayerRunner['run']> {
    return this.runner.run(this.callOf(session, position));
  }

  check(session: Session, position: number): ReturnType<LayerRunner['check']> {
    return this.runner.check(this.callOf(session, position));
  }

  /** Later expressions read what the layer gave, and null of those that were passed over, maybe because of it. */
  learn(results: readonly LayerResult[], outcome: LayerOutcome | null, out: unknown): void {
    const own = outcome?.kind === 'result' ? outcome.result : null;
    for (const result of results) this.know(result, result.position === own?.position ? out : null);
    // it failed, and is called again
    if (own && !results.some(({ position }) => position === own.position)) void this.runner.discard(this, own);
  }

  /** Only while no call runs, which may be reading them. */
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

  private know({ ref, outRef }: LayerResult, out: unknown): void {
    this.outputs.set(ref, out ?? null);
    if (outRef) this.large.set(ref, new Unloaded(outRef));
  }

  private readonly progress: LayerCall['progress'] = (told) =>
    this.watchers.tell(this.play.company_id, { playId: this.play._id, ...told });

  private callOf(session: Session, position: number): LayerCall {
    const { play, prepared, outputs, inlineRoom, progress } = this;
    const { attempt, wait, answer } = askOf(session, position);
    return { play, prepared, position, attempt, wait, answer, outputs, inlineRoom, progress, ...this.call };
  }
}
