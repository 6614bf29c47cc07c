import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { SETTINGS, type Settings } from '@weft/config';
import type { Page } from '@weft/contracts';
import { NEW_ID, WeftError, type NewId } from '@weft/kernel';
import { Mongo, TenantScope, type AuditAction, type AuditEntryInput } from '@weft/store';
import { FlowRepository, TriggerRepository, TRIGGERS, type TriggerDocument, type TriggerFields } from '@weft/records';
import { compileTrigger, ScheduledRunAuthorizer } from '@weft/runs';
import { triggerShape } from '@weft/shapes';
import { actorEntry, changesBetween, type Actor } from '../audit/actor-entry.js';
import { FlowRights } from '../flows/flow-rights.js';
import { assertLabels } from '../http/labels.js';
import { IntegrationsService } from '../integrations/integrations.service.js';
import { toPage, toPageRequest, type PageQuery } from '../http/paging.js';
import { assertValueFits } from '../http/value-size.js';
import { SourceChecks } from './source-checks.js';
import { changedFields, newFields } from './trigger-fields.js';
import { newToken, TriggerSource } from './trigger-source.js';
import type { CreateTriggerBody, UpdateTriggerBody } from './trigger.requests.js';
import { dedupeRulesOf } from './verifying/dedupe-rules.js';
import { toTriggerView, type MadeTriggerView, type TriggerAddress, type TriggerView } from './trigger.view.js';

/** Of a flow. */
const MAX_TRIGGERS = 50;
/** Bytes as JSON: they are kept in memory with their trigger, and each change keeps what was there before in the audit log. */
const MAX_ARGS_BYTES = 16 * 1024;
const LISTENS_FOR_MS = 5 * 60_000;
const FIELDS = [...Object.keys(triggerShape.shape), 'secret', 'created_by'] as (keyof TriggerDocument)[];

/** Manages triggers. A caller needs the rights to edit and to execute the flow. */
@Injectable()
export class TriggersService {
  constructor(
    private readonly triggers: TriggerRepository,
    private readonly source: TriggerSource,
    private readonly sources: SourceChecks,
    private readonly flows: FlowRepository,
    private readonly rights: FlowRights,
    private readonly authorizer: ScheduledRunAuthorizer,
    private readonly integrations: IntegrationsService,
    private readonly mongo: Mongo,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  async list(caller: Principal, flowId: string, query: PageQuery): Promise<Page<TriggerView>> {
    const request = toPageRequest(query);
    await this.assertMay(caller, flowId);
    const found = await this.triggers.list(scopeOf(caller), flowId, request);
    const items = await Promise.all(found.items.map((trigger) => this.view(trigger)));
    return toPage(request, { ...found, items }, (view) => view);
  }

  async read(caller: Principal, flowId: string, id: string): Promise<TriggerView> {
    return this.view(await this.find(caller, flowId, id));
  }

  /** @throws WeftError `not_found`, `denied`, `flow_is_blueprint`, `invalid_body`, `invalid_expression`, `invalid_labels`, `too_many_triggers`, `unknown_id` */
  async create(actor: Actor, flowId: string, body: CreateTriggerBody): Promise<MadeTriggerView> {
    const { caller } = actor;
    assertArgsFit(body.args);
    assertLabels('labels', body.labels);
    const { isBlueprint } = await this.assertMay(caller, flowId);
    if (isBlueprint) throw new WeftError('flow_is_blueprint', 'A blueprint is not run, and so has no triggers.');
    const { fields, secrets } = newFields(body);
    compileTrigger(fields, dedupeRulesOf(fields));
    await this.assertMayRead(caller, fields.source);
    await this.sources.assertFits(caller, flowId, fields);
    const { token, token_hash } = newToken();
    const now = this.now();
    const of = { _id: this.newId(), company_id: caller.companyId };
    const trigger: TriggerDocument = {
      ...of,
      ...fields,
      flow_id: flowId,
      token_hash,
      secret: this.source.seal(of, secrets),
      created_by: caller.userId,
      created_at: now,
      updated_at: now,
      rev: 1,
    };
    const entry = entryOf(actor, 'trigger_created', null, trigger);
    if (!(await this.triggers.insert(scopeOf(caller), trigger, MAX_TRIGGERS, entry))) {
      throw new WeftError('too_many_triggers', `A flow has at most ${MAX_TRIGGERS} triggers.`);
    }
    // nobody gets to know the token of a trigger that reads
    return { ...(await this.view(trigger)), url: fields.type ? null : this.urlOf(token) };
  }

  /** @throws WeftError as `create`, `version_conflict`, `denied` */
  async update(actor: Actor, flowId: string, id: string, body: UpdateTriggerBody): Promise<TriggerView> {
    assertArgsFit(body.args);
    assertLabels('labels', body.labels);
    const before = await this.find(actor.caller, flowId, id);
    const { fields, secrets } = changedFields(before, body, () => this.source.secretsOf(before));
    compileTrigger(fields, dedupeRulesOf(fields));
    if (body.source) await this.assertMayRead(actor.caller, fields.source);
    await this.sources.assertFits(actor.caller, flowId, fields, before);
    const secret = secrets === null ? before.secret : this.source.seal(before, secrets);
    const changed = changesBetween(before, { ...before, ...fields, secret }, FIELDS);
    if (Object.keys(changed).length === 0) return this.view(before);
    // an event reaches other flows by the rights of the trigger's user, who knows the address: nobody else says what is sent
    if (fields.action && (changed.action ?? changed.args) && before.created_by !== actor.caller.userId) {
      const advice = 'rotate its address first, and it sends them with yours';
      throw new WeftError('denied', `The trigger sends events with the rights of another user: ${advice}.`);
    }
    await this.change(actor, 'trigger_updated', before, { ...fields, secret });
    return this.read(actor.caller, flowId, id);
  }

  /** Whoever says what is read with the credentials of a link must have the right to use it. @throws WeftError `unknown_id`, `denied` */
  private async assertMayRead(caller: Principal, source: TriggerFields['source']): Promise<void> {
    if (source?.integrationId === undefined) return;
    await this.integrations.assertMayUse(caller, source.integrationId, 'source.integrationId');
  }

  /**
   * From now on only the new address takes deliveries. It is known to the caller, so what arrives there has the caller's rights.
   *
   * @throws WeftError `not_found`, `denied`, `version_conflict`, `trigger_has_no_address`
   */
  async rotate(actor: Actor, flowId: string, id: string): Promise<TriggerAddress> {
    const before = await this.find(actor.caller, flowId, id);
    assertHasAddress(before);
    const { token, token_hash } = newToken();
    await this.change(actor, 'trigger_rotated', before, { token_hash, created_by: actor.caller.userId });
    return { id, url: this.urlOf(token) };
  }

  /**
   * The next call within five minutes is shown, and is the sample of the trigger: also one that cannot be verified.
   *
   * @throws WeftError `not_found`, `denied`, `version_conflict`, `trigger_has_no_address`
   */
  async listen(actor: Actor, flowId: string, id: string): Promise<TriggerView> {
    const before = await this.find(actor.caller, flowId, id);
    assertHasAddress(before);
    await this.change(actor, 'trigger_listened', before, {
      listen_until: new Date(this.mongo.serverNow() + LISTENS_FOR_MS),
    });
    return this.read(actor.caller, flowId, id);
  }

  /** @throws WeftError `not_found`, `denied` */
  async remove(actor: Actor, flowId: string, id: string): Promise<void> {
    const before = await this.find(actor.caller, flowId, id);
    const entry = entryOf(actor, 'trigger_deleted', before, null);
    if (!(await this.triggers.remove(scopeOf(actor.caller), flowId, id, entry))) throw notFound();
    this.source.drop(before);
  }

  /** @throws WeftError `not_found`, `denied` */
  async find(caller: Principal, flowId: string, id: string): Promise<TriggerDocument> {
    await this.assertMay(caller, flowId);
    const trigger = await this.triggers.find(scopeOf(caller), flowId, id);
    if (!trigger) throw notFound();
    return trigger;
  }

  private async change(
    actor: Actor,
    action: AuditAction,
    before: TriggerDocument,
    changes: Partial<TriggerDocument>,
  ): Promise<void> {
    const entry = entryOf(actor, action, before, { ...before, ...changes });
    const changed = { ...changes, updated_at: this.now() };
    if (!(await this.triggers.change(scopeOf(actor.caller), before, changed, entry))) {
      throw new WeftError('version_conflict', 'Somebody else changed the trigger in between. Read it again.');
    }
    this.source.drop(before);
  }

  private async assertMay(caller: Principal, flowId: string): Promise<{ readonly isBlueprint: boolean }> {
    const head = await this.flows.findHead(scopeOf(caller), flowId);
    if (head?.filteredAt !== null) throw new WeftError('not_found', 'There is no such flow.');
    await this.rights.assertMay(caller, 'edit', head);
    await this.rights.assertMay(caller, 'execute', head);
    return head;
  }

  private async view(trigger: TriggerDocument): Promise<TriggerView> {
    const { company_id: companyId, flow_id: flowId, created_by: userId } = trigger;
    const judged = await this.authorizer.eligibilityOf({ companyId, flowId, userId, maker: 'trigger' });
    return toTriggerView(trigger, judged.blockedReason);
  }

  private urlOf(token: string): string {
    return `${this.settings.server.apiUrl}/hooks/${token}`;
  }

  private now(): Date {
    return new Date(this.mongo.serverNow());
  }
}

/** @throws WeftError `invalid_body` */
function assertArgsFit(args: TriggerFields['args'] | undefined): void {
  if (args) assertValueFits('args', args, MAX_ARGS_BYTES);
}

/** @throws WeftError `trigger_has_no_address` */
function assertHasAddress({ type }: TriggerFields): void {
  if (!type) return;
  throw new WeftError('trigger_has_no_address', `A trigger of type ${type} reads by itself: nothing is sent to it.`);
}

function scopeOf(caller: Principal): TenantScope {
  return new TenantScope(caller.companyId);
}

function notFound(): WeftError {
  return new WeftError('not_found', 'The flow has no trigger with this id.');
}

function entryOf(
  actor: Actor,
  action: AuditAction,
  before: TriggerDocument | null,
  after: TriggerDocument | null,
): AuditEntryInput {
  const subject = { collection: TRIGGERS, resource_type: 'trigger', resource_id: (after ?? before)?._id ?? '' };
  return actorEntry(actor, action, subject, changesBetween(before, after, FIELDS));
}
