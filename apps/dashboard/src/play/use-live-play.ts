import { useWatchedPlay } from '../live/live';
import { useReadAgain } from '../live/use-read-again';
import { playKey } from './queries';

/** Many layers may end in one moment: they are read together. */
const TOGETHER_MS = 250;

/** Reads a play again when the stream says that something of it, or of its retry, has changed, and at no other time. */
export function useLivePlay(id: string): void {
  useWatchedPlay(id);
  useReadAgain([playKey(id)], ({ playId, play }) => playId === id || play?.retryOf === id, TOGETHER_MS);
}
