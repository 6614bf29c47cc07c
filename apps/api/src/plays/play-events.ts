import { journal, type JournalSource } from '@weft/engine';
import { setImmediate as nextRound } from 'node:timers/promises';

/** Other requests get their turn whenever about this many characters were made. */
const PORTION = 256 * 1024;

/** The frames of a play from this number on, as the text of a JSON list: what a watcher of the play receives. */
export async function* eventsText(play: JournalSource, fromSeq: number): AsyncGenerator<string> {
  let portion = '[';
  let separator = '';
  for (const frame of journal(play, fromSeq)) {
    portion += separator + JSON.stringify(frame);
    separator = ',\n';
    if (portion.length < PORTION) continue;
    yield portion;
    portion = '';
    await nextRound();
  }
  yield `${portion}]\n`;
}
