import type { PlayChange } from '@weft/engine';
import type { StoredJournal } from '@weft/persistence';

/** Outputs in a frame have at most 16 KB; the rest of it has about that much. */
const REST_BYTES = 400;

/** One message of a company's stream: contract §6. Made into text once, by the first reader that takes it. */
export class CompanyFrame {
  private made: Buffer | null = null;

  constructor(
    private readonly play: Pick<StoredJournal, '_id' | 'flowId' | 'triggeredBy'>,
    private readonly change: PlayChange,
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

  get state(): string {
    return this.change.state;
  }

  /** Number of the log entry that tells this. */
  get entry(): number {
    return this.change.entry;
  }

  /** About what it takes in memory. */
  get bytes(): number {
    return REST_BYTES + this.cursor.length + (this.made?.byteLength ?? 0);
  }

  get text(): Buffer {
    return (this.made ??= Buffer.from(JSON.stringify(this.toJSON())));
  }

  private toJSON() {
    const { ref, state, out, seq, at } = this.change;
    const { cursor, playId, flowId } = this;
    return { cursor, playId, flowId, ref, state, out, seq, timestamp: at.toISOString() };
  }
}
