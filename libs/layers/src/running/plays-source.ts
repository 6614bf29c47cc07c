import type { Play } from '@weft/engine';
import type { LayerContext, PlayEnd, StartAsk, StartedPlay } from '../layer-module.js';

/** Where plays come from that layers start. */
export interface PlaysSource {
  /** The play of this layer: the same, however often it is asked for. @throws LayerFailure */
  start(parent: Play, position: number, ask: StartAsk): Promise<StartedPlay>;
  /** Null when the company has no such play (any more), or it has not ended. */
  ended(companyId: string, playId: string): Promise<PlayEnd | null>;
}

const notHere = (): Promise<never> => Promise.reject(new Error('no play is started here'));

/** Of a process that starts none. */
export const NO_PLAYS: PlaysSource = { start: notHere, ended: notHere };

export function playsOf(source: PlaysSource, play: Play, position: number): LayerContext['plays'] {
  return {
    start: (ask) => source.start(play, position, ask),
    ended: (playId) => source.ended(play.company_id, playId),
  };
}
