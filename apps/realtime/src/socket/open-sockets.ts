import { CLOSE } from '@weft/contracts';
import type { Clock } from '@weft/kernel';
import type { GatewayMetrics } from '../gateway-metrics.js';

/** What the process needs of an open socket of any kind. */
export interface OpenSocket {
  /** Checks the deadlines; `lostMs` is time in which this process could not run. */
  tick(lostMs: number): void;
  close(code: number, reason: string): void;
  terminate(): void;
}

/** All open sockets of this process: they share one timer, and are closed when the process stops. */
export class OpenSockets {
  private readonly sockets = new Set<OpenSocket>();
  private readonly timer: NodeJS.Timeout;
  private tickedAt: number;
  private onEmpty: (() => void) | null = null;

  /** @param tickMs how often every socket checks its deadlines */
  constructor(
    private readonly metrics: Pick<GatewayMetrics, 'socketsOpen' | 'socketClosed'>,
    private readonly clock: Clock,
    private readonly tickMs: number,
  ) {
    this.tickedAt = clock.monotonicMs();
    this.timer = setInterval(() => this.tick(), tickMs).unref();
  }

  add(socket: OpenSocket): void {
    this.sockets.add(socket);
    this.metrics.socketsOpen(this.sockets.size);
  }

  delete(socket: OpenSocket, code: number): void {
    if (!this.sockets.delete(socket)) return;
    this.metrics.socketsOpen(this.sockets.size);
    this.metrics.socketClosed(code);
    if (this.sockets.size === 0) this.onEmpty?.();
  }

  /**
   * Closes every socket with the request to reconnect elsewhere; resolves when all have closed, at the latest after
   * `graceMs`.
   */
  async drain(graceMs: number): Promise<void> {
    for (const socket of this.sockets) socket.close(CLOSE.goingAway, 'the server stops; connect again and resume');
    if (this.sockets.size > 0) {
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, graceMs);
        this.onEmpty = () => {
          clearTimeout(late);
          resolve();
        };
      });
    }
    for (const socket of this.sockets) socket.terminate();
    clearInterval(this.timer);
  }

  private tick(): void {
    const now = this.clock.monotonicMs();
    const lostMs = Math.max(0, now - this.tickedAt - this.tickMs);
    this.tickedAt = now;
    for (const socket of this.sockets) socket.tick(lostMs);
  }
}
