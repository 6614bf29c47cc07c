import type { LayerProgress } from '@weft/contracts';
import { publish, RedisNames, type Channels, type Redis } from '@weft/redis';

import type { BusSeal } from './bus-seal.js';

export type ProgressListener = (updates: readonly LayerProgress[]) => void;

/**
 * The progress of running layers, on one channel for each company, separate from its notices: only gateways with
 * watchers subscribe. Nothing is stored or repeated, and nothing is sent while Redis is unreachable: the next update
 * replaces the last. Messages are sealed; one that cannot be opened is ignored.
 */
export class PlayProgress {
  private readonly pending = new Map<string, Map<string, LayerProgress>>();
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

  /** Returns the function that unsubscribes. */
  subscribe(companyId: string, listener: ProgressListener): () => void {
    const channel = this.channelPrefix + companyId;
    return this.subscriber.subscribe(channel, (message) => {
      const text = this.seal.open(channel, message);
      const updates = text === null ? [] : parseProgress(text);
      if (updates.length > 0) listener(updates);
    });
  }

  private flush(): void {
    const batch = [...this.pending];
    this.pending.clear();
    if (this.publisher.status !== 'ready') return;
    for (const [companyId, layers] of batch) {
      const rows = [...layers.values()].map((one) => [one.playId, one.position, one.attempt, one.percent, one.status]);
      const channel = this.channelPrefix + companyId;
      publish(this.publisher, channel, this.seal.seal(channel, JSON.stringify(rows))).catch(() => undefined); // the next update replaces it
    }
  }
}

/** @param text sealed by a worker, perhaps of a version with another format: that is ignored */
function parseProgress(text: string): LayerProgress[] {
  try {
    const rows = JSON.parse(text) as [string, number, number, number, string][];
    return rows.map(([playId, position, attempt, percent, status]) => ({ playId, position, attempt, percent, status }));
  } catch {
    return [];
  }
}
