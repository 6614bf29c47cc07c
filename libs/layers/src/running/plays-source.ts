import type { Play } from '@weft/engine';
import type { LayerContext, PlayEnd, StartPlayRequest, StartedPlay } from '../layer-module.js';

/** Starts and reads the plays that layers start. */
export interface PlaysSource {
  /** The play of this layer; repeated calls give the same play. @throws LayerFailure */
  start(parent: Play, position: number, ask: StartPlayRequest): Promise<StartedPlay>;
  /** Null when the company has no such play (any more), or it has not ended. */
  ended(companyId: string, playId: string): Promise<PlayEnd | null>;
}

const notHere = (): Promise<never> => Promise.reject(new Error('no play is started here'));

/** For processes that start no plays. */
export const NO_PLAYS: PlaysSource = { start: notHere, ended: notHere };

export function playsOf(source: PlaysSource, play: Play, position: number): LayerContext['plays'] {
  return {
    start: (ask) => source.start(play, position, ask),
    ended: (playId) => source.ended(play.company_id, playId),
  };
}
