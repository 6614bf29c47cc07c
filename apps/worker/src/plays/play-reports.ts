import { isFinal, type PlayState } from '@weft/contracts';
import { startableSince, startedAtOf, type Play } from '@weft/engine';
import type { PlayEvents } from './play-events.js';

/** Reports once that a play has started, if no worker had started it before. */
export class StartReporter {
  private isReported = false;

  /** @param takenAt when this worker took it */
  report(events: Pick<PlayEvents, 'started'>, play: Play, takenAt: Date): void {
    const since = this.isReported ? null : startableSince(play);
    this.isReported = true;
    if (since) events.started(play, Math.max(0, takenAt.getTime() - since.getTime()));
  }
}

/** Reports that a play has ended. @param play as it was taken: another worker may have started it before */
export function reportEnd(
  events: Pick<PlayEvents, 'ended'>,
  play: Play,
  takenAt: Date,
  state: PlayState = 'FAIL',
): void {
  if (isFinal(state)) events.ended(play, state, startedAtOf(play) ?? takenAt);
}
