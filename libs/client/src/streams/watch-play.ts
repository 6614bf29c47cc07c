import type { CallOptions, Connection } from '../http/connection.js';
import { backoffMs, pause } from '../http/pause.js';
import { isWeftError } from '../http/weft-error.js';
import { readFrame, type PlayFrame } from './frames.js';
import { socketFrames } from './socket-frames.js';

export interface WatchOptions extends Pick<CallOptions, 'signal'> {
  /** The first frame; to go on after one that was processed: its `seq` plus one. */
  readonly fromSeq?: number;
  /** Called when a connection was cut, before the next one. */
  readonly onCut?: (why: string) => void;
}

const PAUSE_MS = { first: 200, most: 10_000 };
const COMPLETE = 1000;

/**
 * All frames of a play from `fromSeq` on, each once and in order; ends after `play_complete`. Where a socket breaks, or cannot be
 * opened at all, plain requests give what came meanwhile, and say why when the play may not be read.
 *
 * @param readEvents the frames so far from a number on
 */
export async function* watchPlay(
  connection: Connection,
  playId: string,
  { fromSeq = 1, onCut, ...options }: WatchOptions,
  readEvents: (fromSeq: number) => Promise<readonly PlayFrame[]>,
): AsyncGenerator<PlayFrame, void, undefined> {
  const signal = connection.signalOf(options.signal);
  let next = fromSeq;
  for (let failures = 0; ;) {
    const before = next;
    const protocols = await bearerOf(connection);
    const address = connection.streamAddress(`/ws/plays/${encodeURIComponent(playId)}?fromSeq=${next}`);
    const frames = socketFrames(
      () => connection.openSocket(address, protocols),
      (message) => readFrame(message, (text) => connection.parse(text)),
      signal,
    );
    let step = await frames.next();
    try {
      for (; !step.done; step = await frames.next()) {
        const frame = step.value;
        if (frame.seq !== undefined && frame.seq !== next) continue;
        if (frame.seq !== undefined) next += 1;
        yield frame;
        if (frame.type === 'play_complete') return;
      }
    } finally {
      if (!step.done) await frames.return({ code: COMPLETE, wasOpen: true });
    }
    const isOver = step.value.code === COMPLETE && step.value.wasOpen;
    if (!isOver) onCut?.(step.value.wasOpen ? `the connection was closed (${step.value.code})` : 'no connection');
    try {
      for (const frame of await readEvents(next)) {
        if (frame.seq !== next) continue;
        next += 1;
        yield frame;
        if (frame.type === 'play_complete') return;
      }
      if (isOver) return;
    } catch (error) {
      if (!isWeftError(error) || !error.isRetryable) throw error;
    }
    failures = next > before ? 0 : failures + 1;
    await pause(backoffMs(failures, PAUSE_MS.first, PAUSE_MS.most), signal);
  }
}

async function bearerOf(connection: Connection): Promise<string[]> {
  const token = await connection.token();
  return token === undefined ? [] : ['bearer', token];
}
