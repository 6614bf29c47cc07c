import type { Invalidation } from '@weft/contracts';

import type { BusRedis, ChannelSubscriber } from './channel-subscriber.js';

export type InvalidationKind = Invalidation['kind'];

/**
 * "Forget what you know of this", to every cache of every replica: here at once, elsewhere within milliseconds. A hint:
 * while Redis is down nothing reaches the others, and their caches look into MongoDB at most a second later.
 */
export class InvalidationBus {
  private readonly listeners = new Map<InvalidationKind, Set<(id: string) => void>>();
  private readonly channel: string;

  /**
   * @param publisher a connection for commands
   * @param prefix in front of the channel's name; processes with another prefix hear nothing
   * @param replica names this process, so that it does not hear itself
   */
  constructor(
    private readonly publisher: BusRedis,
    private readonly subscriber: ChannelSubscriber,
    prefix: string,
    private readonly replica: string,
  ) {
    this.channel = `${prefix}:invalidations`;
    subscriber.subscribe(this.channel, (message) => this.receive(message));
  }

  /** Call it after the change is committed. Never fails. */
  publish(invalidation: Invalidation): void {
    this.deliver(invalidation.kind, invalidation.id);
    if (this.publisher.status !== 'ready') return;
    const message = JSON.stringify([this.replica, invalidation.kind, invalidation.id]);
    this.publisher.publish(this.channel, message).catch(() => undefined); // a hint: the receivers' own look comes within 1 s
  }

  /** Gives the way to stop listening. */
  on(kind: InvalidationKind, listener: (id: string) => void): () => void {
    let heard = this.listeners.get(kind);
    if (!heard) this.listeners.set(kind, (heard = new Set()));
    heard.add(listener);
    return () => heard.delete(listener);
  }

  /** False while messages of other replicas cannot arrive. */
  get isHeard(): boolean {
    return this.subscriber.isConnected();
  }

  /** Called when messages of other replicas may have been missed up to now. Gives the way to stop listening. */
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
    return undefined; // not ours: another program may publish on this server
  }
}
