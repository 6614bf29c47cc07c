import type { LayerProgress } from '@weft/contracts';

import type { BusSeal } from './bus-seal.js';
import type { BusRedis, ChannelSubscriber } from './channel-subscriber.js';

export type ProgressListener = (told: readonly LayerProgress[]) => void;

/**
 * How far running layers are, one channel a company, apart from its notices: only gateways with somebody to tell listen.
 * Nothing is stored or repeated, and nothing is sent while Redis is away: the next one says more than the last. Messages are
 * sealed; one that does not open is passed over.
 */
export class PlayProgress {
  private readonly pending = new Map<string, Map<string, LayerProgress>>();
  private readonly channelPrefix: string;

  constructor(
    private readonly publisher: BusRedis,
    private readonly subscriber: ChannelSubscriber,
    prefix: string,
    private readonly seal: BusSeal,
  ) {
    this.channelPrefix = `${prefix}:progress:`;
  }

  /** Never waits, never fails. All of one tick leave as one message a company, of each layer the latest. */
  tell(companyId: string, told: LayerProgress): void {
    if (this.pending.size === 0) setImmediate(() => this.flush());
    let layers = this.pending.get(companyId);
    if (!layers) this.pending.set(companyId, (layers = new Map<string, LayerProgress>()));
    layers.set(`${told.playId}.${told.position}`, told);
  }

  /** Gives the way to end it. */
  subscribe(companyId: string, listener: ProgressListener): () => void {
    const channel = this.channelPrefix + companyId;
    return this.subscriber.subscribe(channel, (message) => {
      const text = this.seal.open(channel, message);
      const told = text === null ? [] : parseProgress(text);
      if (told.length > 0) listener(told);
    });
  }

  private flush(): void {
    const batch = [...this.pending];
    this.pending.clear();
    if (this.publisher.status !== 'ready') return;
    for (const [companyId, layers] of batch) {
      const rows = [...layers.values()].map((one) => [one.playId, one.position, one.attempt, one.percent, one.status]);
      const channel = this.channelPrefix + companyId;
      this.publisher.publish(channel, this.seal.seal(channel, JSON.stringify(rows))).catch(() => undefined); // see above
    }
  }
}

/** @param text sealed by a worker, perhaps of a version that writes otherwise: that is passed over */
function parseProgress(text: string): LayerProgress[] {
  try {
    const rows = JSON.parse(text) as [string, number, number, number, string][];
    return rows.map(([playId, position, attempt, percent, status]) => ({ playId, position, attempt, percent, status }));
  } catch {
    return [];
  }
}
