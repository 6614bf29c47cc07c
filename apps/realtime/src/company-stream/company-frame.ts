import { isFinal, type PlayFrame, type PlayRow, type PlayState } from '@weft/contracts';
import { journal, playChanges, playRowAt, type PlayChange, type RowSource } from '@weft/engine';
import { RESULTS_PER_READ, type StoredJournal } from '@weft/store';

/** Outputs in a frame have at most 16 KB; the rest of a frame has about this size. */
const OVERHEAD_BYTES = 400;
/** Of a row that was not yet made into text. */
const ROW_BYTES = 600;

/** `acceptance`: the play was accepted; only readers who ask for the kinds that they want take it. */
export type FrameKind = 'play' | 'layer' | 'acceptance';

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
  readonly kind: FrameKind;
  /** Number of the log entry that shows this change. */
  readonly entry: number;
  /** Number of the play's own frame. */
  readonly seq: number;
  private cachedText: Buffer | null = null;
  private cachedEventText: Buffer | null = null;
  private cachedRowEventText: Buffer | null = null;
  private readonly oldState: PlayState | null;
  private readonly outBytes: number;
  private change: PlayChange | null;

  /**
   * @param play only these fields are kept: a frame outlives the journal that it was read from
   * @param change released, with its output, when the text is made
   * @param row of the play after the change; of changes of the play's own state
   * @param event the play's own frame if a reader takes those; released when its text is made
   * @param tag of the play
   */
  constructor(
    play: Pick<StoredJournal, '_id' | 'flowId' | 'triggeredBy'>,
    change: PlayChange,
    private readonly row: PlayRow | null,
    private event: PlayFrame | null,
    readonly cursor: string,
    readonly tag: string,
  ) {
    this.playId = play._id;
    this.flowId = play.flowId;
    this.triggeredBy = play.triggeredBy;
    this.ref = change.ref;
    this.state = change.state;
    this.kind = kindOf(change, event);
    this.oldState = change.oldState;
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
      (this.row ? ROW_BYTES : 0) +
      (this.cachedRowEventText?.byteLength ?? 0) +
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

  /** The same with the row of the play; of other frames the same. */
  get rowEventText(): Buffer | null {
    const { eventText, oldState, row } = this;
    if (!eventText || !row) return eventText;
    const members = JSON.stringify({ oldState, play: row }).slice(1);
    return (this.cachedRowEventText ??= Buffer.from(`${eventText.toString().slice(0, -1)},${members}`));
  }

  private messageOf({ out, at }: PlayChange) {
    const { cursor, playId, flowId, ref, state, seq, oldState, row } = this;
    const message = { cursor, playId, flowId, ref, state, out, seq, timestamp: at.toISOString() };
    return row ? { ...message, oldState, play: row } : message;
  }
}

function kindOf({ frameSeq, ref, state }: PlayChange, event: PlayFrame | null): FrameKind {
  if (frameSeq === 0) return 'acceptance';
  if (ref !== null || (state === null && event?.type === 'layer_error')) return 'layer';
  return 'play';
}

export interface FramesOfPlay {
  readonly frames: readonly CompanyFrame[];
  /** The last log entry that the frames show. */
  readonly to: number;
  /** Index of the first result that is missing for the remaining frames; null: none is missing. */
  readonly missingFrom: number | null;
  /** The play has ended, and when it did was not read: the frames of the end are missing. */
  readonly missesEnd: boolean;
}

/** The part of a play that its frames are made of. */
export type FrameSource = Pick<
  StoredJournal,
  '_id' | 'flowId' | 'triggeredBy' | 'state' | 'seq' | 'log' | 'layers' | 'completedAt'
> &
  RowSource;

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
  const { log, missesEnd } = readLog(play);
  const source = { ...play, log, layersFrom };
  const readTo = play.layers.length < RESULTS_PER_READ ? Infinity : layersFrom + play.layers.length;
  const { changes, to, missing: missingFrom } = playChanges(source, after, readTo, withEvents);
  const firstSeq = Math.max(1, changes[0]?.frameSeq ?? 1);
  const events = withEvents && changes[0] ? journal(source, firstSeq) : [];
  const frames = changes.map((change) => {
    const event = events[change.frameSeq - firstSeq] ?? null;
    return new CompanyFrame(play, change, rowOf(play, change), event, cursorAt(change.logSeq), tag);
  });
  return { frames, to, missingFrom, missesEnd: missesEnd && missingFrom === null };
}

/** The log of a play that has ended, without its end when the time of that is not known. */
function readLog({ log, completedAt }: FrameSource): { readonly log: FrameSource['log']; readonly missesEnd: boolean } {
  const end = completedAt ? -1 : log.findIndex((entry) => entry.type === 'state' && isFinal(entry.state));
  return end === -1 ? { log, missesEnd: false } : { log: log.slice(0, end), missesEnd: true };
}

function rowOf(play: FrameSource, { ref, state, logSeq }: PlayChange): PlayRow | null {
  return ref === null && state !== null ? playRowAt(play, logSeq, state as PlayState) : null;
}

export interface FrameOptions {
  /** Of the play: see `playTag`. */
  readonly tag: string;
  readonly cursorAt: (entry: number) => string;
  readonly withEvents: boolean;
}
