/** Where a watcher's frames go: a socket with a bounded buffer. */
export interface FrameSink {
  /** No more should be sent until the peer has taken what was sent. */
  readonly isFull: boolean;
  readonly isClosing: boolean;
  send(text: Buffer): void;
  close(code: number, reason: string): void;
}

export interface PlayAddress {
  readonly playId: string;
  readonly companyId: string;
  readonly flowId: string;
}

/** One reader of one play, and its position. */
export class PlayWatcher {
  /** Index of the first result that later frames need: earlier ones were sent, or this watcher did not request them. */
  layersFrom = 0;
  /** True while it is unknown whether this reader may still read. */
  suspended = false;

  /** @param nextSeq number of the next frame to send */
  constructor(
    readonly play: PlayAddress,
    public nextSeq: number,
    readonly sink: FrameSink,
  ) {}

  get canTake(): boolean {
    return !this.suspended && !this.sink.isFull && !this.sink.isClosing;
  }
}
