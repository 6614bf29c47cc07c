import type { Invalidation } from '@weft/contracts';
import { publish, RedisNames, type Channels, type Redis } from '@weft/redis';

export type InvalidationKind = Invalidation['kind'];

/**
 * Tells every cache of every replica to drop an entry: in this process at once, elsewhere within milliseconds. A hint:
 * while Redis is unreachable nothing reaches other replicas, and their caches query MongoDB at most a second later.
 */
export class InvalidationBus {
  private readonly listeners = new Map<InvalidationKind, Set<(id: string) => void>>();
  private readonly channel: string;

  /**
   * @param publisher a connection for commands
   * @param prefix of the channel's name; processes with another prefix receive nothing
   * @param replica id of this process, so that it ignores its own messages
   */
  constructor(
    private readonly publisher: Redis,
    private readonly subscriber: Channels,
    prefix: string,
    private readonly replica: string,
  ) {
    this.channel = new RedisNames(prefix).invalidations;
    subscriber.subscribe(this.channel, (message) => this.receive(message));
  }

  /** Call it after the change is committed. Never fails. */
  publish(invalidation: Invalidation): void {
    this.deliver(invalidation.kind, invalidation.id);
    if (this.publisher.status !== 'ready') return;
    const message = JSON.stringify([this.replica, invalidation.kind, invalidation.id]);
    publish(this.publisher, this.channel, message).catch(() => undefined); // a hint: the receivers query MongoDB within 1 s
  }

  /** Returns the function that stops listening. */
  on(kind: InvalidationKind, listener: (id: string) => void): () => void {
    let listeners = this.listeners.get(kind);
    if (!listeners) this.listeners.set(kind, (listeners = new Set()));
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** False while messages of other replicas cannot arrive. */
  get isConnected(): boolean {
    return this.subscriber.isConnected();
  }

  /**
   * Called when messages of other replicas may have been missed up to now. Returns the function that stops listening.
   */
  onGap(listener: () => void): () => void {
    return this.subscriber.onGap((channels) => {
      if (channels.includes(this.channel)) listener();
    });
  }

  private receive(message: string): void {
    const parsed = parseMessage(message);
    if (parsed && parsed.replica !== this.replica) this.deliver(parsed.kind, parsed.id);
  }

  private deliver(kind: InvalidationKind, id: string): void {
    for (const listener of this.listeners.get(kind) ?? []) listener(id);
  }
}

function parseMessage(message: string): { replica: string; kind: InvalidationKind; id: string } | undefined {
  try {
    const [replica, kind, id] = JSON.parse(message) as [string, InvalidationKind, string];
    return { replica, kind, id };
  } catch {
    return undefined; // not our message: another program may publish on this server
  }
}
