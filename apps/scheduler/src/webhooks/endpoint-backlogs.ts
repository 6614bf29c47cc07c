import type { TenantScope } from '@weft/store';
import type { PendingCounts, WebhookDeliveriesRepository, WebhookDocument } from '@weft/records';

/** Deliveries of one endpoint that are due in MongoDB; further events of it stay in the change log: ADR 67. */
const MAX_DUE = 10_000;
/** Pending ones, those that wait for a repeat among them, as a multiple of those that may be due. */
const PENDING_PER_DUE = 5;
/** The share of them down to which they are delivered before further ones are stored. */
const LOW_SHARE = 0.5;
/** Endpoints with many are counted no more often; those with very many, which takes longer, more rarely. */
const COUNT_EVERY_MS = 2_000;
const COUNT_VERY_MANY_EVERY_MS = 10_000;
/** Repeats that are made due at once when they alone keep events in the log. */
const HURRIED_AT_ONCE = 1_000;
/** Until that is tried again when there were fewer. */
const HURRY_EVERY_MS = 10_000;

interface Backlog {
  readonly counted: PendingCounts;
  /** Since then. */
  readonly added: number;
  /** Monotonic ms. */
  readonly countedAt: number;
}

/**
 * How many deliveries of the endpoints of one company are pending, so that their number is bounded. Those that wait for a repeat
 * leave room for new ones up to a bound of their own: a receiver that refuses some events gets the others.
 */
export class EndpointBacklogs {
  private readonly known = new Map<string, Backlog>();
  /** Monotonic ms, of endpoints whose repeats all were hurried. */
  private readonly hurryFrom = new Map<string, number>();

  constructor(
    private readonly deliveries: Pick<WebhookDeliveriesRepository, 'countPending' | 'hurry'>,
    private readonly maxDue = MAX_DUE,
    private readonly monotonicMs: () => number = () => performance.now(),
  ) {}

  /** These were stored for the endpoint, or made due. */
  add(webhookId: string, count: number): void {
    const known = this.known.get(webhookId);
    if (known) this.known.set(webhookId, { ...known, added: known.added + count });
  }

  /** Whether nothing may be stored for it now. */
  async isFull(scope: TenantScope, webhookId: string): Promise<boolean> {
    const limits = { due: this.maxDue, all: this.maxPending };
    return !areBelow(await this.pending(scope, webhookId, limits), limits);
  }

  /** Whether events that stayed in the log may be stored. If at a receiver that works only repeats keep them there, some come now. */
  async hasRoom(scope: TenantScope, { _id: id, failing_since }: WebhookDocument): Promise<boolean> {
    const limits = { due: this.lowDue, all: this.maxPending - this.lowDue };
    const pending = await this.pending(scope, id, limits);
    if (areBelow(pending, limits)) return true;
    if (failing_since === null && pending.due < limits.due) await this.hurry(scope, id);
    return false;
  }

  /** Forgets endpoints that are not among these. */
  keep(webhookIds: ReadonlySet<string>): void {
    for (const id of this.known.keys()) if (!webhookIds.has(id)) this.known.delete(id);
    for (const id of this.hurryFrom.keys()) if (!webhookIds.has(id)) this.hurryFrom.delete(id);
  }

  private get lowDue(): number {
    return this.maxDue * LOW_SHARE;
  }

  private get maxPending(): number {
    return this.maxDue * PENDING_PER_DUE;
  }

  private async hurry(scope: TenantScope, webhookId: string): Promise<void> {
    const now = this.monotonicMs();
    if (now < (this.hurryFrom.get(webhookId) ?? Number.NEGATIVE_INFINITY)) return;
    const hurried = await this.deliveries.hurry(scope, webhookId, HURRIED_AT_ONCE);
    this.add(webhookId, hurried);
    if (hurried < HURRIED_AT_ONCE) this.hurryFrom.set(webhookId, now + HURRY_EVERY_MS);
  }

  /** No fewer than were stored, and those that there are where one of them would come to its limit. */
  private async pending(scope: TenantScope, webhookId: string, limits: PendingCounts): Promise<PendingCounts> {
    const now = this.monotonicMs();
    const known = this.known.get(webhookId);
    if (known) {
      const { counted, added, countedAt } = known;
      const atMost = { due: counted.due + added, all: counted.all + added };
      if (areBelow(atMost, limits)) return atMost;
      const everyMs = counted.all > this.maxDue ? COUNT_VERY_MANY_EVERY_MS : COUNT_EVERY_MS;
      if (counted.all >= this.lowDue && now - countedAt < everyMs) return atMost;
    }
    const counted = await this.deliveries.countPending(scope, webhookId, { due: this.maxDue, all: this.maxPending });
    this.known.set(webhookId, { counted, added: 0, countedAt: now });
    return counted;
  }
}

function areBelow(counts: PendingCounts, limits: PendingCounts): boolean {
  return counts.due < limits.due && counts.all < limits.all;
}
