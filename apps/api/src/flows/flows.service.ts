import { Inject, Injectable } from '@nestjs/common';
import { CLOCK, NEW_ID } from '@weft/host';
import type { FlowView, Page } from '@weft/contracts';
import type { FlowSettings } from '@weft/contracts';
import type { Principal } from '@weft/access';
import { WeftError, type Clock, type NewId } from '@weft/kernel';
import { FlowRepository, TenantScope, type FlowDocument } from '@weft/persistence';
import { toPage, toPageRequest } from '../http/paging.js';
import { assertRefsResolved } from '../layers/layer-refs.js';
import { changesBetween, flowEntry, type Actor } from './flow-audit.js';
import { FlowEditor } from './flow-editor.js';
import { FlowRights } from './flow-rights.js';
import type { CreateFlowBody, FlowSettingsBody, ListFlowsQuery, UpdateFlowBody } from './flow.requests.js';
import { toFlowHeadView } from './flow.view.js';

const DEFAULT_SETTINGS: FlowSettings = { concurrency: null, timeoutMs: null, onMissing: 'fail', maxOutputBytes: null };

const AUDITED = [
  'name',
  'enabled',
  'category',
  'description',
  'isBlueprint',
  'restricted',
  'settings',
  'groupId',
  'when',
  'blueprintId',
] as const satisfies readonly (keyof FlowDocument)[];

@Injectable()
export class FlowsService {
  constructor(
    private readonly flows: FlowRepository,
    private readonly editor: FlowEditor,
    private readonly rights: FlowRights,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  async create(actor: Actor, body: CreateFlowBody): Promise<FlowDocument> {
    const { caller } = actor;
    const now = new Date(this.clock.now());
    const flow: FlowDocument = {
      _id: this.newId(),
      company_id: caller.companyId,
      version: 1,
      name: body.name,
      enabled: body.enabled ?? true,
      category: body.category ?? '',
      description: body.description ?? '',
      isBlueprint: body.isBlueprint ?? false,
      restricted: body.restricted ?? false,
      groupId: null,
      when: null,
      settings: withSettings(DEFAULT_SETTINGS, body.settings),
      blueprintId: null,
      createdBy: caller.userId,
      createdAt: now,
      updatedAt: now,
      filteredAt: null,
      layers: [],
    };
    const entry = flowEntry(actor, 'flow_created', flow._id, changesBetween<FlowDocument>(null, flow, AUDITED));
    await this.flows.insert(new TenantScope(caller.companyId), flow, entry);
    return flow;
  }

  /** @throws WeftError `denied` when the deleted flows are asked for by somebody who is no admin */
  async list(caller: Principal, query: ListFlowsQuery): Promise<Page<FlowView>> {
    const request = toPageRequest(query);
    const { isBlueprint, enabled, category, groupId, q, filtered } = query;
    if (filtered && caller.role !== 'admin') throw new WeftError('denied', 'Deleted flows are listed for admins only.');
    const scope = new TenantScope(caller.companyId);
    const filter = { isBlueprint, enabled, category, groupId, q, filtered };
    const visibility = await this.rights.visibilityOf(caller);
    return toPage(request, await this.flows.list(scope, visibility, filter, request), toFlowHeadView);
  }

  /** @throws WeftError `not_found`, `denied` */
  async read(caller: Principal, flowId: string): Promise<FlowDocument> {
    const flow = await this.flows.find(new TenantScope(caller.companyId), flowId);
    if (!flow) throw new WeftError('not_found', 'There is no flow with this id.');
    await this.rights.assertMay(caller, 'read', flow);
    return flow;
  }

  /** @throws WeftError of `FlowEditor.edit`, `unresolved_refs` when a flow with a broken reference is enabled */
  async update(
    actor: Actor,
    flowId: string,
    ifMatch: readonly number[] | null,
    body: UpdateFlowBody,
  ): Promise<FlowDocument> {
    return this.editor.edit({ actor, flowId, permission: 'edit', ifMatch }, (before) => {
      const after: FlowDocument = {
        ...before,
        name: body.name ?? before.name,
        enabled: body.enabled ?? before.enabled,
        category: body.category ?? before.category,
        description: body.description ?? before.description,
        isBlueprint: body.isBlueprint ?? before.isBlueprint,
        restricted: body.restricted ?? before.restricted,
        settings: withSettings(before.settings, body.settings),
        updatedAt: new Date(this.clock.now()),
      };
      const changes = changesBetween(before, after, AUDITED);
      if (Object.keys(changes).length === 0) return null;
      if (after.enabled && !before.enabled) assertRefsResolved(after.layers);
      return { after, entry: flowEntry(actor, 'flow_updated', flowId, changes) };
    });
  }

  /** Takes the flow out of sight: it is not read or run any more, while its plays stay readable. */
  async remove(actor: Actor, flowId: string, ifMatch: readonly number[] | null): Promise<void> {
    await this.editor.edit({ actor, flowId, permission: 'delete', ifMatch }, (before) => {
      const now = new Date(this.clock.now());
      const after: FlowDocument = { ...before, filteredAt: now, updatedAt: now };
      const changes = changesBetween(before, after, ['filteredAt']);
      return { after, entry: flowEntry(actor, 'flow_deleted', flowId, changes) };
    });
  }
}

function withSettings(settings: FlowSettings, change: FlowSettingsBody | undefined): FlowSettings {
  if (!change) return settings;
  return {
    ...settings,
    onMissing: change.onMissing ?? settings.onMissing,
    maxOutputBytes: change.maxOutputBytes === undefined ? settings.maxOutputBytes : change.maxOutputBytes,
  };
}
