import { CLOSE } from '@weft/contracts';
import { WeftError, type Clock } from '@weft/kernel';
import type { LiveFigures } from '../live-figures.js';

/** What a process does with an open socket, whatever kind it is. */
export interface OpenSocket {
  /** Looks at the clock; `lostMs` is time in which this process could not. */
  tick(lostMs: number): void;
  close(code: number, reason: string): void;
  terminate(): void;
}

export const SOCKETS_PER_USER = 100;

/** Every open socket of this process: one timer for all, a bound for each user, and a farewell when the process stops. */
export class OpenSockets {
  private readonly sockets = new Set<OpenSocket>();
  private readonly placesOf = new Map<string, number>();
  private readonly timer: NodeJS.Timeout;
  private tickedAt: number;
  private onEmpty: (() => void) | null = null;

  /** @param tickMs how often every socket looks at the clock */
  constructor(
    private readonly figures: Pick<LiveFigures, 'socketsOpen' | 'socketClosed'>,
    private readonly clock: Clock,
    private readonly tickMs: number,
    private readonly perUser = SOCKETS_PER_USER,
  ) {
    this.tickedAt = clock.monotonicMs();
    this.timer = setInterval(() => this.tick(), tickMs).unref();
  }

  /**
   * A place for a socket that is being opened; gives the way to free it, which may be called again.
   *
   * @throws WeftError `too_many_sockets`
   */
  reserve(userId: string): () => void {
    const taken = this.placesOf.get(userId) ?? 0;
    if (taken >= this.perUser) {
      throw new WeftError(
        'too_many_sockets',
        `You have ${taken} open sockets, as many as a user may have. Close one.`,
        {
          retryAfterSeconds: 5,
        },
      );
    }
    this.placesOf.set(userId, taken + 1);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const left = (this.placesOf.get(userId) ?? 1) - 1;
      if (left > 0) this.placesOf.set(userId, left);
      else this.placesOf.delete(userId);
    };
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
