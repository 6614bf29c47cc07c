import type { Socket } from 'node:net';

/** The properties of one direction of a connection. Default: as fast as this machine. */
export interface Shape {
  /** Nothing passes, and neither side is notified: bytes wait, like those of a disconnected peer that are sent again later. */
  readonly held?: boolean;
  readonly delayMs?: number;
  /** Added to the delay of each chunk, at random from none to all of it; the order stays. */
  readonly jitterMs?: number;
  readonly bytesPerSecond?: number;
}

/** Bytes in transit before the sender is stopped: about the size of network buffers. */
const MOST_ON_THE_WAY = 256 * 1024;
/** With a bandwidth, bytes are sent in parts of this size, so that they arrive slowly. */
const PART = 8 * 1024;

interface Part {
  readonly bytes: Buffer;
  readonly dueAt: number;
}

/** Carries bytes from one socket to another, in order, with the properties at the moment of their arrival. */
export class Lane {
  private readonly parts: Part[] = [];
  private onTheWay = 0;
  private lastDueAt = 0;
  private freeAt = 0;
  private ended = false;
  private timer: NodeJS.Timeout | undefined;

  /** @param carried is what arrives in the place of what was sent; empty while a message is not whole */
  constructor(
    private readonly from: Socket,
    private readonly to: Socket,
    private readonly shape: () => Shape,
    carried: (bytes: Buffer) => readonly Buffer[] = (bytes) => [bytes],
  ) {
    from.on('data', (bytes: Buffer) => {
      for (const each of carried(bytes)) this.take(each);
      if (this.onTheWay > MOST_ON_THE_WAY) from.pause();
      this.pass();
    });
    from.on('end', () => {
      this.ended = true;
      this.pass();
    });
    to.on('drain', () => this.pass());
    to.on('close', () => clearTimeout(this.timer));
  }

  /** Passes on what is due: after each change of the shape, too. */
  pass(): void {
    clearTimeout(this.timer);
    if (this.to.destroyed || this.shape().held === true) return;
    for (let next = this.parts[0]; next !== undefined; next = this.parts[0]) {
      if (this.to.writableNeedDrain) return;
      const waitMs = next.dueAt - performance.now();
      if (waitMs > 0) {
        this.timer = setTimeout(() => this.pass(), waitMs);
        return;
      }
      this.parts.shift();
      this.onTheWay -= next.bytes.length;
      this.to.write(next.bytes);
    }
    this.from.resume();
    if (this.ended) this.to.end();
  }

  private take(bytes: Buffer): void {
    const { delayMs = 0, jitterMs = 0, bytesPerSecond = Number.POSITIVE_INFINITY } = this.shape();
    const now = performance.now();
    const arrivesIn = delayMs + jitterMs * Math.random();
    const size = Number.isFinite(bytesPerSecond) ? PART : bytes.length;
    for (let at = 0; at < bytes.length; at += size) {
      const part = bytes.subarray(at, at + size);
      this.freeAt = Math.max(this.freeAt, now) + (part.length / bytesPerSecond) * 1_000;
      this.lastDueAt = Math.max(this.lastDueAt, this.freeAt + arrivesIn);
      this.parts.push({ bytes: part, dueAt: this.lastDueAt });
      this.onTheWay += part.length;
    }
  }
}
