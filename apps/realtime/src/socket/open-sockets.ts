import { CLOSE } from '@weft/contracts';
import type { Clock } from '@weft/kernel';
import type { LiveFigures } from '../live-figures.js';

/** What a process does with an open socket, whatever kind it is. */
export interface OpenSocket {
  /** Looks at the clock; `lostMs` is time in which this process could not. */
  tick(lostMs: number): void;
  close(code: number, reason: string): void;
  terminate(): void;
}

/** Every open socket of this process: one timer for all, and a farewell when the process stops. */
export class OpenSockets {
  private readonly sockets = new Set<OpenSocket>();
  private readonly timer: NodeJS.Timeout;
  private tickedAt: number;
  private onEmpty: (() => void) | null = null;

  /** @param tickMs how often every socket looks at the clock */
  constructor(
    private readonly figures: Pick<LiveFigures, 'socketsOpen' | 'socketClosed'>,
    private readonly clock: Clock,
    private readonly tickMs: number,
  ) {
    this.tickedAt = clock.monotonicMs();
    this.timer = setInterval(() => this.tick(), tickMs).unref();
  }

  add(socket: OpenSocket): void {
    this.sockets.add(socket);
    this.figures.socketsOpen(this.sockets.size);
  }

  delete(socket: OpenSocket, code: number): void {
    if (!this.sockets.delete(socket)) return;
    this.figures.socketsOpen(this.sockets.size);
    this.figures.socketClosed(code);
    if (this.sockets.size === 0) this.onEmpty?.();
  }

  /** Tells every reader to come back elsewhere; resolves when all are gone, at the latest after `graceMs`. */
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
