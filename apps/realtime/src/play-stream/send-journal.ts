/**
 * Sends to the watchers of one play what a read of its journal has for them. Numbers, order and content of the frames are
 * those of `journal`; this decides how far each watcher gets with the results that were read.
 */
import { CLOSE, isFinal } from '@weft/contracts';
import { journal, resultsNeeded } from '@weft/engine';
import { RESULTS_PER_READ, type StoredJournal } from '@weft/persistence';
import type { PlayWatcher } from './play-watcher.js';

/**
 * @param layersFrom index of the first result that was read
 * @returns the frames sent, and whether a watcher that can take more needs another read
 */
export function sendJournal(
  play: StoredJournal,
  layersFrom: number,
  watchers: Iterable<PlayWatcher>,
): { readonly sent: number; readonly more: boolean } {
  // who came, or came back, while this was read has asked for another read
  const served = [...watchers].filter((watcher) => watcher.canTake && watcher.layersFrom >= layersFrom);
  if (served.length === 0) return { sent: 0, more: false };

  const first = Math.min(...served.map((watcher) => watcher.nextSeq));
  const frames = journal({ ...play, layersFrom }, first);
  const end = first + frames.length;
  const needs = resultsNeeded(play.log, first);
  const readAll = play.layers.length < RESULTS_PER_READ;
  const readTo = readAll ? Infinity : layersFrom + play.layers.length;
  const limit = needs.find(({ index }) => index < layersFrom || index >= readTo)?.seq ?? end;

  const texts: Buffer[] = [];
  let sent = 0;
  let more = false;
  for (const watcher of served) {
    for (; watcher.nextSeq < limit && watcher.canTake; watcher.nextSeq += 1, sent += 1) {
      const i = watcher.nextSeq - first;
      watcher.sink.send((texts[i] ??= Buffer.from(JSON.stringify(frames[i]))));
    }
    const rest = needs.filter(({ seq }) => seq >= watcher.nextSeq).map(({ index }) => index);
    watcher.layersFrom =
      rest.length > 0 ? Math.min(...rest) : Math.max(watcher.layersFrom, layersFrom + play.layers.length);
    if (watcher.nextSeq < end) more ||= watcher.canTake;
    else if (isFinal(play.state)) watcher.sink.close(CLOSE.complete, 'the play has ended');
  }
  return { sent, more };
}
