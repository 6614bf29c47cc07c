import type { Play } from '@weft/engine';
import type { LayerContext, StartPlayRequest, StartedPlay } from '../layer-module.js';

/** Starts and reads the plays that layers start. */
export interface PlaysSource {
  /**
   * The play of this layer, or of this item of its loop; repeated calls give the same play.
   *
   * @throws LayerFailure
   */
  start(parent: Play, position: number, ask: StartPlayRequest, item?: number): Promise<StartedPlay>;
  /** A loop has stored how the plays of these items ended: they are not counted among those that it waits for. */
  collected(parent: Play, position: number, items: readonly number[]): Promise<void>;
}

const notHere = (): Promise<never> => Promise.reject(new Error('no play is started here'));

/** For processes that start no plays. */
export const NO_PLAYS: PlaysSource = {
  start: notHere,
  collected: notHere,
};

export function playsOf(
  source: PlaysSource,
  play: Play,
  position: number,
  item: number | undefined,
): LayerContext['plays'] {
  return {
    start: (ask) => source.start(play, position, ask, item),
  };
}
