/** From a layer's start, and between two tellings. A layer that ends before the first is never told of. */
const FIRST_AFTER_MS = 300;
const EVERY_MS = 1_000;
const MAX_STATUS = 200;

/**
 * How far one call of a layer is, as watchers are told: at most once a second, always the latest, and never less than
 * before. Whoever makes the call ends it.
 */
export class ProgressTeller {
  private readonly tell: (percent: number, status: string) => void;
  private nextAtMs = performance.now() + FIRST_AFTER_MS;
  private percent = 0;
  private status = '';
  private timer: NodeJS.Timeout | null = null;
  private ended = false;

  constructor(tell: (percent: number, status: string) => void) {
    this.tell = tell;
  }

  readonly say = (percent: number, status: string): void => {
    if (this.ended || !Number.isFinite(percent)) return;
    this.percent = Math.max(this.percent, Math.min(100, Math.floor(percent)));
    this.status = status.slice(0, MAX_STATUS);
    this.timer ??= setTimeout(() => this.tellLatest(), Math.max(0, this.nextAtMs - performance.now())).unref();
  };

  end(): void {
    this.ended = true;
    if (this.timer) clearTimeout(this.timer);
  }

  private tellLatest(): void {
    this.timer = null;
    this.nextAtMs = performance.now() + EVERY_MS;
    this.tell(this.percent, this.status);
  }
}
