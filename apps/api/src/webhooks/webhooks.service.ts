import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { SETTINGS, type Settings } from '@weft/config';
import { SecretBox } from '@weft/identity';
import { NEW_ID, WeftError, type NewId } from '@weft/kernel';
import { Mongo, TenantScope, type PageOf, type PageRequest } from '@weft/store';
import { FlowRepository, IntegrationRepository, WebhookRepository, type WebhookDocument } from '@weft/records';
import { webhookShape } from '@weft/shapes';
import { rotatedSecret, sealNewSecret, type Signing } from '@weft/webhooks';
import type { Actor } from '../audit/actor-entry.js';
import { ChangePasses } from '../changes/change-passes.js';
import { assertLabels } from '../http/labels.js';
import { webhookEntry } from './webhook-entry.js';
import type { CreateWebhookBody, UpdateWebhookBody } from './webhook.requests.js';
import type { ShownSecret } from './webhook.view.js';

const MAX_WEBHOOKS = 100;

export interface WithSecret {
  readonly webhook: WebhookDocument;
  readonly shown: ShownSecret;
}

/** The endpoints of a company's webhooks: docs/webhooks.md. */
@Injectable()
export class WebhooksService {
  private readonly webhooks: WebhookRepository;
  private readonly secrets: SecretBox;

  constructor(
    private readonly mongo: Mongo,
    private readonly flows: FlowRepository,
    private readonly integrations: IntegrationRepository,
    private readonly changes: ChangePasses,
    @Inject(NEW_ID) private readonly newId: NewId,
    @Inject(SETTINGS) settings: Settings,
  ) {
    this.webhooks = new WebhookRepository(mongo);
    this.secrets = new SecretBox(settings.secrets);
  }

  list(caller: Principal, page: PageRequest): Promise<PageOf<WebhookDocument>> {
    return this.webhooks.list(scopeOf(caller), page);
  }

  /** @throws WeftError `not_found` */
  async read(caller: Principal, id: string): Promise<WebhookDocument> {
    const webhook = await this.webhooks.find(scopeOf(caller), id);
    if (!webhook) throw notFound();
    return webhook;
  }

  /** @throws WeftError `unknown_id`, `invalid_labels`, `too_many_webhooks` */
  async create(actor: Actor, body: CreateWebhookBody): Promise<WithSecret> {
    const { caller } = actor;
    await this.assertKnown(caller, body);
    const fields = webhookShape.parse(body);
    const place = { _id: this.newId(), company_id: caller.companyId };
    const { sealed, shown } = sealNewSecret(this.secrets, place, fields.signing);
    const now = new Date(this.mongo.serverNow());
    const webhook: WebhookDocument = {
      ...place,
      ...fields,
      secret: sealed,
      previous_secret: null,
      previous_until: null,
      disabled_reason: null,
      from_at: now,
      from_batch: await this.changes.present(scopeOf(caller)),
      failing_since: null,
      failures: 0,
      created_by: caller.userId,
      created_at: now,
      updated_at: now,
    };
    const entry = webhookEntry(actor, 'webhook_created', null, webhook);
    if (!(await this.webhooks.insert(scopeOf(caller), webhook, MAX_WEBHOOKS, entry))) {
      throw new WeftError('too_many_webhooks', `A company has at most ${MAX_WEBHOOKS} webhooks.`);
    }
    return { webhook, shown: shownAs(fields.signing, shown) };
  }

  /** @throws WeftError `not_found`, `unknown_id`, `invalid_labels` */
  async update(actor: Actor, id: string, body: UpdateWebhookBody): Promise<WebhookDocument> {
    const { caller } = actor;
    const before = await this.read(caller, id);
    await this.assertKnown(caller, body);
    const { notify, ...rest } = body;
    const isWoken = body.enabled === true && !before.enabled;
    // as long as nobody wanted events of plays, the outbox has stood still
    const beginsWithPlays = takesPlays(body.events ?? []) && !takesPlays(before.events);
    const changes: Partial<WebhookDocument> = {
      ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
      ...(notify !== undefined && { notify: notify && { integrationId: notify.integrationId, to: notify.to } }),
      // what came meanwhile is replayed, not delivered: it may be very much
      ...(isWoken && { from_at: new Date(this.mongo.serverNow()) }),
      ...((isWoken || beginsWithPlays) && { from_batch: await this.changes.present(scopeOf(caller)) }),
      ...(isWoken && {
        disabled_reason: null,
        failing_since: null,
        failures: 0,
      }),
    };
    const after = { ...before, ...changes, updated_at: new Date(this.mongo.serverNow()) };
    const entry = webhookEntry(actor, 'webhook_updated', before, after);
    if (Object.keys(entry.changes ?? {}).length === 0) return before;
    const fields = { ...changes, updated_at: after.updated_at };
    if (!(await this.webhooks.update(scopeOf(caller), id, fields, entry))) throw notFound();
    return this.read(caller, id);
  }

  /** @throws WeftError `not_found` */
  async remove(actor: Actor, id: string): Promise<void> {
    const before = await this.read(actor.caller, id);
    const entry = webhookEntry(actor, 'webhook_deleted', before, null);
    if (!(await this.webhooks.remove(scopeOf(actor.caller), id, entry))) throw notFound();
  }

  /**
   * A new secret; the one before signs, too, for 24 hours.
   *
   * @throws WeftError `not_found`
   */
  async rotate(actor: Actor, id: string): Promise<ShownSecret> {
    const before = await this.read(actor.caller, id);
    const now = new Date(this.mongo.serverNow());
    const { fields, shown } = rotatedSecret(this.secrets, before, now);
    const entry = webhookEntry(actor, 'webhook_rotated', before, before);
    const expected = { secret: before.secret };
    const scope = scopeOf(actor.caller);
    if (!(await this.webhooks.update(scope, id, { ...fields, updated_at: now }, entry, expected))) {
      // rotated by somebody else, or deleted
      return this.rotate(actor, id);
    }
    return shownAs(before.signing, shown);
  }

  private async assertKnown(
    caller: Principal,
    { flow_ids: flowIds, labels, notify }: UpdateWebhookBody,
  ): Promise<void> {
    const scope = scopeOf(caller);
    assertLabels('labels', labels ?? undefined);
    if (flowIds?.length === 0) throw invalid('flow_ids', 'flow_ids names no flow: leave it out for all of them');
    const heads = flowIds ? await this.flows.findHeads(scope, flowIds) : [];
    const known = new Set(heads.map(({ _id }) => _id));
    const unknown = (flowIds ?? []).find((id) => !known.has(id));
    if (unknown !== undefined) throw new WeftError('unknown_id', 'flow_ids names a flow that does not exist.');
    if (notify && !(await this.integrations.find(scope, notify.integrationId))) {
      throw new WeftError('unknown_id', 'notify names an integration link that does not exist.');
    }
  }
}

function takesPlays(events: readonly string[]): boolean {
  return events.some((type) => type.startsWith('play.'));
}

function invalid(path: string, message: string): WeftError {
  return new WeftError('invalid_body', `${message}.`, { errors: [{ path, code: 'invalid', message }] });
}

function shownAs(signing: Signing, shown: string): ShownSecret {
  return signing === 'v1' ? { secret: shown } : { public_key: shown };
}

function scopeOf(caller: Principal): TenantScope {
  return new TenantScope(caller.companyId);
}

function notFound(): WeftError {
  return new WeftError('not_found', 'There is no webhook with this id.');
}
