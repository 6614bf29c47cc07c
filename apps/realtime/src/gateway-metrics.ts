import type { CounterRow, Metrics } from '@weft/observability';
import { CLOSE } from '@weft/contracts';

const NORMAL = 1005; // a close without a code, as browsers send it
const ABNORMAL = 1006; // the connection broke
const KNOWN: ReadonlySet<number> = new Set([...Object.values(CLOSE), NORMAL, ABNORMAL]);

/** The gateway's rows of the metrics catalogue. */
export class GatewayMetrics {
  private readonly frames: CounterRow;
  private readonly journals: CounterRow;

  constructor(private readonly metrics: Metrics) {
    this.frames = metrics.counterRow('live_frames_sent_total');
    this.journals = metrics.counterRow('live_journals_read_total');
    metrics.liveSockets(0);
  }

  framesSent(count: number): void {
    this.frames.add(count);
  }

  journalsRead(plays: number): void {
    this.journals.add(plays);
  }

  /** A socket was admitted by the count of this gateway alone. */
  admittedByOwnCount(): void {
    this.metrics.counterRow('live_places_unshared_total').add();
  }

  socketsOpen(count: number): void {
    this.metrics.liveSockets(count);
  }

  /**
   * @param code of the close frame; a code that the reader made up counts as `peer`, so that readers cannot create rows
   */
  socketClosed(code: number): void {
    this.metrics.counterRow('live_sockets_closed_total', KNOWN.has(code) ? String(code) : 'peer').add();
  }
}
