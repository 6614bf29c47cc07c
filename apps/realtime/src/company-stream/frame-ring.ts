/** An item of the ring; all readers share it. */
interface Sized {
  readonly bytes: number;
}

export interface RingBounds {
  readonly frames: number;
  readonly bytes: number;
}

export const DEFAULT_RING_BOUNDS: RingBounds = { frames: 2_000, bytes: 1024 * 1024 };

/**
 * The last frames of a company's stream, with increasing numbers. A reader that needs a frame from before its start
 * reads MongoDB instead.
 */
export class FrameRing<Frame extends Sized> {
  private frames: Frame[] = [];
  private first = 0;
  private kept = 0;

  constructor(private readonly bounds: RingBounds = DEFAULT_RING_BOUNDS) {}

  /** Number of the oldest frame that is kept. */
  get start(): number {
    return this.first;
  }

  /** Number that the next frame will get. */
  get end(): number {
    return this.first + this.frames.length;
  }

  at(number: number): Frame | undefined {
    return this.frames[number - this.first];
  }

  push(frame: Frame): void {
    this.frames.push(frame);
    this.kept += frame.bytes;
  }

  /** Drops frames that all readers have passed. */
  dropBefore(number: number): void {
    const gone = Math.min(number, this.end) - this.first;
    if (gone > 0) this.drop(gone);
  }

  /**
   * Drops the oldest frames while the ring exceeds its bounds; called when every reader has been offered its frames.
   */
  trim(): void {
    const { frames, bytes } = this.bounds;
    if (this.frames.length <= frames && this.kept <= bytes) return;
    this.kept = this.frames.reduce((sum, one) => sum + one.bytes, 0); // sizes have changed: texts were made, and frames were dropped
    if (this.frames.length <= frames && this.kept <= bytes) return;
    let gone = 0;
    // down to half, so that not every new frame moves all others
    while (this.frames.length - gone > frames / 2 || this.kept > bytes / 2) {
      const oldest = this.frames[gone];
      if (!oldest) break;
      this.kept -= oldest.bytes;
      gone += 1;
    }
    this.drop(gone);
  }

  private drop(count: number): void {
    this.frames = this.frames.slice(count);
    this.first += count;
    if (this.frames.length === 0) this.kept = 0;
  }
}
