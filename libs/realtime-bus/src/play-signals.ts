import type { BusRedis, ChannelSubscriber } from './channel-subscriber.js';

/**
 * "Read this play again now", to whichever worker executes it: a user or the time limit has changed what it may do. A hint:
 * a worker that misses one finds out at its next write or renewal, so publishing never waits and never fails.
 */
export class PlaySignals {
  private readonly pending = new Set<string>();
  private readonly channel: string;

  constructor(
    private readonly publisher: BusRedis,
    private readonly subscriber: ChannelSubscriber,
    prefix: string,
  ) {
    this.channel = `${prefix}:signals`;
  }

  /** Call it after the write was acknowledged. All of one tick leave as one message. */
  publish(playId: string): void {
    if (this.pending.size === 0) setImmediate(() => this.flush());
    this.pending.add(playId);
  }

  /** Gives the way to end it. */
  subscribe(listener: (playId: string) => void): () => void {
    return this.subscriber.subscribe(this.channel, (message) => {
      for (const playId of parseIds(message)) listener(playId);
    });
  }

  private flush(): void {
    const ids = [...this.pending];
    this.pending.clear();
    if (this.publisher.status !== 'ready') return;
    this.publisher.publish(this.channel, JSON.stringify(ids)).catch(() => undefined); // a hint
  }
}

function parseIds(message: string): string[] {
  try {
    return (JSON.parse(message) as unknown[]).filter((id) => typeof id === 'string');
  } catch {
    return []; // not ours: another program may publish on this server
  }
}
