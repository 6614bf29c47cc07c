import type { TenantScope, WebhookDeliveriesRepository, WebhookDocument } from '@weft/persistence';

/** Deliveries of one endpoint that are pending in MongoDB; further events of it stay in the change log: ADR 83. */
const MAX_PENDING = 10_000;
/** The share of them down to which they are delivered before further ones are stored. */
const LOW_SHARE = 0.5;
/** Endpoints with many are counted no more often. */
const COUNT_EVERY_MS = 2_000;
/** Repeats that are made due at once when a receiver with a backlog has recovered. */
const HURRIED_AT_ONCE = 1_000;

interface Backlog {
  readonly counted: number;
  /** Since then. */
  readonly added: number;
  /** Monotonic ms. */
  readonly countedAt: number;
}

/** How many deliveries of the endpoints of one company are pending, so that their number is bounded. */
export class EndpointBacklogs {
  private readonly known = new Map<string, Backlog>();

  constructor(
    private readonly deliveries: Pick<WebhookDeliveriesRepository, 'countPending' | 'hurry'>,
    private readonly maxPending = MAX_PENDING,
    private readonly monotonicMs: () => number = () => performance.now(),
  ) {}

  /** These were stored for the endpoint. */
  add(webhookId: string, count: number): void {
    const known = this.known.get(webhookId);
    if (known) this.known.set(webhookId, { ...known, added: known.added + count });
  }

  /** Whether nothing may be stored for it now. */
  async isFull(scope: TenantScope, webhookId: string): Promise<boolean> {
    return (await this.pending(scope, webhookId, this.maxPending)) >= this.maxPending;
  }

  /** Whether events that stayed in the log may be stored. If a receiver that works again only waits for repeats, they come now. */
  async hasRoom(scope: TenantScope, { _id: id, failing_since }: WebhookDocument): Promise<boolean> {
    if ((await this.pending(scope, id, this.low)) < this.low) return true;
    if (failing_since === null) await this.deliveries.hurry(scope, id, HURRIED_AT_ONCE);
    return false;
  }

  /** Forgets endpoints that are not among these. */
  keep(webhookIds: ReadonlySet<string>): void {
    for (const id of this.known.keys()) if (!webhookIds.has(id)) this.known.delete(id);
  }

  private get low(): number {
    return this.maxPending * LOW_SHARE;
  }

  /** No fewer than there are, and those that there are if it would be `limit` or more. */
  private async pending(scope: TenantScope, webhookId: string, limit: number): Promise<number> {
    const now = this.monotonicMs();
    const known = this.known.get(webhookId);
    const atMost = known && known.counted + known.added;
    const isRecent = known && known.counted >= this.low && now - known.countedAt < COUNT_EVERY_MS;
    if (atMost !== undefined && (atMost < limit || isRecent)) return atMost;
    const counted = await this.deliveries.countPending(scope, webhookId, this.maxPending);
    this.known.set(webhookId, { counted, added: 0, countedAt: now });
    return counted;
  }
}
