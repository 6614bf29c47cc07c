import { TenantScope } from '@weft/store';
import { WebhookRepository, type WebhookDocument } from '@weft/records';
import type { AuditEvents } from './audit-events.js';
import type { CompanyOutbox } from './company-outbox.js';
import type { DisableReason } from './disable-webhook.js';
import { EndpointQueue, type EndpointQueueDependencies } from './endpoint-queue.js';
import type { ReplayRunner } from './replay-runner.js';
import { CompanySlots } from './send-limits.js';

/** Attempts of one company in flight at once, over all of its endpoints. */
const MAX_IN_FLIGHT = 200;
/** An endpoint is dead when nothing has succeeded for this long, in at least this many attempts. */
const DEAD_AFTER_MS = 5 * 86_400_000;
const DEAD_AFTER_FAILURES = 20;
/** An endpoint shows in the metrics as failing from then on. */
const SHOWN_AFTER_MS = 600_000;

export interface CompanyWebhooksDependencies {
  readonly webhooks: WebhookRepository;
  readonly outbox: CompanyOutbox;
  readonly audit: AuditEvents;
  readonly replays: ReplayRunner;
  readonly serverNow: () => number;
  readonly queue: Omit<EndpointQueueDependencies, 'slots' | 'maySend'>;
  readonly maySend: () => boolean;
  readonly disable: (webhook: WebhookDocument, reason: DisableReason) => Promise<boolean>;
}

/** The webhooks of one company whose lease this process has. */
export class CompanyWebhooks {
  private readonly scope: TenantScope;
  private readonly slots = new CompanySlots(MAX_IN_FLIGHT);
  private readonly queues = new Map<string, EndpointQueue>();
  private readonly faulty = new Set<string>();
  private failing: readonly string[] = [];

  constructor(
    companyId: string,
    private readonly deps: CompanyWebhooksDependencies,
  ) {
    this.scope = new TenantScope(companyId);
  }

  get inFlight(): number {
    return this.slots.inFlight;
  }

  /** Ids of endpoints that fail for long. */
  get failingIds(): readonly string[] {
    return this.failing;
  }

  /** Ids of endpoints that are sent to. */
  get enabledIds(): readonly string[] {
    return [...this.queues.keys()];
  }

  /** Ids of endpoints whose latest events are not made into deliveries yet, because too many are pending. */
  get behindIds(): readonly string[] {
    return this.deps.outbox.behindIds;
  }

  async pass(): Promise<void> {
    // the lease may be another process's by now
    if (!this.deps.maySend()) return;
    const readAt = this.deps.serverNow();
    const webhooks = await this.deps.webhooks.all(this.scope);
    this.updateQueues(webhooks);
    await this.judge(webhooks);
    await this.deps.outbox.pass(this.scope, webhooks);
    await this.deps.audit.pass(this.scope, webhooks, readAt);
    await this.deps.replays.pass(this.scope, webhooks);
    this.updateQueues(webhooks);
  }

  stop(): void {
    for (const queue of this.queues.values()) queue.stop();
  }

  private updateQueues(webhooks: readonly WebhookDocument[]): void {
    const enabled = new Map(webhooks.filter((webhook) => webhook.enabled).map((webhook) => [webhook._id, webhook]));
    for (const [id, queue] of this.queues) {
      if (enabled.has(id)) continue;
      queue.stop();
      this.queues.delete(id);
    }
    for (const webhook of enabled.values()) this.updateQueue(webhook);
    const shownFrom = this.deps.serverNow() - SHOWN_AFTER_MS;
    this.failing = [...enabled.values()]
      .filter(({ failing_since: since }) => since !== null && since.getTime() < shownFrom)
      .map(({ _id }) => _id);
  }

  private updateQueue(webhook: WebhookDocument): void {
    try {
      const queue = this.queues.get(webhook._id);
      if (queue) queue.update(webhook);
      else {
        const made = new EndpointQueue(webhook, { ...this.deps.queue, slots: this.slots, maySend: this.deps.maySend });
        this.queues.set(webhook._id, made);
        made.update(webhook);
      }
      this.faulty.delete(webhook._id);
    } catch (error) {
      // its secret cannot be read: the others go on
      this.queues.get(webhook._id)?.stop();
      this.queues.delete(webhook._id);
      if (!this.faulty.has(webhook._id)) this.deps.queue.onFault(error);
      this.faulty.add(webhook._id);
    }
  }

  /** Stores how the attempts went, and disables what is over. */
  private async judge(webhooks: readonly WebhookDocument[]): Promise<void> {
    for (const webhook of webhooks) {
      const news = this.queues.get(webhook._id)?.takeNews();
      if (!news) continue;
      const wasFailing = webhook.failing_since !== null;
      if (news.hasSucceeded && wasFailing) await this.deps.webhooks.clearFailures(this.scope, webhook._id);
      const after =
        news.failures > 0 ? await this.deps.webhooks.addFailures(this.scope, webhook._id, news.failures) : null;
      const reason = news.isOver ?? (after && this.isDead(after) ? 'dead' : null);
      if (reason === null || !(await this.deps.disable(webhook, reason))) continue;
      this.queues.get(webhook._id)?.stop();
      this.queues.delete(webhook._id);
    }
  }

  private isDead({ enabled, failing_since: since, failures }: WebhookDocument): boolean {
    if (!enabled || since === null || failures < DEAD_AFTER_FAILURES) return false;
    return this.deps.serverNow() - since.getTime() >= DEAD_AFTER_MS;
  }
}
