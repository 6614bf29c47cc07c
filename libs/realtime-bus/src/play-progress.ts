import type { LayerProgress, LayerText } from '@weft/contracts';
import { publish, RedisNames, type Channels, type Redis } from '@weft/redis';

import type { BusSeal } from './bus-seal.js';

export interface ProgressListener {
  progress(updates: readonly LayerProgress[]): void;
  text(said: LayerText): void;
}

/**
 * The progress of running layers and what they say, on one channel for each company, separate from its notices: only
 * gateways with watchers subscribe. Nothing is stored or repeated, and nothing is sent while Redis is unreachable: the next
 * update replaces the last. Messages are sealed; one that cannot be opened is ignored.
 */
export class PlayProgress {
  private readonly pending = new Map<string, Map<string, LayerProgress>>();
  /** Companies whose last progress somebody received: Redis returns how many. */
  private readonly heard = new Set<string>();
  private readonly channelPrefix: string;

  constructor(
    private readonly publisher: Redis,
    private readonly subscriber: Channels,
    prefix: string,
    private readonly seal: BusSeal,
  ) {
    this.channelPrefix = new RedisNames(prefix).progress;
  }

  /**
   * Never waits, never fails. All updates of one tick are sent as one message for each company, with the latest of each
   * layer.
   */
  publish(companyId: string, update: LayerProgress): void {
    if (this.pending.size === 0) setImmediate(() => this.flush());
    let layers = this.pending.get(companyId);
    if (!layers) this.pending.set(companyId, (layers = new Map<string, LayerProgress>()));
    layers.set(`${update.playId}.${update.position}`, update);
  }

  /**
   * Sends only to companies where somebody has received the last progress: a layer that says something reports it, too.
   *
   * @returns whether it was sent
   */
  say(companyId: string, { playId, position, answer, at, text }: LayerText): boolean {
    const isHeard = this.heard.has(companyId);
    if (isHeard) this.send(companyId, { said: [playId, position, answer, at, text] });
    return isHeard;
  }

  /** Returns the function that unsubscribes. */
  subscribe(companyId: string, listener: ProgressListener): () => void {
    const channel = this.channelPrefix + companyId;
    return this.subscriber.subscribe(channel, (message) => {
      const text = this.seal.open(channel, message);
      if (text !== null) hear(text, listener);
    });
  }

  private flush(): void {
    const batch = [...this.pending];
    this.pending.clear();
    for (const [companyId, layers] of batch) {
      const rows = [...layers.values()].map((one) => [one.playId, one.position, one.attempt, one.percent, one.status]);
      this.send(companyId, rows);
    }
  }

  private send(companyId: string, message: object): void {
    if (this.publisher.status !== 'ready') return;
    const channel = this.channelPrefix + companyId;
    publish(this.publisher, channel, this.seal.seal(channel, JSON.stringify(message))).then(
      (listeners) => void (listeners > 0 ? this.heard.add(companyId) : this.heard.delete(companyId)),
      () => undefined, // the next update replaces it
    );
  }
}

type Row = [string, number, number, number, string];

/** @param text sealed by a worker, perhaps of a version with another format: that is ignored */
function hear(text: string, listener: ProgressListener): void {
  const message = parsed(text);
  if (Array.isArray(message)) {
    const updates = (message as Row[]).map(([playId, position, attempt, percent, status]) => ({
      ...{ playId, position, attempt, percent, status },
    }));
    if (updates.length > 0) listener.progress(updates);
  } else if (typeof message === 'object' && message !== null && 'said' in message && Array.isArray(message.said)) {
    const [playId, position, answer, at, said] = message.said as Row;
    listener.text({ playId, position, answer, at, text: said });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
