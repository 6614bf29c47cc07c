import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { assertCondition } from '@weft/runs';
import type { FlowView, Page } from '@weft/contracts';
import { rulesOver, type FlowPermission, type Principal } from '@weft/access';
import { WeftError, type Clock, type NewId, CLOCK, NEW_ID } from '@weft/kernel';
import { TenantScope } from '@weft/store';
import { FlowRepository, type FlowDocument } from '@weft/records';
import { FlowGroupEntry } from '../flow-groups/flow-group-entry.js';
import { toPage, toPageRequest } from '../http/paging.js';
import { assertArgsSchema } from './args-schema.js';
import { blueprintVarsOf, changeVars } from './blueprints/blueprint-vars.js';
import { Enabling } from './enabling.js';
import { changesBetween, flowEntry, type Actor } from './flow-audit.js';
import { FlowEditor } from './flow-editor.js';
import { FlowFaces } from './flow-faces.js';
import { FlowRights } from './flow-rights.js';
import { DEFAULT_SETTINGS, withSettings } from './flow-settings.js';
import type { CreateFlowBody, DraftFields, ListFlowsQuery, UpdateFlowBody } from './flow.requests.js';
import { toFlowHeadView } from './flow.view.js';
import { withJudgement } from './judgement/flow-judgement.js';
import { allLayers, assertAllLayers, rewrittenLayers } from './layers/all-layers.js';
import { assertKnown, ResourceKeys } from './keys/resource-keys.js';
import { LinkRights } from './link-rights.js';

const AUDITED = [
  'key',
  'name',
  'enabled',
  'category',
  'description',
  'isBlueprint',
  'restricted',
  'settings',
  'argsSchema',
  'groupId',
  'when',
  'blueprintId',
] as const satisfies readonly (keyof FlowDocument)[];

@Injectable()
export class FlowsService {
  constructor(
    private readonly flows: FlowRepository,
    private readonly editor: FlowEditor,
    private readonly enabling: Enabling,
    private readonly rights: FlowRights,
    private readonly groups: FlowGroupEntry,
    private readonly links: LinkRights,
    private readonly keys: ResourceKeys,
    private readonly faces: FlowFaces,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  /** @throws WeftError `invalid_expression`, `unknown_id` of a flow group; of `allLayers`, `assertAllLayers`, `LinkRights` and `FlowFaces.pinned` */
  async create(actor: Actor, given: CreateFlowBody): Promise<FlowDocument> {
    const { caller } = actor;
    const body = {
      ...given,
      ...(await this.keys.resolve(caller, { layers: given.layers ?? [], settings: given.settings })),
    };
    const scope = new TenantScope(caller.companyId);
    assertCondition(body.when ?? null);
    assertArgsSchema(body.argsSchema);
    const now = new Date(this.clock.now());
    const flow: FlowDocument = {
      _id: this.newId(),
      company_id: caller.companyId,
      key: body.key ?? null,
      version: 1,
      name: body.name,
      enabled: body.enabled ?? true,
      category: body.category ?? '',
      description: body.description ?? '',
      isBlueprint: body.isBlueprint ?? false,
      restricted: body.restricted ?? false,
      groupId: body.groupId ?? null,
      when: body.when ?? null,
      settings: withSettings(DEFAULT_SETTINGS, body.settings),
      argsSchema: body.argsSchema ?? null,
      blueprintId: null,
      blueprintVars: null,
      createdBy: caller.userId,
      createdAt: now,
      updatedAt: now,
      filteredAt: null,
      layers: allLayers(body.layers, [], this.newId),
    };
    await assertAllLayers(flow.layers);
    await this.links.assertMayUse(caller, flow);
    const changes = changesBetween<FlowDocument>(null, flow, AUDITED);
    if (flow.layers.length > 0) changes.layers = { before: [], after: refsOf(flow) };
    const entry = flowEntry(actor, 'flow_created', flow._id, changes);
    const judged = await withJudgement(await this.faces.pinned(flow));
    await this.flows.insert(scope, judged, entry);
    return judged;
  }

  /** @throws WeftError `denied` when a caller who is not an admin lists deleted flows */
  async list(caller: Principal, query: ListFlowsQuery): Promise<Page<FlowView>> {
    const request = toPageRequest(query);
    const { isBlueprint, enabled, category, groupId, key, q, filtered } = query;
    if (filtered && caller.role !== 'admin') throw new WeftError('denied', 'Deleted flows are listed for admins only.');
    const scope = new TenantScope(caller.companyId);
    const filter = { isBlueprint, enabled, category, groupId, key, q, filtered };
    const visibility = await this.rights.visibilityOf(caller);
    return toPage(request, await this.flows.list(scope, visibility, filter, request), toFlowHeadView);
  }

  /** @throws WeftError `not_found`, `denied` */
  async read(caller: Principal, flowId: string, permission: FlowPermission = 'read'): Promise<FlowDocument> {
    const flow = await this.flows.find(new TenantScope(caller.companyId), flowId);
    if (!flow) throw new WeftError('not_found', 'There is no flow with this id.');
    await this.rights.assertMay(caller, permission, flow);
    return flow;
  }

  /**
   * The flow as a change would make it, for looking at only. With a change it is for those who may edit.
   *
   * @throws WeftError `not_found`, `denied`, `unknown_id`, `body_too_large`
   */
  async draft(
    caller: Principal,
    flowId: string,
    permission: FlowPermission,
    draft: DraftFields,
  ): Promise<FlowDocument> {
    const flow = await this.read(caller, flowId, permission);
    if (draft.layers === undefined && draft.when === undefined) return flow;
    await this.rights.assertMay(caller, 'edit', flow);
    const { judgement: _, ...before } = flow;
    const { blueprintVars } = flow;
    // an unknown key stays, and is warned of
    const { flow: named } = await this.keys.resolved(caller, { layers: draft.layers ?? [], blueprintVars });
    return {
      ...before,
      when: draft.when === undefined ? flow.when : draft.when,
      layers: draft.layers === undefined ? flow.layers : allLayers(named.layers, flow.layers, this.newId),
    };
  }

  /**
   * @throws WeftError of `FlowEditor.edit`, `invalid_expression`, `unknown_id`, `unknown_blueprint_vars`; of `allLayers` and `assertAllLayers`; of `Enabling`
   * when it is enabled
   */
  async update(
    actor: Actor,
    flowId: string,
    ifMatch: readonly number[] | null,
    given: UpdateFlowBody,
  ): Promise<FlowDocument> {
    return this.editor.edit({ actor, flowId, permission: 'edit', ifMatch }, async (before) => {
      const body = await this.withIds(actor.caller, given, before);
      const changed: FlowDocument = {
        ...before,
        key: body.key === undefined ? before.key : body.key,
        name: body.name ?? before.name,
        enabled: body.enabled ?? before.enabled,
        category: body.category ?? before.category,
        description: body.description ?? before.description,
        isBlueprint: body.isBlueprint ?? before.isBlueprint,
        restricted: body.restricted ?? before.restricted,
        groupId: body.groupId === undefined ? before.groupId : body.groupId,
        when: body.when === undefined ? before.when : body.when,
        settings: withSettings(before.settings, body.settings),
        argsSchema: body.argsSchema === undefined ? before.argsSchema : body.argsSchema,
        layers: body.layers === undefined ? before.layers : rewrittenLayers(body.layers, before.layers, this.newId),
        updatedAt: new Date(this.clock.now()),
      };
      const after = await withVars(changed, body.blueprintVars);
      const changes = changesBetween(before, after, AUDITED);
      // values may be secrets
      if (after !== changed) changes.blueprintVars = { before: null, after: Object.keys(body.blueprintVars ?? {}) };
      // the layers themselves are in both versions, which never change
      if (after.layers !== before.layers) changes.layers = { before: refsOf(before), after: refsOf(after) };
      if (Object.keys(changes).length === 0) return null;
      if (before.restricted && !after.restricted) assertMayOpen(actor.caller, before);
      if (changes.groupId && after.groupId !== null) await this.groups.assertMay(actor.caller, before, after.groupId);
      if (changes.when) assertCondition(after.when);
      if (changes.argsSchema) assertArgsSchema(after.argsSchema);
      if (changes.layers) await assertAllLayers(after.layers);
      await this.enabling.assertChangeAllowed(before, after);
      return { after, entry: flowEntry(actor, 'flow_updated', flowId, changes) };
    });
  }

  /** @throws WeftError `unknown_id` of a key in what is given */
  private async withIds(caller: Principal, body: UpdateFlowBody, before: FlowDocument): Promise<UpdateFlowBody> {
    const { layers, blueprintVars, settings } = body;
    if (!layers && !blueprintVars && !settings?.onFailure) return body;
    // layers say which variables are ids
    const naming = { layers: layers ?? before.layers, blueprintVars, settings };
    const { flow: named, faults } = await this.keys.resolved<typeof naming>(caller, naming);
    assertKnown(layers ? faults : faults.filter(({ path }) => !path.startsWith('layers.')));
    return { ...body, ...named, layers: layers && named.layers };
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

  /**
   * Restores a deleted flow, disabled: what it needs may have been deleted meanwhile.
   *
   * @throws WeftError `not_found` also for a flow that is not deleted
   */
  async restore(actor: Actor, flowId: string, ifMatch: readonly number[] | null): Promise<FlowDocument> {
    return this.editor.edit({ actor, flowId, permission: 'edit', ifMatch, deleted: true }, (before) => {
      const updatedAt = new Date(this.clock.now());
      const after: FlowDocument = { ...before, filteredAt: null, enabled: false, updatedAt };
      const changes = changesBetween(before, after, ['filteredAt', 'enabled']);
      return { after, entry: flowEntry(actor, 'flow_restored', flowId, changes) };
    });
  }
}

/**
 * The same flow where no value is new.
 *
 * @throws WeftError `unknown_blueprint_vars`
 */
async function withVars(flow: FlowDocument, given: UpdateFlowBody['blueprintVars']): Promise<FlowDocument> {
  if (given === undefined) return flow;
  const before = flow.blueprintVars ?? {};
  const blueprintVars = changeVars(await blueprintVarsOf(flow), before, given);
  return isDeepStrictEqual(before, blueprintVars) ? flow : { ...flow, blueprintVars };
}

/** Who was only granted to edit a restricted flow does not let everybody in. */
function assertMayOpen(caller: Principal, { createdBy }: FlowDocument): void {
  if (rulesOver(caller, createdBy)) return;
  throw new WeftError('denied', 'Only admins and whoever made the flow decide who else may use it.');
}

function refsOf({ layers }: FlowDocument): string[] {
  return layers.map(({ ref }) => ref);
}
