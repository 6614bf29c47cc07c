import { lastIdAt } from '@weft/kernel';
import { AuditRepository, type AuditAction, type AuditFacts, type Mongo, type TenantScope } from '@weft/store';
import { WebhookOutboxesRepository, type DeliveryDocument, type WebhookDocument } from '@weft/records';
import { OTHER_EVENTS, type WebhookEventType } from '@weft/shapes';
import { newDelivery, orderOfOther, wants } from '@weft/webhooks';

/** Entries are stored by transactions, which may be committed this long after the time in an entry's id. */
const MARGIN_MS = 120_000;
const PAGE = 500;
/** While nobody wants these events, so that a later endpoint's first look back is short. */
const MOVED_EVERY_MS = 60_000;

const EVENT_OF: Readonly<Partial<Record<AuditAction, (typeof OTHER_EVENTS)[number]>>> = {
  flow_created: 'flow.changed',
  flow_updated: 'flow.changed',
  flow_deleted: 'flow.changed',
  flow_restored: 'flow.changed',
  flow_imported: 'flow.changed',
  flow_instantiated: 'flow.changed',
  flow_version_restored: 'flow.changed',
  flow_published: 'flow.changed',
  layer_created: 'flow.changed',
  layer_updated: 'flow.changed',
  layer_deleted: 'flow.changed',
  layers_reordered: 'flow.changed',
  schedule_missed: 'schedule.missed',
  webhook_disabled: 'webhook.disabled',
};
const ACTIONS = Object.keys(EVENT_OF) as AuditAction[];
const OTHERS: ReadonlySet<string> = new Set(OTHER_EVENTS);

export interface AuditEventsDependencies {
  readonly mongo: Mongo;
  readonly base: string;
  readonly store: (scope: TenantScope, deliveries: readonly DeliveryDocument[]) => Promise<void>;
}

/** Makes audit entries into deliveries: events of webhooks that are not about plays. */
export class AuditEvents {
  private readonly audit: AuditRepository;
  private readonly outboxes: WebhookOutboxesRepository;
  private movedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly deps: AuditEventsDependencies) {
    this.audit = new AuditRepository(deps.mongo);
    this.outboxes = new WebhookOutboxesRepository(deps.mongo);
  }

  /**
   * @param webhooks all endpoints of the company
   * @param readAt MongoDB's clock from before they were read: an endpoint that is made later gets entries from then on
   */
  async pass(scope: TenantScope, webhooks: readonly WebhookDocument[], readAt: number): Promise<void> {
    const takers = webhooks.filter(({ enabled, events }) => enabled && events.some((type) => OTHERS.has(type)));
    if (takers.length === 0) return this.moveOn(scope, readAt);
    const outbox = await this.outboxes.find(scope);
    if (!outbox) return;
    const since = Math.min(outbox.audit_to.getTime(), readAt) - MARGIN_MS;
    for (let after = lastIdAt(Math.max(0, since)); ;) {
      const entries = await this.audit.since(scope, ACTIONS, after, PAGE);
      await this.deps.store(
        scope,
        entries.flatMap((entry) => this.deliveriesOf(entry, takers, outbox.next_batch)),
      );
      after = entries.at(-1)?._id ?? after;
      if (entries.length < PAGE) break;
    }
    await this.outboxes.moveOn(scope, { audit_to: outbox.audit_to }, { audit_to: new Date(readAt) });
  }

  private async moveOn(scope: TenantScope, readAt: number): Promise<void> {
    if (performance.now() - this.movedAt < MOVED_EVERY_MS) return;
    this.movedAt = performance.now();
    await this.outboxes.moveOn(scope, {}, { audit_to: new Date(readAt) });
  }

  private deliveriesOf(entry: AuditFacts, takers: readonly WebhookDocument[], nextBatch: number): DeliveryDocument[] {
    const type = EVENT_OF[entry.action_type];
    if (!type || entry.outcome !== 'success') return [];
    const flowId = type === 'webhook.disabled' ? null : flowOf(entry);
    const now = new Date(this.deps.mongo.serverNow());
    return takers
      .filter((webhook) => entry.timestamp >= webhook.from_at && wants(webhook, { type, flowId }))
      .filter((webhook) => webhook._id !== entry.resource_id)
      .map((webhook) => {
        const data = this.dataOf(type, entry, flowId);
        const order = orderOfOther(nextBatch, entry._id);
        return newDelivery(webhook, entry._id, type, entry.timestamp, data, order, now);
      });
  }

  private dataOf(type: WebhookEventType, entry: AuditFacts, flowId: string | null): object {
    if (type === 'webhook.disabled') {
      return {
        webhookId: entry.resource_id,
        reason: entry.reason,
        url: `${this.deps.base}/api/v1/webhooks/${entry.resource_id}`,
      };
    }
    const common = { flowId, url: `${this.deps.base}/api/v1/flows/${flowId}` };
    if (type === 'flow.changed') return { ...common, action: entry.action_type, userId: entry.UserID };
    return { ...common, scheduleId: entry.resource_id, missed: entry.changes.missed?.after ?? null };
  }
}

function flowOf({ resource_type, resource_id, changes }: AuditFacts): string | null {
  if (resource_type === 'flow') return resource_id;
  const flowId = changes.flow_id?.after;
  return typeof flowId === 'string' ? flowId : null;
}
