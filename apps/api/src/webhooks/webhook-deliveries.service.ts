import { Inject, Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { SETTINGS, type Settings } from '@weft/config';
import { createEgressClient, type EgressClient } from '@weft/egress';
import { SecretBox } from '@weft/identity';
import { NEW_ID, WeftError, type NewId } from '@weft/kernel';
import { Mongo, SystemScope, TenantScope, type PageOf, type PageRequest } from '@weft/store';
import {
  DELIVERY_KEPT_MS,
  WebhookDeliveriesRepository,
  WebhookReplaysRepository,
  type DeliveryDocument,
  type ReplayDocument,
} from '@weft/records';
import { attemptDelivery, newDelivery, signerOf } from '@weft/webhooks';
import type { Actor } from '../audit/actor-entry.js';
import { readTime } from '../http/iso-time.js';
import { webhookEntry } from './webhook-entry.js';
import type { ListDeliveriesQuery, ReplayBody } from './webhook.requests.js';
import { WebhooksService } from './webhooks.service.js';

/** Running at once in a company. */
const MAX_REPLAYS = 10;
const TESTS = new SystemScope('the result of a test event is stored with its delivery');

/** What was sent to an endpoint, and sending it again. */
@Injectable()
export class WebhookDeliveriesService implements OnModuleDestroy {
  private readonly deliveries: WebhookDeliveriesRepository;
  private readonly replays: WebhookReplaysRepository;
  private readonly secrets: SecretBox;
  private readonly egress: EgressClient;

  constructor(
    private readonly webhooks: WebhooksService,
    private readonly mongo: Mongo,
    @Inject(NEW_ID) private readonly newId: NewId,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    this.deliveries = new WebhookDeliveriesRepository(mongo);
    this.replays = new WebhookReplaysRepository(mongo);
    this.secrets = new SecretBox(settings.secrets);
    this.egress = createEgressClient(settings.egress);
  }

  onModuleDestroy(): Promise<void> {
    return this.egress.close();
  }

  /** @throws WeftError `not_found` */
  async list(
    caller: Principal,
    id: string,
    { state }: ListDeliveriesQuery,
    page: PageRequest,
  ): Promise<PageOf<DeliveryDocument>> {
    await this.webhooks.read(caller, id);
    return this.deliveries.list(scopeOf(caller), id, state, page);
  }

  /**
   * Sends one event now, signed as all are, whether the endpoint is enabled or not. It is tried once.
   *
   * @throws WeftError `not_found`
   */
  async test(caller: Principal, id: string): Promise<DeliveryDocument> {
    const webhook = await this.webhooks.read(caller, id);
    const scope = scopeOf(caller);
    const now = new Date(this.mongo.serverNow());
    const type = webhook.events[0] ?? 'play.done';
    const name = this.newId();
    const url = `${this.settings.server.apiUrl}/api/v1/webhooks/${id}`;
    const made = newDelivery(webhook, name, type, now, { test: true, webhookId: id, url }, `!${name}`, now);
    // not pending: the deliverer must not send it, too
    const delivery: DeliveryDocument = {
      ...made,
      ...{ state: 'failed', next_attempt: null, expires_at: new Date(now.getTime() + DELIVERY_KEPT_MS) },
    };
    await this.deliveries.add(scope, [delivery]);
    const { attempt } = await attemptDelivery(webhook.url, delivery, signerOf(this.secrets, webhook, now), {
      egress: this.egress,
      serverNow: () => this.mongo.serverNow(),
      wallNow: () => Date.now(),
    });
    const isDelivered = attempt.status !== null && attempt.status >= 200 && attempt.status < 300;
    const state = isDelivered ? 'delivered' : 'failed';
    await this.deliveries.record(TESTS, [{ id: delivery._id, due: null, attempt, state, next_attempt: null }]);
    return { ...delivery, state, attempts: [attempt] };
  }

  /** @throws WeftError `not_found` */
  async replayOne(actor: Actor, id: string, deliveryId: string): Promise<DeliveryDocument> {
    const webhook = await this.webhooks.read(actor.caller, id);
    const entry = { ...webhookEntry(actor, 'webhook_replayed', webhook, webhook), reason: deliveryId };
    const delivery = await this.deliveries.replay(scopeOf(actor.caller), id, deliveryId, entry);
    if (!delivery) throw new WeftError('not_found', 'This webhook has no delivery with this id.');
    return delivery;
  }

  /** @throws WeftError `not_found`, `invalid_body`, `too_many_bulks` */
  async replayMany(actor: Actor, id: string, { since: from, until: to, only }: ReplayBody): Promise<ReplayDocument> {
    const webhook = await this.webhooks.read(actor.caller, id);
    const since = timeOf('since', from);
    const until = timeOf('until', to);
    if (since >= until) throw invalid('until', 'until must be after since');
    const replay: ReplayDocument = {
      _id: this.newId(),
      company_id: actor.caller.companyId,
      webhook_id: id,
      ...{ since, until, only },
      ...{ state: 'running', matched: 0, changed: 0, skipped: 0, failed: 0, position: '' },
      createdAt: new Date(this.mongo.serverNow()),
      completedAt: null,
    };
    const entry = webhookEntry(actor, 'webhook_replayed', webhook, webhook);
    const reason = `${only}, ${since.toISOString()} to ${until.toISOString()}`;
    if (await this.replays.insert(scopeOf(actor.caller), replay, MAX_REPLAYS, { ...entry, reason })) return replay;
    const message = `A company has at most ${MAX_REPLAYS} replays that are running. Wait until one is done.`;
    throw new WeftError('too_many_bulks', message, { retryAfterSeconds: 5 });
  }

  /** @throws WeftError `not_found` */
  async listReplays(caller: Principal, id: string, page: PageRequest): Promise<PageOf<ReplayDocument>> {
    await this.webhooks.read(caller, id);
    return this.replays.list(scopeOf(caller), id, page);
  }

  /** @throws WeftError `not_found` */
  async readReplay(caller: Principal, id: string, replayId: string): Promise<ReplayDocument> {
    const replay = await this.replays.find(scopeOf(caller), id, replayId);
    if (!replay) throw new WeftError('not_found', 'This webhook has no replay with this id.');
    return replay;
  }
}

function timeOf(path: string, text: string): Date {
  const time = readTime(text);
  if (!time) throw invalid(path, `${path} must be a time that exists, in ISO 8601 with its zone`);
  return time;
}

function invalid(path: string, message: string): WeftError {
  return new WeftError('invalid_body', `${message}.`, { errors: [{ path, code: 'invalid', message }] });
}

function scopeOf(caller: Principal): TenantScope {
  return new TenantScope(caller.companyId);
}
