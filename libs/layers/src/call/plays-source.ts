import type { Play } from '@weft/engine';
import type { LayerContext, PlayEnd, StartPlayRequest, StartedPlay } from '../layer-module.js';

/** Starts and reads the plays that layers start. */
export interface PlaysSource {
  /**
   * The play of this layer, or of this item of its loop; repeated calls give the same play.
   *
   * @throws LayerFailure
   */
  start(parent: Play, position: number, ask: StartPlayRequest, item?: number): Promise<StartedPlay>;
  /** A loop has stored how the plays of these items ended: nobody needs to be notified of it. */
  collected(parent: Play, position: number, items: readonly number[]): Promise<void>;
  /** How many plays of a loop have ended whose ends it has not stored, counted up to `most`. */
  countEnded(parent: Play, position: number, most: number): Promise<number>;
  /** The same, together with those that have not ended. */
  countUncollected(parent: Play, position: number, most: number): Promise<number>;
  /** Null when the company has no such play (any more), or it has not ended. */
  ended(companyId: string, playId: string): Promise<PlayEnd | null>;
}

const notHere = (): Promise<never> => Promise.reject(new Error('no play is started here'));

/** For processes that start no plays. */
export const NO_PLAYS: PlaysSource = {
  start: notHere,
  collected: notHere,
  countEnded: notHere,
  countUncollected: notHere,
  ended: notHere,
};

export function playsOf(
  source: PlaysSource,
  play: Play,
  position: number,
  item: number | undefined,
): LayerContext['plays'] {
  return {
    start: (ask) => source.start(play, position, ask, item),
    ended: (playId) => source.ended(play.company_id, playId),
  };
}
