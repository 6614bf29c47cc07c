import type { openRedis } from '@weft/queue';

/** A connection made by `openRedis`. */
export type BusRedis = ReturnType<typeof openRedis>;

export type ChannelListener = (message: string) => void;

/**
 * The subscriptions of one process over one connection, counted by channel. Redis forgets them whenever the connection
 * breaks, so they are made again on each reconnect; what was published meanwhile is gone, and every acknowledged
 * (re)subscription is told to the gap listeners, who read the truth elsewhere.
 */
export class ChannelSubscriber {
  private readonly listeners = new Map<string, Set<ChannelListener>>();
  private readonly gapListeners = new Set<(channels: readonly string[]) => void>();

  /** @param redis opened with the purpose `subscriber`; `close` ends it */
  constructor(private readonly redis: BusRedis) {
    redis.on('message', (channel: string, message: string) => {
      for (const listener of this.listeners.get(channel) ?? []) listener(message);
    });
    redis.on('ready', () => this.subscribeTo([...this.listeners.keys()]));
  }

  /** Takes effect when Redis acknowledges it; the gap listeners hear of that. Gives the way to end it. */
  subscribe(channel: string, listener: ChannelListener): () => void {
    let heard = this.listeners.get(channel);
    if (!heard) {
      heard = new Set();
      this.listeners.set(channel, heard);
      if (this.isConnected()) this.subscribeTo([channel]);
    }
    heard.add(listener);
    return () => this.unsubscribe(channel, listener);
  }

  /** Called with the channels whose messages may have been missed up to now. */
  onGap(listener: (channels: readonly string[]) => void): () => void {
    this.gapListeners.add(listener);
    return () => this.gapListeners.delete(listener);
  }

  /** False while what is published cannot arrive here. */
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
    const heard = this.listeners.get(channel);
    if (!heard?.delete(listener) || heard.size > 0) return;
    this.listeners.delete(channel);
    if (this.isConnected()) this.redis.unsubscribe(channel).catch(() => undefined); // a broken connection has no subscriptions
  }
}
