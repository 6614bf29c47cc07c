import { Inject, Injectable } from '@nestjs/common';
import type { Principal } from '@weft/access';
import { CLOCK, NEW_ID, type Clock, type NewId } from '@weft/kernel';
import { TenantScope } from '@weft/store';
import { FlowRepository, TestCaseRepository, type FlowDocument, type TestCaseDocument } from '@weft/records';
import { changesBetween, flowEntry, type Actor } from '../flow-audit.js';
import { FlowFaces } from '../flow-faces.js';
import { FlowsService } from '../flows.service.js';
import { withJudgement } from '../judgement/flow-judgement.js';
import { ResourceKeys } from '../keys/resource-keys.js';
import { LinkRights } from '../link-rights.js';
import type { ImportFlowBody } from './document.requests.js';
import { documentTag } from './document-tag.js';
import { exportFlow } from './export-flow.js';
import { FLOW_SCHEMA, renamed, type FlowDocumentFile } from '@weft/shapes';
import { casesOf, flowOf } from './import-flow.js';
import { readDocument } from './read-document.js';

const AUDITED = [
  'key',
  'name',
  'category',
  'isBlueprint',
  'when',
  'settings',
  'argsSchema',
] as const satisfies readonly (keyof FlowDocument)[];

/** A flow that was made from a document. */
export interface MadeFlow {
  readonly flow: FlowDocument;
  readonly cases: readonly TestCaseDocument[];
}

@Injectable()
export class DocumentsService {
  constructor(
    private readonly flows: FlowsService,
    private readonly repository: FlowRepository,
    private readonly cases: TestCaseRepository,
    private readonly links: LinkRights,
    private readonly keys: ResourceKeys,
    private readonly faces: FlowFaces,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(NEW_ID) private readonly newId: NewId,
  ) {}

  /**
   * With the keys of links and flows that the caller may see.
   *
   * @throws WeftError `not_found`, `denied`
   */
  async export(
    caller: Principal,
    flowId: string,
  ): Promise<{ readonly document: FlowDocumentFile; readonly tag: string }> {
    const flow = await this.flows.read(caller, flowId);
    const cases = await this.cases.findAll(new TenantScope(caller.companyId), flowId);
    const keys = await this.keys.keysIn(caller, flow);
    const document = renamed(await exportFlow(flow, cases), (_kind, text, path) => keys.get(path) ?? text);
    return { document, tag: documentTag(flow, cases) };
  }

  /**
   * Makes a disabled flow from a document: private values must be filled in before somebody reviews and enables it. A flow can
   * therefore be imported whose references or required cases would keep it from being enabled.
   *
   * @throws WeftError `invalid_document`, `denied` of `LinkRights`
   */
  async import(actor: Actor, body: ImportFlowBody): Promise<FlowDocument> {
    const document = await readDocument(body.document, (given) => this.keys.resolved(actor.caller, given));
    const named = body.name === undefined ? document : { ...document, name: body.name };
    return (await this.make(actor, named, { dryRun: body.dryRun ?? false })).flow;
  }

  /** @throws WeftError `denied` of `LinkRights`, `invalid_args` of `FlowFaces.pinned`, `key_taken` */
  async make(
    actor: Actor,
    document: FlowDocumentFile,
    { key = null, dryRun = false }: { readonly key?: string | null; readonly dryRun?: boolean } = {},
  ): Promise<MadeFlow> {
    const { caller } = actor;
    const by = { caller, now: new Date(this.clock.now()), newId: this.newId };
    const made = flowOf(document, by, key);
    await this.links.assertMayUse(caller, made);
    const flow = await withJudgement(await this.faces.pinned(made));
    const changes = {
      document: { before: null, after: FLOW_SCHEMA },
      ...changesBetween<FlowDocument>(null, flow, AUDITED),
      layers: { before: null, after: flow.layers.map(({ ref }) => ref) },
      testCases: { before: null, after: document.testCases.map(({ name }) => name) },
    };
    const entry = flowEntry(actor, 'flow_imported', flow._id, changes);
    const cases = casesOf(document, flow, this.newId);
    if (!dryRun) await this.repository.insert(new TenantScope(caller.companyId), flow, entry, cases);
    return { flow, cases };
  }
}
