import type { Redis } from 'ioredis';

/** What brings messages of channels to this process. */
export interface Channels {
  /**
   * Takes effect when Redis acknowledges it, which is reported to the gap listeners. Returns the function that
   * unsubscribes.
   */
  subscribe(channel: string, listener: ChannelListener): () => void;
  /** Called with the channels whose messages may have been missed up to now. Returns the function that stops listening. */
  onGap(listener: (channels: readonly string[]) => void): () => void;
  /** False while published messages cannot arrive here. */
  isConnected(): boolean;
  close(): void;
}

const REFUSED_AGAIN_MS = 500;

export type ChannelListener = (message: string) => void;

/**
 * The subscriptions of one process over one connection, counted by channel. Redis forgets them when the connection
 * breaks, so they are made again after each reconnect; what was published meanwhile is lost. Every acknowledged
 * (re)subscription is reported to the gap listeners, which then read from MongoDB.
 */
export class ChannelSubscriber implements Channels {
  private readonly listeners = new Map<string, Set<ChannelListener>>();
  private readonly gapListeners = new Set<(channels: readonly string[]) => void>();
  /** Channels that Redis, although connected, does not let this process listen to. */
  private readonly refused = new Set<string>();
  private again: NodeJS.Timeout | null = null;

  /**
   * @param redis opened with the purpose `subscriber`; `close` ends it
   * @param kind `sharded`: the server is one of a cluster, and has the slots of the channels
   */
  constructor(
    private readonly redis: Redis,
    private readonly kind: 'plain' | 'sharded' = 'plain',
  ) {
    redis.on(kind === 'plain' ? 'message' : 'smessage', (channel: string, message: string) => {
      for (const listener of this.listeners.get(channel) ?? []) listener(message);
    });
    redis.on('ready', () => this.subscribeTo([...this.listeners.keys()]));
    // a slot has left the server, perhaps to come back: then it has forgotten who listens
    redis.on('moved', () => this.subscribeLater(this.listeners.keys()));
  }

  subscribe(channel: string, listener: ChannelListener): () => void {
    let listeners = this.listeners.get(channel);
    if (!listeners) {
      listeners = new Set();
      this.listeners.set(channel, listeners);
      if (this.isReady()) this.subscribeTo([channel]);
    }
    listeners.add(listener);
    return () => this.unsubscribe(channel, listener);
  }

  onGap(listener: (channels: readonly string[]) => void): () => void {
    this.gapListeners.add(listener);
    return () => this.gapListeners.delete(listener);
  }

  isConnected(): boolean {
    return this.isReady() && this.refused.size === 0;
  }

  close(): void {
    this.listeners.clear();
    this.gapListeners.clear();
    this.refused.clear();
    clearTimeout(this.again ?? undefined);
    this.redis.disconnect();
  }

  private subscribeTo(channels: readonly string[]): void {
    // sharded channels of several slots are several commands
    const groups = this.kind === 'plain' && channels.length > 0 ? [channels] : channels.map((channel) => [channel]);
    for (const group of groups) {
      const subscribed = this.kind === 'plain' ? this.redis.subscribe(...group) : this.redis.ssubscribe(...group);
      subscribed.then(
        () => {
          for (const channel of group) this.refused.delete(channel);
          const live = group.filter((channel) => this.listeners.has(channel));
          if (live.length > 0) for (const listener of this.gapListeners) listener(live);
        },
        // the connection broke, and the next 'ready' subscribes to everything again; or another server had the slot
        () => this.subscribeLater(group),
      );
    }
  }

  private subscribeLater(channels: Iterable<string>): void {
    if (!this.isReady()) return;
    for (const channel of channels) this.refused.add(channel);
    this.again ??= setTimeout(() => {
      this.again = null;
      if (this.isReady()) this.subscribeTo([...this.refused]);
    }, REFUSED_AGAIN_MS).unref();
  }

  private isReady(): boolean {
    return this.redis.status === 'ready';
  }

  private unsubscribe(channel: string, listener: ChannelListener): void {
    const listeners = this.listeners.get(channel);
    if (!listeners?.delete(listener) || listeners.size > 0) return;
    this.listeners.delete(channel);
    this.refused.delete(channel);
    if (!this.isReady()) return; // a broken connection has no subscriptions
    const left = this.kind === 'plain' ? this.redis.unsubscribe(channel) : this.redis.sunsubscribe(channel);
    left.catch(() => undefined);
  }
}
