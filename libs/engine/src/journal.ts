/**
 * The journal: the frames that a watcher of one play gets, derived from the stored play alone, both live and replayed.
 * Frames are numbered from 1 (`frameSeq`). Log entries are numbered separately (`logSeq`), because some have no frame.
 */
import { outputRef, type FrameData, type FrameType, type PlayFrame } from '@weft/contracts';
import { sumOfKvUse, type KvUse } from './kv-use.js';
import { framesOf, type NumberedFrame } from './play-log.js';
import type { LayerResult, LogEntry, Play } from './play.js';
import { outOf } from './stored-out.js';

export type JournalSource = Pick<Play, '_id' | 'log' | 'completedAt'> & {
  /** Results from the one at index `layersFrom` on; a gateway need not read again what it has sent. */
  readonly layers: readonly LayerResult[];
  readonly layersFrom?: number;
};

/** Outputs above this many bytes travel as a reference. */
export const INLINE_OUTPUT_BYTES = 16 * 1024;

/** Frames from number `fromFrameSeq` on, in order. */
export function journal(play: JournalSource, fromFrameSeq = 1): PlayFrame[] {
  const frames: PlayFrame[] = [];
  const layersFrom = play.layersFrom ?? 0;
  for (const numbered of framesOf(play.log)) {
    if (numbered.frameSeq < fromFrameSeq) continue;
    frames.push(frameOf(play, numbered, play.layers[numbered.resultIndex - layersFrom]));
  }
  return frames;
}

export function playLayerId(playId: string, position: number): string {
  return `${playId}.${position}`;
}

/** The time of the first move to RUN: when the play started. */
export function startedAtOf(play: Pick<Play, 'log' | 'completedAt'>): Date | null {
  const entry = play.log.find((one) => one.type === 'state' && one.state === 'RUN');
  if (!entry) return null;
  return play.completedAt && play.completedAt < entry.at ? play.completedAt : entry.at;
}

/** Since when a play that no worker has started could have been started; null: a worker has started it. */
export function startableSince(play: Pick<Play, 'state' | 'createdAt' | 'log'>): Date | null {
  if (play.state === 'NEW') return play.createdAt;
  // after its acceptance, moves by the reconciler and the keeper of turns only: a worker's first write logs a layer or a claim
  const moves = play.log.slice(1);
  return moves.every((entry) => entry.type === 'state') ? (moves.at(-1)?.at ?? play.createdAt) : null;
}

/** What a watcher or a list shows of an output: the output itself if small, else a reference to it. */
export function shownOutput(playId: string, result: LayerResult): unknown {
  if (isReferred(result)) {
    return outputRef(playId, result.ref, result.outBytes);
  }
  return outOf(result);
}

export function isReferred({ outRef, outBytes }: Pick<LayerResult, 'outRef' | 'outBytes'>): boolean {
  return outRef !== undefined || outBytes > INLINE_OUTPUT_BYTES;
}

/** What people see of a failure. */
export function shownError({ error }: Pick<LayerResult, 'error'>): { code: string; message: string } | null {
  return error ? { code: error.code, message: error.message } : null;
}

/** @param result of a `complete`, if it was read */
function frameOf(play: JournalSource, { entry, frameSeq }: NumberedFrame, result: LayerResult | undefined): PlayFrame {
  const playId = play._id;
  switch (entry.type) {
    case 'state':
      return frame(playId, frameSeq, 'play_state_change', {
        play_id: playId,
        old_status: entry.from,
        new_status: entry.state,
        timestamp: entry.at.toISOString(),
      });
    case 'start':
      return frame(playId, frameSeq, 'layer_start', {
        layer_id: playLayerId(playId, entry.layer),
        flowlet_name: entry.name,
        ref: entry.ref,
        timestamp: entry.at.toISOString(),
      });
    case 'error':
      return frame(playId, frameSeq, 'layer_error', {
        layer_id: playLayerId(playId, entry.layer),
        error_message: entry.message,
        retry_count: entry.retries,
        ref: entry.ref,
      });
    case 'complete':
      return frame(playId, frameSeq, 'layer_complete', {
        layer_id: playLayerId(playId, entry.layer),
        status: entry.state,
        duration_ms: result ? Math.max(0, result.completedAt.getTime() - result.startedAt.getTime()) : 0,
        output: result ? shownOutput(playId, result) : null,
        ref: result?.ref ?? '',
      });
    case 'end': {
      const startedAt = startedAtOf(play);
      return frame(playId, frameSeq, 'play_complete', {
        play_id: playId,
        final_status: entry.state,
        duration_ms: startedAt && play.completedAt ? play.completedAt.getTime() - startedAt.getTime() : 0,
        kv_summary: sumOfKvUse(kvUsesIn(play.log)),
      });
    }
  }
}

function frame<T extends FrameType>(playId: string, frameSeq: number, type: T, data: FrameData[T]): PlayFrame {
  return { seq: frameSeq, type, playId, data } as PlayFrame;
}

function kvUsesIn(log: readonly LogEntry[]): KvUse[] {
  return log.flatMap((entry) => ('kv' in entry && entry.kv ? [entry.kv] : []));
}
