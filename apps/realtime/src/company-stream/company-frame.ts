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
  private made: Buffer | null = null;
  private madeEvent: Buffer | null = null;

  constructor(
    private readonly play: Pick<StoredJournal, '_id' | 'flowId' | 'triggeredBy'>,
    private readonly change: PlayChange,
    /** The journal's frame, where it was asked for. */
    private readonly event: PlayFrame | null,
    readonly cursor: string,
    /** Of the play. */
    readonly tag: string,
  ) {}

  get playId(): string {
    return this.play._id;
  }

  get flowId(): string {
    return this.play.flowId;
  }

  get triggeredBy(): string | null {
    return this.play.triggeredBy;
  }

  get ref(): string | null {
    return this.change.ref;
  }

  /** Null where no state changed. */
  get state(): string | null {
    return this.change.state;
  }

  /** Number of the log entry that tells this. */
  get entry(): number {
    return this.change.entry;
  }

  /** About what it takes in memory. */
  get bytes(): number {
    return REST_BYTES + this.cursor.length + (this.made?.byteLength ?? 0) + (this.madeEvent?.byteLength ?? 0);
  }

  get text(): Buffer {
    return (this.made ??= Buffer.from(JSON.stringify(this.toJSON())));
  }

  /** The frame of the play's own stream; null where it was not asked for. */
  get eventText(): Buffer | null {
    return this.event && (this.madeEvent ??= Buffer.from(JSON.stringify(this.event)));
  }

  private toJSON() {
    const { ref, state, out, seq, at } = this.change;
    const { cursor, playId, flowId } = this;
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

/**
 * What a read of a play has to tell after a log entry.
 *
 * @param layersFrom index of the first result that was read
 * @param cursorAt the cursor of a reader who was told of this play up to an entry
 * @param withEvents whether somebody takes the frames of the play's own stream
 */
export function framesOfPlay(
  play: StoredJournal,
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
