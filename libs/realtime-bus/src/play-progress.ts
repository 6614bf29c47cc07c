import type { LayerProgress } from '@weft/contracts';

import type { BusRedis, ChannelSubscriber } from './channel-subscriber.js';

export type ProgressListener = (told: readonly LayerProgress[]) => void;

/**
 * How far running layers are, one channel a company, apart from its notices: only gateways with somebody to tell listen.
 * Nothing is stored or repeated, and nothing is sent while Redis is away: the next one says more than the last.
 */
export class PlayProgress {
  private readonly pending = new Map<string, Map<string, LayerProgress>>();
  private readonly channelPrefix: string;

  constructor(
    private readonly publisher: BusRedis,
    private readonly subscriber: ChannelSubscriber,
    prefix: string,
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
    return this.subscriber.subscribe(this.channelPrefix + companyId, (message) => {
      const told = parseProgress(message);
      if (told.length > 0) listener(told);
    });
  }

  private flush(): void {
    const batch = [...this.pending];
    this.pending.clear();
    if (this.publisher.status !== 'ready') return;
    for (const [companyId, layers] of batch) {
      const rows = [...layers.values()].map((one) => [one.playId, one.position, one.attempt, one.percent, one.status]);
      this.publisher.publish(this.channelPrefix + companyId, JSON.stringify(rows)).catch(() => undefined); // see above
    }
  }
}

function parseProgress(message: string): LayerProgress[] {
  try {
    const rows = JSON.parse(message) as [string, number, number, number, string][];
    return rows.map(([playId, position, attempt, percent, status]) => ({ playId, position, attempt, percent, status }));
  } catch {
    return []; // not ours: another program may publish on this server
  }
}
