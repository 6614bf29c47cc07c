import type { Redis } from 'ioredis';

export type ChannelListener = (message: string) => void;

/**
 * The subscriptions of one process over one connection, counted by channel. Redis forgets them when the connection
 * breaks, so they are made again after each reconnect; what was published meanwhile is lost. Every acknowledged
 * (re)subscription is reported to the gap listeners, which then read from MongoDB.
 */
export class ChannelSubscriber {
  private readonly listeners = new Map<string, Set<ChannelListener>>();
  private readonly gapListeners = new Set<(channels: readonly string[]) => void>();

  /** @param redis opened with the purpose `subscriber`; `close` ends it */
  constructor(private readonly redis: Redis) {
    redis.on('message', (channel: string, message: string) => {
      for (const listener of this.listeners.get(channel) ?? []) listener(message);
    });
    redis.on('ready', () => this.subscribeTo([...this.listeners.keys()]));
  }

  /**
   * Takes effect when Redis acknowledges it, which is reported to the gap listeners. Returns the function that
   * unsubscribes.
   */
  subscribe(channel: string, listener: ChannelListener): () => void {
    let listeners = this.listeners.get(channel);
    if (!listeners) {
      listeners = new Set();
      this.listeners.set(channel, listeners);
      if (this.isConnected()) this.subscribeTo([channel]);
    }
    listeners.add(listener);
    return () => this.unsubscribe(channel, listener);
  }

  /** Called with the channels whose messages may have been missed up to now. */
  onGap(listener: (channels: readonly string[]) => void): () => void {
    this.gapListeners.add(listener);
    return () => this.gapListeners.delete(listener);
  }

  /** False while published messages cannot arrive here. */
  isConnected(): boolean {
    return this.redis.status === 'ready';
  }

  close(): void {
    this.listeners.clear();
    this.gapListeners.clear();
    this.redis.disconnect();
  }

  private subscribeTo(channels: readonly string[]): void {
    if (channels.length === 0) return;
    this.redis.subscribe(...channels).then(
      () => {
        const live = channels.filter((channel) => this.listeners.has(channel));
        if (live.length > 0) for (const listener of this.gapListeners) listener(live);
      },
      () => undefined, // the connection broke; the next 'ready' subscribes to everything again
    );
  }

  private unsubscribe(channel: string, listener: ChannelListener): void {
    const listeners = this.listeners.get(channel);
    if (!listeners?.delete(listener) || listeners.size > 0) return;
    this.listeners.delete(channel);
    if (this.isConnected()) this.redis.unsubscribe(channel).catch(() => undefined); // a broken connection has no subscriptions
  }
}
