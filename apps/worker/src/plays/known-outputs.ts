import type { LayerResult, Play } from '@weft/engine';
import { Unloaded } from '@weft/layers';

/** What the layers of one play that have ended gave: what later expressions read. */
export class KnownOutputs {
  /** By ref; large ones of earlier hand-outs as `Unloaded`. */
  readonly byRef = new Map<string, unknown>();
  /** Bytes of those that lie in the play document. */
  inlineBytes = 0;

  constructor(play: Play) {
    for (const result of play.layers) this.add(result, result.outRef ? new Unloaded(result.outRef) : result.out);
  }

  add({ ref, outRef, outBytes }: LayerResult, out: unknown): void {
    this.byRef.set(ref, out ?? null);
    if (!outRef) this.inlineBytes += outBytes;
  }
}
