import { publish, RedisNames, type Channels, type Redis } from '@weft/redis';

/**
 * Asks the worker that runs a play to read it again now: a user or the time limit has changed it. A hint: a worker that
 * misses one notices the change at its next write or renewal, so publishing never waits and never fails.
 */
export class PlaySignals {
  private readonly pending = new Set<string>();
  private readonly channel: string;

  constructor(
    private readonly publisher: Redis,
    private readonly subscriber: Channels,
    prefix: string,
  ) {
    this.channel = new RedisNames(prefix).signals;
  }

  /** Call it after the write was acknowledged. All signals of one tick are sent as one message. */
  publish(playId: string): void {
    if (this.pending.size === 0) setImmediate(() => this.flush());
    this.pending.add(playId);
  }

  /** Returns the function that unsubscribes. */
  subscribe(listener: (playId: string) => void): () => void {
    return this.subscriber.subscribe(this.channel, (message) => {
      for (const playId of parseIds(message)) listener(playId);
    });
  }

  private flush(): void {
    const ids = [...this.pending];
    this.pending.clear();
    if (this.publisher.status !== 'ready') return;
    publish(this.publisher, this.channel, JSON.stringify(ids)).catch(() => undefined); // a hint
  }
}

function parseIds(message: string): string[] {
  try {
    return (JSON.parse(message) as unknown[]).filter((id) => typeof id === 'string');
  } catch {
    return []; // not our message: another program may publish on this server
  }
}
