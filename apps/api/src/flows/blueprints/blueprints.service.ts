import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import type { BlueprintVarView } from '@weft/contracts';
import { WeftError, type Clock, type NewId, CLOCK, NEW_ID } from '@weft/kernel';
import { TenantScope } from '@weft/store';
import { FlowRepository, type FlowDocument } from '@weft/records';
import { Enabling } from '../enabling.js';
import { changesBetween, flowEntry, type Actor } from '../flow-audit.js';
import { FlowFaces } from '../flow-faces.js';
import { FlowsService } from '../flows.service.js';
import { withJudgement } from '../judgement/flow-judgement.js';
import { assertKnown, ResourceKeys } from '../keys/resource-keys.js';
import { LinkRights } from '../link-rights.js';
import type { InstantiateBody } from './blueprint.requests.js';
import { blueprintVarsOf, chooseVars } from './blueprint-vars.js';

const AUDITED = [
  'name',
  'category',
  'blueprintId',
  'blueprintVars',
  'restricted',
] as const satisfies readonly (keyof FlowDocument)[];

@Injectable()
export class BlueprintsService {
  constructor(
    private readonly flows: FlowsService,
    private readonly repository: FlowRepository,
    private readonly enabling: Enabling,
    private readonly links: LinkRights,
    private readonly keys: ResourceKeys,
    private readonly faces: FlowFaces,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  /** Every variable that the flow reads, also one that has a value or a `??`. */
  async listVars(caller: Principal, flowId: string): Promise<BlueprintVarView[]> {
    const vars = await blueprintVarsOf(await this.flows.read(caller, flowId));
    return vars.map(({ name, refs }) => ({ name, refs }));
  }

  /**
   * Makes an independent flow from a blueprint: no later change of either affects the other. Expressions stay unchanged; the
   * values are stored with the flow and inserted when a play runs. Values of a blueprint that is itself an instance are
   * passed on. The copy of a restricted blueprint is restricted and in no group, so that grants on the blueprint's group do
   * not apply to it.
   *
   * @throws WeftError `not_a_blueprint`, `missing_blueprint_vars`, `unknown_blueprint_vars`, of `Enabling` and `LinkRights`
   */
  async instantiate(actor: Actor, blueprintId: string, body: InstantiateBody): Promise<FlowDocument> {
    const { caller } = actor;
    const blueprint = await this.flows.read(caller, blueprintId);
    if (!blueprint.isBlueprint) {
      throw new WeftError('not_a_blueprint', 'Only a blueprint is instantiated: mark the flow as one first.');
    }
    const given = chooseVars(await blueprintVarsOf(blueprint), blueprint.blueprintVars ?? {}, body.blueprintVars ?? {});
    const { layers } = blueprint;
    const { flow: named, faults } = await this.keys.resolved(caller, { layers, blueprintVars: given });
    assertKnown(faults.filter(({ path }) => path.startsWith('blueprintVars.')));
    const { blueprintVars } = named;
    const now = new Date(this.clock.now());
    const flow: FlowDocument = {
      _id: this.newId(),
      company_id: blueprint.company_id,
      version: 1,
      name: body.name,
      enabled: true,
      category: body.category ?? blueprint.category,
      description: blueprint.description,
      isBlueprint: false,
      restricted: blueprint.restricted,
      groupId: null,
      when: blueprint.when,
      settings: blueprint.settings,
      argsSchema: blueprint.argsSchema ?? null,
      blueprintId,
      blueprintVars,
      createdBy: caller.userId,
      createdAt: now,
      updatedAt: now,
      filteredAt: null,
      layers: blueprint.layers.map((layer) => ({ ...layer, id: this.newId() })),
    };
    await this.links.assertMayUse(caller, flow);
    await this.enabling.assertAllowed(flow);
    const entry = flowEntry(actor, 'flow_instantiated', flow._id, changesBetween<FlowDocument>(null, flow, AUDITED));
    const judged = await withJudgement(await this.faces.pinned(flow));
    await this.repository.insert(new TenantScope(caller.companyId), judged, entry);
    return judged;
  }
}
