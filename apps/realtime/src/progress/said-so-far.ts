import type { LayerText } from '@weft/contracts';
import type { PlayWatcher } from '../play-stream/play-watcher.js';

type Piece = Pick<LayerText, 'answer' | 'at' | 'text'>;

/** Of one answer; what comes before is left out. */
const MAX_CHARS = 16_000;

/** The end of what a layer says, and how much of it each watcher has: one that falls behind gets with the next piece what it lacks. */
export class SaidSoFar {
  private answer = -1;
  private at = 0;
  private text = '';
  private has = new WeakMap<PlayWatcher, number>();

  add({ answer, at, text }: Piece): void {
    const goesOn = answer === this.answer && at === this.at + this.text.length;
    // an answer that begins again is another one
    if (answer !== this.answer || at === 0) this.has = new WeakMap();
    this.text = goesOn ? this.text + text : text;
    this.at = goesOn ? this.at : at;
    this.answer = answer;
    const tooMuch = this.text.length - MAX_CHARS;
    if (tooMuch <= 0) return;
    this.text = this.text.slice(tooMuch);
    this.at += tooMuch;
  }

  /** What this watcher gets now; null: it has everything. */
  next(watcher: PlayWatcher): Piece | null {
    const end = this.at + this.text.length;
    const from = Math.max(this.at, this.has.get(watcher) ?? 0);
    this.has.set(watcher, end);
    return from >= end ? null : { answer: this.answer, at: from, text: this.text.slice(from - this.at) };
  }
}
