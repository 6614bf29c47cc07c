import type { CallOptions } from '../http/connection.js';
import { unreadable } from '../http/weft-error.js';
import { toFrame, type PlayFrame } from '../streams/frames.js';
import { waitForPlay, type PlayOutcome, type WaitOptions } from '../streams/wait-for-play.js';
import { watchPlay, type WatchOptions } from '../streams/watch-play.js';
import { Plays } from './plays.js';

/** Plays, and following them live. */
export class WatchedPlays extends Plays {
  /** Every frame of the play, each once and in order, over broken connections; ends after `play_complete`. */
  watch(id: string, options: WatchOptions = {}): AsyncGenerator<PlayFrame, void, undefined> {
    const { signal } = options;
    return watchPlay(this.connection, id, options, async (fromSeq) => {
      const frames: unknown = await this.events(id, fromSeq, { signal });
      if (!Array.isArray(frames)) throw unreadable('The answer is not a list of frames.');
      return frames.map(toFrame).filter((frame) => frame !== undefined);
    });
  }

  /** Resolves when the play has ended, however it did. @throws WaitTimeout */
  wait(id: string, options: WaitOptions = {}): Promise<PlayOutcome> {
    return waitForPlay(
      {
        get: (playId, call: CallOptions) => this.get(playId, call),
        layers: (playId, call: CallOptions) => this.layers(playId, call),
        ended: async (playId, signal) => {
          for await (const frame of this.watch(playId, { signal })) if (frame.type === 'play_complete') return;
        },
      },
      id,
      { ...options, signal: this.connection.signalOf(options.signal) },
    );
  }
}
