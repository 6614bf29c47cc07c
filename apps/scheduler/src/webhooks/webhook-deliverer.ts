import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '@weft/config';
import { createEgressClient, createEgressDialer, type EgressClient, type EgressDialer } from '@weft/egress';
import { openOAuth, type OAuth } from '@weft/identity';
import { NEW_ID, type Drainable, type NewId } from '@weft/kernel';
import { LOG, Metrics, warnRarely } from '@weft/observability';
import { ChangeSequencer, Mongo, SystemScope } from '@weft/store';
import {
  LeasesRepository,
  WebhookDeliveriesRepository,
  WebhookOutboxesRepository,
  WebhookRepository,
  type DeliveryState,
  type WebhookDocument,
} from '@weft/records';
import { Pass } from '@weft/process';
import { CompanyLimits } from '@weft/runs';
import { signerOf, type AttemptOutcome } from '@weft/webhooks';
import type { Logger } from 'pino';
import { Glance, RESTS_FOR_MS } from '../glance.js';
import { AttemptResults } from './attempt-results.js';
import { AuditEvents } from './audit-events.js';
import { CompanyOutbox } from './company-outbox.js';
import { CompanyWebhooks } from './company-webhooks.js';
import { disableWebhook, type DisableReason } from './disable-webhook.js';
import { OutboxLeases } from './outbox-leases.js';
import { ReplayRunner } from './replay-runner.js';

const PASS = 'webhooks';
const LEASES_PASS = 'webhook leases';
const COMPANIES_AT_ONCE = 8;
/** A pass over a company takes at most this share of the time. */
const PASS_TIME_SHARE = 0.25;
const EXPIRED_AT_ONCE = 1_000;
/** So that attempts can end that were begun before a stop; the rest is sent again by another process. */
const DRAIN_MS = 5_000;
const ALL = new SystemScope('deliveries of all companies are counted and deleted when their time is over');

/** Delivers webhooks for as long as the process lives: ADR 67. Replicas share the companies by leases. */
@Injectable()
export class WebhookDeliverer implements Drainable {
  private readonly http: EgressClient;
  private readonly sockets: EgressDialer;
  private readonly oauth: OAuth;
  private readonly leases: OutboxLeases;
  private readonly webhooks: WebhookRepository;
  private readonly deliveries: WebhookDeliveriesRepository;
  private readonly results: AttemptResults;
  private readonly companies = new Map<string, CompanyWebhooks>();
  private readonly notBefore = new Map<string, number>();
  /** Companies that are due, the one that has waited longest first. */
  private waiting: string[] = [];
  /** Companies whose pass has not ended. */
  private readonly underWay = new Set<string>();
  private readonly onFault: (error: unknown) => void;
  private oldestPending: Date | null = null;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOG) private readonly log: Logger,
    @Inject(NEW_ID) newId: NewId,
    private readonly mongo: Mongo,
    private readonly metrics: Metrics,
    private readonly sequencer: ChangeSequencer,
    private readonly limits: CompanyLimits,
    glance: Glance,
  ) {
    this.http = createEgressClient(settings.egress);
    this.sockets = createEgressDialer(settings.egress);
    this.oauth = openOAuth({ mongo, settings, http: this.http, processTag: newId() });
    const outboxes = new WebhookOutboxesRepository(mongo);
    glance.wake([PASS, LEASES_PASS], () => [outboxes.look(ALL)]);
    this.leases = new OutboxLeases(outboxes, new LeasesRepository(mongo), newId());
    this.webhooks = new WebhookRepository(mongo);
    this.deliveries = new WebhookDeliveriesRepository(mongo);
    this.results = new AttemptResults(this.deliveries);
    this.onFault = warnRarely(log, 'webhooks', 'webhooks could not be delivered; the next pass goes on');
    metrics.beforeRead(() => this.show());
  }

  async drain(deadlineMs: number): Promise<void> {
    this.sequencer.stop();
    for (const company of this.companies.values()) company.stop();
    this.waiting = [];
    const until = performance.now() + Math.min(deadlineMs, DRAIN_MS);
    while ((this.inFlight > 0 || this.underWay.size > 0) && performance.now() < until)
      await new Promise((resolve) => setTimeout(resolve, 50));
    await this.leases.giveBack().catch(this.onFault);
  }

  private get inFlight(): number {
    return [...this.companies.values()].reduce((sum, { inFlight }) => sum + inFlight, 0);
  }

  /** Begins passes over the companies that are due, and waits for none of them: a company that takes its time holds up no other one. */
  @Pass({ name: PASS, everyMs: 500, restMs: RESTS_FOR_MS })
  async pass(): Promise<void> {
    const owned = new Set(this.leases.owned);
    for (const [id, company] of this.companies) {
      if (owned.has(id) || this.underWay.has(id)) continue;
      company.stop();
      this.companies.delete(id);
      this.notBefore.delete(id);
    }
    const now = performance.now();
    const dueAt = (id: string) => this.notBefore.get(id) ?? 0;
    this.waiting = [...owned]
      .filter((id) => dueAt(id) <= now && !this.underWay.has(id))
      .sort((a, b) => dueAt(a) - dueAt(b));
    this.beginNext();
  }

  @Pass({ name: LEASES_PASS, everyMs: 2_000, restMs: RESTS_FOR_MS })
  async renewLeases(): Promise<void> {
    await this.leases.pass();
  }

  private beginNext(): void {
    while (this.underWay.size < COMPANIES_AT_ONCE) {
      const companyId = this.waiting.shift();
      if (companyId === undefined) return;
      this.underWay.add(companyId);
      void this.passOver(companyId)
        .catch(this.onFault)
        .finally(() => {
          this.underWay.delete(companyId);
          this.beginNext();
        });
    }
  }

  private async passOver(companyId: string): Promise<void> {
    const startedAt = performance.now();
    try {
      if (await this.limits.isStopped(companyId)) this.rest(companyId);
      else await this.companyOf(companyId).pass();
    } finally {
      const tookMs = performance.now() - startedAt;
      this.notBefore.set(companyId, performance.now() + tookMs / PASS_TIME_SHARE - tookMs);
    }
  }

  /** What happened meanwhile is in the change log, and is delivered when the company is resumed. */
  private rest(companyId: string): void {
    this.companies.get(companyId)?.stop();
    this.companies.delete(companyId);
  }

  private companyOf(companyId: string): CompanyWebhooks {
    const found = this.companies.get(companyId);
    if (found) return found;
    const { mongo, sequencer } = this;
    const base = this.settings.server.apiUrl;
    const outbox = new CompanyOutbox({ mongo, sequencer, base });
    const made = new CompanyWebhooks(companyId, {
      webhooks: this.webhooks,
      outbox,
      audit: new AuditEvents({ mongo, base, store: (scope, deliveries) => outbox.store(scope, deliveries) }),
      replays: new ReplayRunner(mongo, outbox),
      serverNow: () => mongo.serverNow(),
      queue: {
        egress: this.http,
        serverNow: () => mongo.serverNow(),
        wallNow: () => Date.now(),
        deliveries: this.deliveries,
        results: this.results,
        signerOf: (webhook) => signerOf(this.oauth.secrets, webhook, new Date(mongo.serverNow())),
        onAttempt: (outcome, state) => this.count(outcome, state),
        onFault: this.onFault,
      },
      maySend: () => this.leases.isProven(companyId),
      disable: (webhook, reason) => this.disable(webhook, reason),
    });
    this.companies.set(companyId, made);
    return made;
  }

  private async disable(webhook: WebhookDocument, reason: DisableReason): Promise<boolean> {
    const disabled = await disableWebhook(webhook, reason, {
      mongo: this.mongo,
      webhooks: this.webhooks,
      integrations: this.oauth.integrationTokens,
      sockets: this.sockets,
      base: this.settings.server.apiUrl,
      onMailFault: (webhook_id, error) =>
        this.log.warn(
          { component: 'webhooks', webhook_id, reason: error instanceof Error ? error.message : String(error) },
          'the mail that a webhook was disabled could not be sent',
        ),
    });
    if (disabled) {
      this.metrics.webhookDisabled(reason);
      this.log.warn({ component: 'webhooks', webhook_id: webhook._id, reason }, 'a webhook was disabled');
    }
    return disabled;
  }

  private count({ attempt, verdict }: AttemptOutcome, state: DeliveryState): void {
    const outcome = attempt.status === null ? 'unanswered' : verdict === 'delivered' ? 'delivered' : 'refused';
    this.metrics.webhookAttempt(outcome, attempt.duration_ms / 1_000);
    if (state !== 'pending') this.metrics.webhookEnded(state);
  }

  async removeExpired(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await this.deliveries.removeExpired(ALL, EXPIRED_AT_ONCE)) === EXPIRED_AT_ONCE);
  }

  /** For the gauges. */
  async findOldest(): Promise<void> {
    const ids = [...this.companies.values()].flatMap(({ enabledIds }) => enabledIds);
    const oldest = [...(await this.deliveries.oldestPending(ALL, ids)).values()];
    this.oldestPending = oldest.length > 0 ? new Date(Math.min(...oldest.map((at) => at.getTime()))) : null;
  }

  private show(): void {
    const sumOf = (idsOf: (company: CompanyWebhooks) => readonly string[]) =>
      [...this.companies.values()].reduce((sum, company) => sum + idsOf(company).length, 0);
    const failing = sumOf(({ failingIds }) => failingIds);
    const behind = sumOf(({ behindIds }) => behindIds);
    const oldest = this.oldestPending;
    const seconds = oldest ? Math.max(0, this.mongo.serverNow() - oldest.getTime()) / 1_000 : null;
    this.metrics.webhooks({ inFlight: this.inFlight, failing, behind, oldestSeconds: seconds });
  }
}
