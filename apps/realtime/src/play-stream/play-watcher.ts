/** Where a watcher's frames go: a socket with a bounded buffer. */
export interface FrameSink {
  /** Nothing more is to be sent until what was sent has been taken. */
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

/** One reader of one play: how far it is. */
export class PlayWatcher {
  /** Results below this position are in frames that were sent, or that this watcher did not ask for. */
  layersFrom = 0;
  /** True while it is not known whether this reader may still read. */
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
