import { Command, type Cluster, type Redis } from 'ioredis';
import { ChannelSubscriber, type ChannelListener, type Channels } from './channel-subscriber.js';

interface Subscription {
  readonly channel: string;
  readonly listener: ChannelListener;
  server: string;
  leave: () => void;
}

/**
 * The subscriptions of one process to a cluster. Each channel is subscribed to at the server that has its slot, over one connection
 * for each such server; when the slot moves, or its server is replaced, the subscription follows, which is reported as a gap.
 */
export class ClusterSubscriber implements Channels {
  private readonly servers = new Map<string, ChannelSubscriber>();
  private readonly subscriptions = new Set<Subscription>();
  private readonly gapListeners = new Set<(channels: readonly string[]) => void>();

  /**
   * @param cluster tells which server has which slot; `close` ends it
   * @param open a connection of purpose `subscriber` to one server, as host:port
   */
  constructor(
    private readonly cluster: Cluster,
    private readonly open: (server: string) => Redis,
  ) {
    cluster.on('refresh', () => this.follow());
  }

  subscribe(channel: string, listener: ChannelListener): () => void {
    const subscription: Subscription = { channel, listener, server: '', leave: () => undefined };
    this.subscriptions.add(subscription);
    this.place(subscription);
    return () => {
      this.subscriptions.delete(subscription);
      subscription.leave();
    };
  }

  onGap(listener: (channels: readonly string[]) => void): () => void {
    this.gapListeners.add(listener);
    return () => this.gapListeners.delete(listener);
  }

  isConnected(): boolean {
    const isPlaced = [...this.subscriptions].every(({ server }) => server !== '');
    return this.cluster.status === 'ready' && isPlaced && [...this.servers.values()].every((one) => one.isConnected());
  }

  close(): void {
    this.subscriptions.clear();
    this.gapListeners.clear();
    for (const server of this.servers.values()) server.close();
    this.cluster.disconnect();
  }

  private follow(): void {
    for (const subscription of this.subscriptions) this.place(subscription);
    const used = new Set([...this.subscriptions].map(({ server }) => server));
    for (const [server, subscriber] of this.servers) {
      if (used.has(server)) continue;
      this.servers.delete(server);
      subscriber.close();
    }
  }

  private place(subscription: Subscription): void {
    const server = this.cluster.slots[slotOf(subscription.channel)]?.[0];
    if (server === undefined || server === subscription.server) return; // what is not known now is refreshed soon
    subscription.leave();
    subscription.server = server;
    subscription.leave = this.subscriberOf(server).subscribe(subscription.channel, subscription.listener);
  }

  private subscriberOf(server: string): ChannelSubscriber {
    const known = this.servers.get(server);
    if (known) return known;
    const redis = this.open(server);
    redis.on('moved', () => this.cluster.refreshSlotsCache());
    const subscriber = new ChannelSubscriber(redis, 'sharded');
    subscriber.onGap((channels) => {
      for (const listener of this.gapListeners) listener(channels);
    });
    this.servers.set(server, subscriber);
    return subscriber;
  }
}

function slotOf(channel: string): number {
  return new Command('ssubscribe', [channel]).getSlot() ?? 0;
}
