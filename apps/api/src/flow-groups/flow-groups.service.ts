import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import type { Page } from '@weft/contracts';
import { WeftError, type Clock, type NewId, CLOCK, NEW_ID } from '@weft/kernel';
import { TenantScope, type AuditAction, type AuditEntryInput } from '@weft/store';
import { FLOW_GROUPS, FlowGroupRepository, type FlowGroupDocument } from '@weft/records';
import { InvalidationBus } from '@weft/realtime-bus';
import { actorEntry, changesBetween, type Actor } from '../audit/actor-entry.js';
import { FlowRights } from '../flows/flow-rights.js';
import { toPage, toPageRequest, type PageQuery } from '../http/paging.js';
import { toFlowGroupView, type FlowGroupView } from './flow-group.view.js';

@Injectable()
export class FlowGroupsService {
  constructor(
    private readonly groups: FlowGroupRepository,
    private readonly rights: FlowRights,
    private readonly bus: InvalidationBus,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  async create(actor: Actor, name: string): Promise<FlowGroupView> {
    const group: FlowGroupDocument = {
      _id: this.newId(),
      company_id: actor.caller.companyId,
      name,
      created_by: actor.caller.userId,
      created_at: new Date(this.clock.now()),
      joins: 0,
    };
    await this.groups.insert(scopeOf(actor.caller), group, entryOf(actor, 'flow_group_created', null, group));
    return toFlowGroupView(group, []);
  }

  async list(caller: Principal, query: PageQuery): Promise<Page<FlowGroupView>> {
    const request = toPageRequest(query);
    const found = await this.groups.list(scopeOf(caller), request);
    const flows = await this.flowsOf(caller, found.items);
    return toPage(request, found, (group) => toFlowGroupView(group, flows.get(group._id) ?? []));
  }

  /** @throws WeftError `not_found` */
  async read(caller: Principal, id: string): Promise<FlowGroupView> {
    const group = await this.find(caller, id);
    return toFlowGroupView(group, (await this.flowsOf(caller, [group])).get(id) ?? []);
  }

  /** @throws WeftError `not_found` */
  async rename(actor: Actor, id: string, name: string | undefined): Promise<FlowGroupView> {
    const before = await this.find(actor.caller, id);
    if (name !== undefined && name !== before.name) {
      const entry = entryOf(actor, 'flow_group_updated', before, { ...before, name });
      if (!(await this.groups.rename(scopeOf(actor.caller), id, name, entry))) throw notFound();
    }
    return this.read(actor.caller, id);
  }

  /** @throws WeftError `not_found`, `flow_group_in_use` */
  async remove(actor: Actor, id: string): Promise<void> {
    const group = await this.find(actor.caller, id);
    const entry = entryOf(actor, 'flow_group_deleted', group, null);
    const removed = await this.groups.remove(scopeOf(actor.caller), id, entry);
    if (removed === 'missing') throw notFound();
    if (removed === 'has_flows') {
      throw new WeftError('flow_group_in_use', 'The flow group still has flows: take them out of it first.');
    }
    for (const grantee of removed.grantees) this.bus.publish({ kind: 'grants', id: grantee });
  }

  private async find(caller: Principal, id: string): Promise<FlowGroupDocument> {
    const group = await this.groups.find(scopeOf(caller), id);
    if (!group) throw notFound();
    return group;
  }

  private async flowsOf(
    caller: Principal,
    groups: readonly FlowGroupDocument[],
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    const ids = groups.map(({ _id }) => _id);
    return this.groups.flowsOf(scopeOf(caller), ids, await this.rights.visibilityOf(caller));
  }
}

function scopeOf(caller: Principal): TenantScope {
  return new TenantScope(caller.companyId);
}

function notFound(): WeftError {
  return new WeftError('not_found', 'There is no flow group with this id.');
}

function entryOf(
  actor: Actor,
  action: AuditAction,
  before: FlowGroupDocument | null,
  after: FlowGroupDocument | null,
): AuditEntryInput {
  const subject = { collection: FLOW_GROUPS, resource_type: 'flow_group', resource_id: (after ?? before)?._id ?? '' };
  return actorEntry(actor, action, subject, changesBetween(before, after, ['name']));
}
