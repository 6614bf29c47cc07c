/** The pause after the first failed write; doubled after each further one. */
const FIRST_REST_MS = 1_000;
const LONGEST_REST_MS = 10 * 60_000;
/** The plays that failed least recently are forgotten first, and tried again at once. */
const MOST = 10_000;

interface Rest {
  readonly failures: number;
  readonly untilMs: number;
}

/** Plays for which a write failed. Each is skipped for a while, so that it does not take up every pass. */
export class RestingPlays {
  private readonly byPlay = new Map<string, Rest>();

  constructor(private readonly monotonicMs: () => number = () => performance.now()) {}

  failed(playId: string): void {
    const failures = (this.byPlay.get(playId)?.failures ?? 0) + 1;
    const restMs = Math.min(FIRST_REST_MS * 2 ** (failures - 1), LONGEST_REST_MS);
    this.byPlay.delete(playId);
    this.byPlay.set(playId, { failures, untilMs: this.monotonicMs() + restMs });
    const [oldest] = this.byPlay.size > MOST ? this.byPlay.keys() : [];
    if (oldest !== undefined) this.byPlay.delete(oldest);
  }

  written(playId: string): void {
    this.byPlay.delete(playId);
  }

  isResting(playId: string): boolean {
    return this.monotonicMs() < (this.byPlay.get(playId)?.untilMs ?? Number.NEGATIVE_INFINITY);
  }

  /** Those that are skipped now, for a query that leaves them out. */
  ids(): readonly string[] {
    return [...this.byPlay.keys()].filter((playId) => this.isResting(playId));
  }
}
