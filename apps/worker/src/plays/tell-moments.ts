import { isFinal, type PlayState } from '@weft/contracts';
import { beginnableSince, startedAtOf, type Play } from '@weft/engine';
import type { PlayRunDeps } from './play-run-deps.js';

/** Says once that a play began, if nobody had begun it. */
export class Beginning {
  private told = false;

  /** @param takenAt when this worker took it */
  tell({ onStart }: Pick<PlayRunDeps, 'onStart'>, play: Play, takenAt: Date): void {
    const since = this.told ? null : beginnableSince(play);
    this.told = true;
    if (since) onStart(play, Math.max(0, takenAt.getTime() - since.getTime()));
  }
}

/** Says that a play has ended. @param play as it was taken: before that it may have been begun by another worker */
export function tellEnd(
  { onFinal }: Pick<PlayRunDeps, 'onFinal'>,
  play: Play,
  takenAt: Date,
  state: PlayState = 'FAIL',
): void {
  if (isFinal(state)) onFinal(play, state, startedAtOf(play) ?? takenAt);
}
