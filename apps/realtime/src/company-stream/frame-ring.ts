/** What a ring keeps; its frames are shared by all readers. */
interface Sized {
  readonly bytes: number;
}

export interface RingBounds {
  readonly frames: number;
  readonly bytes: number;
}

export const RING: RingBounds = { frames: 2_000, bytes: 1024 * 1024 };

/** The last frames of a company's stream, under rising numbers. Readers that fall behind its start read MongoDB instead. */
export class FrameRing<Frame extends Sized> {
  private frames: Frame[] = [];
  private first = 0;
  private kept = 0;

  constructor(private readonly bounds: RingBounds = RING) {}

  /** Number of the oldest frame that is kept. */
  get start(): number {
    return this.first;
  }

  /** Number of the next frame to come. */
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

  /** What all readers have passed is of no use any more. */
  dropBefore(number: number): void {
    const gone = Math.min(number, this.end) - this.first;
    if (gone > 0) this.drop(gone);
  }

  /** Called when readers had their chance. */
  trim(): void {
    const { frames, bytes } = this.bounds;
    if (this.frames.length <= frames && this.kept <= bytes) return;
    this.kept = this.frames.reduce((sum, one) => sum + one.bytes, 0); // texts were made, and frames were dropped, meanwhile
    if (this.frames.length <= frames && this.kept <= bytes) return;
    let gone = 0;
    // down to half, so that not every frame moves all others
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
