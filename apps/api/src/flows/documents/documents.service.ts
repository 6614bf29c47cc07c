import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { CLOCK, NEW_ID } from '@weft/host';
import type { Clock, NewId } from '@weft/kernel';
import {
  FlowRepository,
  TenantScope,
  TestCaseRepository,
  type FlowDocument,
  type TestCaseDocument,
} from '@weft/persistence';
import { changesBetween, flowEntry, type Actor } from '../flow-audit.js';
import { FlowsService } from '../flows.service.js';
import type { ImportFlowBody } from './document.requests.js';
import { exportFlow } from './export-flow.js';
import { FLOW_SCHEMA, type FlowDocumentFile } from './flow-document.js';
import { readDocument } from './read-document.js';

const AUDITED = ['name', 'category', 'isBlueprint', 'when', 'settings'] as const satisfies readonly (keyof FlowDocument)[];

@Injectable()
export class DocumentsService {
  constructor(
    private readonly flows: FlowsService,
    private readonly repository: FlowRepository,
    private readonly cases: TestCaseRepository,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  /** @throws WeftError `not_found`, `denied` */
  async export(caller: Principal, flowId: string): Promise<FlowDocumentFile> {
    const flow = await this.flows.read(caller, flowId);
    return exportFlow(flow, await this.cases.findAll(new TenantScope(caller.companyId), flowId));
  }

  /**
   * Makes a flow of a document, disabled: what was left out is filled in first, and who enables it looks at it. A flow can
   * therefore be imported whose references or required cases would keep it from being enabled.
   *
   * @throws WeftError `invalid_document`
   */
  async import(actor: Actor, body: ImportFlowBody): Promise<FlowDocument> {
    const { caller } = actor;
    const document = readDocument(body.document);
    const flow = this.flowOf(document, caller, body.name);
    const changes = {
      document: { before: null, after: FLOW_SCHEMA },
      ...changesBetween<FlowDocument>(null, flow, AUDITED),
      layers: { before: null, after: flow.layers.map(({ ref }) => ref) },
      testCases: { before: null, after: document.testCases.map(({ name }) => name) },
    };
    const entry = flowEntry(actor, 'flow_imported', flow._id, changes);
    await this.repository.insert(new TenantScope(caller.companyId), flow, entry, this.casesOf(document, flow));
    return flow;
  }

  private flowOf(document: FlowDocumentFile, caller: Principal, name: string | undefined): FlowDocument {
    const now = new Date(this.clock.now());
    return {
      _id: this.newId(),
      company_id: caller.companyId,
      version: 1,
      name: name ?? document.name,
      enabled: false,
      category: document.category,
      description: document.description,
      isBlueprint: document.isBlueprint,
      restricted: false,
      groupId: null,
      when: document.when,
      settings: document.settings,
      blueprintId: null,
      blueprintVars: document.blueprintVars,
      createdBy: caller.userId,
      createdAt: now,
      updatedAt: now,
      filteredAt: null,
      layers: document.layers.map(({ name: layerName, ...layer }, index) => ({
        ...layer,
        id: this.newId(),
        name: layerName ?? layer.ref,
        index,
      })),
    };
  }

  private casesOf({ testCases }: FlowDocumentFile, flow: FlowDocument): TestCaseDocument[] {
    const { _id: flowId, company_id, createdBy, createdAt, updatedAt } = flow;
    return testCases.map((each) => ({
      ...each,
      _id: this.newId(),
      company_id,
      flowId,
      createdBy,
      createdAt,
      updatedAt,
    }));
  }
}
