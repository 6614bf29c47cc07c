import type { PlayFrame } from '@weft/contracts';
import { journal, playChanges, type PlayChange } from '@weft/engine';
import { RESULTS_PER_READ, type StoredJournal } from '@weft/persistence';

/** Outputs in a frame have at most 16 KB; the rest of it has about that much. */
const REST_BYTES = 400;

/**
 * One thing that a company's readers are told: contract §6. As a message of `/api/ws` where it changes a state, and as the
 * frame of the play's own stream where somebody listens for that. Made into text once, by the first reader that takes it.
 */
export class CompanyFrame {
  readonly playId: string;
  readonly flowId: string;
  readonly triggeredBy: string | null;
  readonly ref: string | null;
  /** Null where no state changed. */
  readonly state: string | null;
  /** Number of the log entry that tells this. */
  readonly entry: number;
  /** Number of the play's own frame. */
  readonly seq: number;
  private made: Buffer | null = null;
  private madeEvent: Buffer | null = null;
  private readonly outBytes: number;
  private change: PlayChange | null;

  /**
   * @param play nothing else of it is kept: a frame outlives the journal that it was read from
   * @param change its output is let go of when the text is made
   * @param event the journal's frame, where it was asked for; let go of, too
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
    this.entry = change.entry;
    this.seq = change.seq;
    this.outBytes = change.outBytes;
    this.change = change;
  }

  /** About what it takes in memory. */
  get bytes(): number {
    const kept = this.change || this.event ? this.outBytes : 0;
    return REST_BYTES + this.cursor.length + kept + (this.made?.byteLength ?? 0) + (this.madeEvent?.byteLength ?? 0);
  }

  get text(): Buffer | null {
    if (this.change) {
      this.made = Buffer.from(JSON.stringify(this.messageOf(this.change)));
      this.change = null;
    }
    return this.made;
  }

  /** The frame of the play's own stream; null where it was not asked for. */
  get eventText(): Buffer | null {
    if (this.event) {
      this.madeEvent = Buffer.from(JSON.stringify(this.event));
      this.event = null;
    }
    return this.madeEvent;
  }

  private messageOf({ out, at }: PlayChange) {
    const { cursor, playId, flowId, ref, state, seq } = this;
    return { cursor, playId, flowId, ref, state, out, seq, timestamp: at.toISOString() };
  }
}

export interface FramesOfPlay {
  readonly frames: readonly CompanyFrame[];
  /** The log entry up to which they tell. */
  readonly to: number;
  /** Index of the first result that is missing for the rest. */
  readonly missing: number | null;
}

/** What readers are told of. */
export type ToldPlay = Pick<StoredJournal, '_id' | 'flowId' | 'triggeredBy' | 'seq' | 'log' | 'layers' | 'completedAt'>;

/**
 * What a read of a play has to tell after a log entry.
 *
 * @param layersFrom index of the first result that was read
 * @param cursorAt the cursor of a reader who was told of this play up to an entry
 * @param withEvents whether somebody takes the frames of the play's own stream
 */
export function framesOfPlay(
  play: ToldPlay,
  layersFrom: number,
  after: number,
  { tag, cursorAt, withEvents }: FrameOptions,
): FramesOfPlay {
  const source = { ...play, layersFrom };
  const readTo = play.layers.length < RESULTS_PER_READ ? Infinity : layersFrom + play.layers.length;
  const { changes, to, missing } = playChanges(source, after, readTo, withEvents);
  const events = withEvents && changes[0] ? journal(source, changes[0].seq) : [];
  const frames = changes.map(
    (change, i) => new CompanyFrame(play, change, events[i] ?? null, cursorAt(change.entry), tag),
  );
  return { frames, to, missing };
}

export interface FrameOptions {
  /** Of the play: see `playTag`. */
  readonly tag: string;
  readonly cursorAt: (entry: number) => string;
  readonly withEvents: boolean;
}
