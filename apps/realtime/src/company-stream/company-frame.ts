import type { PlayFrame } from '@weft/contracts';
import { journal, playChanges, type PlayChange } from '@weft/engine';
import { RESULTS_PER_READ, type StoredJournal } from '@weft/persistence';

/** Outputs in a frame have at most 16 KB; the rest of a frame has about this size. */
const OVERHEAD_BYTES = 400;

/**
 * One change that a company's readers are notified of: docs/http-api.md §6. It becomes a message of `/api/ws` when it
 * changes a state, and the frame of the play's own stream when a reader takes those. The first reader serializes it.
 */
export class CompanyFrame {
  readonly playId: string;
  readonly flowId: string;
  readonly triggeredBy: string | null;
  readonly ref: string | null;
  /** Null where no state changed. */
  readonly state: string | null;
  /** Number of the log entry that shows this change. */
  readonly entry: number;
  /** Number of the play's own frame. */
  readonly seq: number;
  private cachedText: Buffer | null = null;
  private cachedEventText: Buffer | null = null;
  private readonly outBytes: number;
  private change: PlayChange | null;

  /**
   * @param play only these fields are kept: a frame outlives the journal that it was read from
   * @param change released, with its output, when the text is made
   * @param event the play's own frame if a reader takes those; released when its text is made
   * @param tag of the play
   */
  constructor(
    play: Pick<StoredJournal, '_id' | 'flowId' | 'triggeredBy'>,
    change: PlayChange,
    private event: PlayFrame | null,
    readonly cursor: string,
    readonly tag: string,
  ) {
    this.playId = play._id;
    this.flowId = play.flowId;
    this.triggeredBy = play.triggeredBy;
    this.ref = change.ref;
    this.state = change.state;
    this.entry = change.logSeq;
    this.seq = change.frameSeq;
    this.outBytes = change.outBytes;
    this.change = change;
  }

  /** Approximate size in memory. */
  get bytes(): number {
    const kept = this.change || this.event ? this.outBytes : 0;
    return (
      OVERHEAD_BYTES +
      this.cursor.length +
      kept +
      (this.cachedText?.byteLength ?? 0) +
      (this.cachedEventText?.byteLength ?? 0)
    );
  }

  get text(): Buffer | null {
    if (this.change) {
      this.cachedText = Buffer.from(JSON.stringify(this.messageOf(this.change)));
      this.change = null;
    }
    return this.cachedText;
  }

  /** The frame of the play's own stream; null when no reader takes those. */
  get eventText(): Buffer | null {
    if (this.event) {
      this.cachedEventText = Buffer.from(JSON.stringify(this.event));
      this.event = null;
    }
    return this.cachedEventText;
  }

  private messageOf({ out, at }: PlayChange) {
    const { cursor, playId, flowId, ref, state, seq } = this;
    return { cursor, playId, flowId, ref, state, out, seq, timestamp: at.toISOString() };
  }
}

export interface FramesOfPlay {
  readonly frames: readonly CompanyFrame[];
  /** The last log entry that the frames show. */
  readonly to: number;
  /** Index of the first result that is missing for the remaining frames; null: none is missing. */
  readonly missingFrom: number | null;
}

/** The part of a play that its frames are made of. */
export type FrameSource = Pick<
  StoredJournal,
  '_id' | 'flowId' | 'triggeredBy' | 'seq' | 'log' | 'layers' | 'completedAt'
>;

/**
 * The frames of a play after a log entry.
 *
 * @param layersFrom index of the first result that was read
 * @param cursorAt the cursor of a reader that has this play's entries up to a number
 * @param withEvents whether a reader takes the frames of the play's own stream
 */
export function framesOfPlay(
  play: FrameSource,
  layersFrom: number,
  after: number,
  { tag, cursorAt, withEvents }: FrameOptions,
): FramesOfPlay {
  const source = { ...play, layersFrom };
  const readTo = play.layers.length < RESULTS_PER_READ ? Infinity : layersFrom + play.layers.length;
  const { changes, to, missing: missingFrom } = playChanges(source, after, readTo, withEvents);
  const events = withEvents && changes[0] ? journal(source, changes[0].frameSeq) : [];
  const frames = changes.map(
    (change, i) => new CompanyFrame(play, change, events[i] ?? null, cursorAt(change.logSeq), tag),
  );
  return { frames, to, missingFrom };
}

export interface FrameOptions {
  /** Of the play: see `playTag`. */
  readonly tag: string;
  readonly cursorAt: (entry: number) => string;
  readonly withEvents: boolean;
}
