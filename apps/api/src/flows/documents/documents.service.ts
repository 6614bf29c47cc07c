import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { CLOCK, NEW_ID, type Clock, type NewId } from '@weft/kernel';
import { FlowRepository, TenantScope, TestCaseRepository, type FlowDocument } from '@weft/persistence';
import { changesBetween, flowEntry, type Actor } from '../flow-audit.js';
import { Enabling } from '../enabling.js';
import { FlowEditor } from '../flow-editor.js';
import { withSettings } from '../flow-settings.js';
import type { UpdateFlowBody } from '../flow.requests.js';
import { FlowsService } from '../flows.service.js';
import { withJudgement } from '../judgement/flow-judgement.js';
import { LinkRights } from '../link-rights.js';
import type { ImportFlowBody } from './document.requests.js';
import { exportFlow } from './export-flow.js';
import { FLOW_SCHEMA, type FlowDocumentFile } from './flow-document.js';
import { casesOf, flowOf } from './import-flow.js';
import { readDocument } from './read-document.js';
import { diffFlows } from '../versions/diff-flows.js';

type ReplacedFields = Pick<UpdateFlowBody, 'name' | 'category' | 'description' | 'when' | 'settings' | 'enabled'>;

const AUDITED = [
  'name',
  'category',
  'isBlueprint',
  'when',
  'settings',
] as const satisfies readonly (keyof FlowDocument)[];

@Injectable()
export class DocumentsService {
  constructor(
    private readonly flows: FlowsService,
    private readonly editor: FlowEditor,
    private readonly enabling: Enabling,
    private readonly repository: FlowRepository,
    private readonly cases: TestCaseRepository,
    private readonly links: LinkRights,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  /** @throws WeftError `not_found`, `denied` */
  async export(caller: Principal, flowId: string): Promise<FlowDocumentFile> {
    const flow = await this.flows.read(caller, flowId);
    return exportFlow(flow, await this.cases.findAll(new TenantScope(caller.companyId), flowId));
  }

  /**
   * Makes a disabled flow from a document: private values must be filled in before somebody reviews and enables it. A flow can
   * therefore be imported whose references or required cases would keep it from being enabled.
   *
   * @throws WeftError `invalid_document`, `denied` of `LinkRights`
   */
  async import(actor: Actor, body: ImportFlowBody): Promise<FlowDocument> {
    const { caller } = actor;
    const document = await readDocument(body.document);
    const by = { caller, now: new Date(this.clock.now()), newId: this.newId };
    const flow = await withJudgement(flowOf(body.name === undefined ? document : { ...document, name: body.name }, by));
    await this.links.assertMayUse(caller, flow);
    const changes = {
      document: { before: null, after: FLOW_SCHEMA },
      ...changesBetween<FlowDocument>(null, flow, AUDITED),
      layers: { before: null, after: flow.layers.map(({ ref }) => ref) },
      testCases: { before: null, after: document.testCases.map(({ name }) => name) },
    };
    const entry = flowEntry(actor, 'flow_imported', flow._id, changes);
    await this.repository.insert(new TenantScope(caller.companyId), flow, entry, casesOf(document, flow, this.newId));
    return flow;
  }

  /**
   * Replaces the layers, and changes other fields with them, in one version. Layers keep their ids by ref.
   *
   * @throws WeftError of `FlowEditor.edit`, `invalid_document`; of `Enabling` when the flow is enabled, or is to be
   */
  async replace(
    actor: Actor,
    flowId: string,
    ifMatch: readonly number[] | null,
    { layers, ...body }: ReplacedFields & { readonly layers: readonly object[] },
  ): Promise<FlowDocument> {
    return this.editor.edit({ actor, flowId, permission: 'edit', ifMatch }, async (before) => {
      const fields = {
        name: body.name ?? before.name,
        category: body.category ?? before.category,
        description: body.description ?? before.description,
        when: body.when === undefined ? before.when : body.when,
        settings: withSettings(before.settings, body.settings),
      };
      const document = await readDocument({ schema: FLOW_SCHEMA, ...fields, layers });
      const now = new Date(this.clock.now());
      const made = flowOf(document, { caller: actor.caller, now, newId: this.newId });
      const ids = new Map(before.layers.map(({ ref, id }) => [ref, id]));
      const after: FlowDocument = {
        ...before,
        ...fields,
        enabled: body.enabled ?? before.enabled,
        layers: made.layers.map((layer) => ({ ...layer, id: ids.get(layer.ref) ?? layer.id })),
        updatedAt: now,
      };
      if (diffFlows(before, after).length === 0) return null;
      if (after.enabled) await this.enabling.assertAllowed(after);
      const changes = {
        ...changesBetween(before, after, [...AUDITED, 'description', 'enabled']),
        layers: { before: before.layers.map(({ ref }) => ref), after: after.layers.map(({ ref }) => ref) },
      };
      return { after, entry: flowEntry(actor, 'flow_updated', flowId, changes) };
    });
  }
}
