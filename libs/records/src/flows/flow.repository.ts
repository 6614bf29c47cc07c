import type { ClientSession, mongo } from 'mongoose';
import {
  recordAudit,
  findPage,
  type AuditEntryInput,
  type Mongo,
  type PageOf,
  type PageRequest,
  type SystemScope,
  type TenantScope,
  type FlowChoice,
} from '@weft/store';
import { escapeRegex } from '../database/escape-regex.js';
import { FLOW_VERSIONS, flowVersionId, type FlowVersionDocument } from './flow-version.schema.js';
import { joinFlowGroup } from './join-flow-group.js';
import { TEST_CASES, type TestCaseDocument } from './test-case.schema.js';
import { orKeyTaken } from './flow-key-taken.js';
import { hasTestCases, putTestCases, type TestCasesChange } from './put-test-cases.js';
import { closedTo, visibleTo, type FlowVisibility } from './flow-visibility.js';
import { FLOWS, type FlowDocument, type FlowJudgement } from './flow.schema.js';
import {
  asPublished,
  RUNNABLE,
  RUNNABLE_CONTENT,
  versionsBehind,
  type RunnableContent,
  type RunnableContentOfFlow,
  type CallableRow,
  type RunnableRow,
} from './runnable-flow.js';

export interface FlowFilter {
  readonly isBlueprint?: boolean;
  readonly enabled?: boolean;
  readonly category?: string;
  readonly groupId?: string;
  readonly key?: string;
  /** Part of the name, in any case. */
  readonly q?: string;
  /** True: the deleted ones only. */
  readonly filtered?: boolean;
}

/** A flow without its layers: for lists and for questions of right. */
export type FlowHead = Omit<FlowDocument, 'layers' | 'judgement'> & {
  /** In lists only. */
  readonly judgement?: Pick<FlowJudgement, 'valid' | 'errors'>;
};

/** A flow by its names, with what decides on who sees it. */
export type NamedFlow = Pick<FlowDocument, '_id' | 'key' | 'company_id' | 'createdBy' | 'groupId' | 'restricted'>;

/** Which of the flows that are tools. */
export interface FlowToolChoice {
  /** Only these flows; null: all of the company. */
  readonly among: readonly string[] | null;
  /** Only those whose tool has this name. */
  readonly tool?: string;
  /** Only those after this one in the list. */
  readonly after?: { readonly tool: string; readonly id: string } | null;
}

const HEAD = { layers: 0, judgement: 0 } as const;
const LISTED = { layers: 0, 'judgement.warnings': 0, 'judgement.by': 0 } as const;

/**
 * Flows with their layers. Every write is one transaction: the flow (only over the version that the caller read), that
 * version's immutable copy, and the audit entry.
 */
export class FlowRepository {
  constructor(private readonly mongo: Mongo) {}

  /** A flow that is not deleted. */
  async find(scope: TenantScope, id: string): Promise<FlowDocument | null> {
    return this.flows().findOne({ _id: id, company_id: scope.companyId, filteredAt: null });
  }

  /** Those of these ids that are flows of the company, and not deleted. */
  async idsAmong(scope: TenantScope, ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    return new Set(await this.idsOf({ _id: { $in: [...ids] }, company_id: scope.companyId, filteredAt: null }));
  }

  /** A flow that is not deleted, by the users' own name for it. */
  async findByKey(scope: TenantScope, key: string): Promise<FlowDocument | null> {
    return this.flows().findOne({ company_id: scope.companyId, key, filteredAt: null });
  }

  /** Those with one of these ids or keys, without deleted ones, with what decides on who sees them. */
  async named(scope: TenantScope, names: readonly string[]): Promise<NamedFlow[]> {
    const ofThem = { $or: [{ _id: { $in: [...names] } }, { key: { $in: [...names] } }] };
    const filter = { company_id: scope.companyId, filteredAt: null, ...ofThem };
    const projection = { key: 1, company_id: 1, createdBy: 1, groupId: 1, restricted: 1 };
    return this.flows().find<NamedFlow>(filter, { projection }).toArray();
  }

  /** A flow that was deleted and is not being erased. */
  async findDeleted(scope: TenantScope, id: string): Promise<FlowDocument | null> {
    return this.flows().findOne({
      _id: id,
      company_id: scope.companyId,
      filteredAt: { $ne: null },
      erasingAt: { $exists: false },
    });
  }

  /** Also a deleted one: its plays stay readable under its rules. */
  async findHead(scope: TenantScope, id: string): Promise<FlowHead | null> {
    return this.flows().findOne<FlowHead>({ _id: id, company_id: scope.companyId }, { projection: HEAD });
  }

  /** Those of these flows that the company has, deleted ones too. */
  async findHeads(scope: TenantScope, ids: readonly string[]): Promise<FlowHead[]> {
    return this.flows()
      .find<FlowHead>({ _id: { $in: [...ids] }, company_id: scope.companyId }, { projection: HEAD })
      .toArray();
  }

  /** The same, of whatever companies they are. */
  async findHeadsAcross(_scope: SystemScope, ids: readonly string[]): Promise<FlowHead[]> {
    return this.flows()
      .find<FlowHead>({ _id: { $in: [...ids] } }, { projection: HEAD })
      .toArray();
  }

  async list(
    scope: TenantScope,
    visibility: FlowVisibility,
    filter: FlowFilter,
    page: PageRequest,
  ): Promise<PageOf<FlowHead>> {
    const wanted: mongo.Filter<FlowDocument> = {
      company_id: scope.companyId,
      filteredAt: filter.filtered ? { $ne: null } : null,
      ...(filter.isBlueprint !== undefined && { isBlueprint: filter.isBlueprint }),
      ...(filter.enabled !== undefined && { enabled: filter.enabled }),
      ...(filter.category !== undefined && { category: filter.category }),
      ...(filter.groupId !== undefined && { groupId: filter.groupId }),
      ...(filter.key !== undefined && { key: filter.key }),
      ...(filter.q !== undefined && { name: { $regex: escapeRegex(filter.q), $options: 'i' } }),
      ...visibleTo(visibility),
    };
    return findPage<FlowDocument>(this.flows(), wanted, page, LISTED);
  }

  /** Enabled and published flows that agents see as tools, by the name of the tool and then the id; at most `max`. */
  async listTools(scope: TenantScope, { among, tool, after }: FlowToolChoice, max: number): Promise<FlowHead[]> {
    const name = { $type: 'string', ...(tool !== undefined && { $eq: tool }), ...(after && { $gte: after.tool }) };
    const wanted = {
      company_id: scope.companyId,
      'settings.mcp.tool': name,
      ...{ filteredAt: null, enabled: true, isBlueprint: false },
      $nor: [{ 'settings.publish': 'manual', publishedVersion: null }],
      ...(among && { _id: { $in: [...among] } }),
      ...(after && { $or: [{ 'settings.mcp.tool': { $gt: after.tool } }, { _id: { $gt: after.id } }] }),
    } as mongo.Filter<FlowDocument>;
    const order = { 'settings.mcp.tool': 1, _id: 1 } as const;
    return this.flows().find<FlowHead>(wanted, { projection: HEAD }).sort(order).limit(max).toArray();
  }

  /** Those with layers that call operations of the API, or tools of the MCP server, with one of these names; at most `max`. */
  callingApi(
    scope: TenantScope,
    visibility: FlowVisibility,
    names: readonly string[],
    max: number,
  ): AsyncIterable<FlowDocument> {
    const among = { $in: [...names] };
    const layers = {
      $elemMatch: {
        $or: [
          { appId: 'operation', 'args.api': among },
          { appId: 'mcp-tool', 'args.server': among },
          { appId: 'agent', 'args.tools.api': among },
          { appId: 'agent', 'args.tools.server': among },
        ],
      },
    };
    const of = { company_id: scope.companyId, filteredAt: null, layers, ...visibleTo(visibility) };
    return this.flows()
      .find(of as mongo.Filter<FlowDocument>, { batchSize: 1 })
      .sort({ _id: -1 })
      .limit(max);
  }

  /** The flows whose plays get a lane from them (`settings.lane`). */
  async listWithLane(scope: TenantScope): Promise<FlowHead[]> {
    const of = { company_id: scope.companyId, filteredAt: null, 'settings.lane': { $type: 'string' } };
    return this.flows().find<FlowHead>(of, { projection: HEAD }).toArray();
  }

  /** The flows, deleted ones too, whose plays a caller with this visibility sees in lists. */
  async choiceFor(scope: TenantScope, visibility: FlowVisibility): Promise<FlowChoice> {
    if (visibility.all) return { except: [] };
    const company_id = scope.companyId;
    if (!visibility.unrestricted) return { only: await this.idsOf({ company_id, ...visibleTo(visibility) }) };
    return { except: await this.idsOf({ company_id, ...closedTo(visibility) }) };
  }

  /**
   * Flows of any company that are not deleted, as their runs need them now: the run path's cache asks for all that are due at
   * once. One round trip, and another one for those whose published version is not their last one.
   */
  async findRunnable(_scope: SystemScope, ids: readonly string[]): Promise<RunnableRow[]> {
    const rows = await this.flows()
      .find<RunnableRow>({ _id: { $in: [...ids] }, filteredAt: null }, { projection: RUNNABLE })
      .toArray();
    const wanted = versionsBehind(rows);
    return wanted === null ? rows : asPublished(rows, await this.contents({ _id: { $in: wanted } }));
  }

  /** A flow that is not deleted, as its runs need it now, with what it is for. */
  async findCallable(scope: TenantScope, id: string): Promise<CallableRow | null> {
    const ofIt = { _id: id, company_id: scope.companyId, filteredAt: null };
    const row = await this.flows().findOne<CallableRow>(ofIt, { projection: { ...RUNNABLE, description: 1 } });
    const wanted = row && versionsBehind([row]);
    if (!row || wanted === null) return row;
    const [published] = asPublished([row], await this.contents({ _id: { $in: wanted } }));
    return { ...row, ...published };
  }

  /** What a version of a flow holds, for a run that names it; null: the flow has no such version. */
  async findRunnableContent(scope: TenantScope, id: string, version: number): Promise<RunnableContent | null> {
    const [found] = await this.contents({ _id: flowVersionId(id, version), companyId: scope.companyId });
    return found ?? null;
  }

  private async contents(of: mongo.Filter<FlowVersionDocument>): Promise<RunnableContentOfFlow[]> {
    return this.mongo
      .collection<FlowVersionDocument>(FLOW_VERSIONS)
      .find<RunnableContentOfFlow>(of, { projection: { ...RUNNABLE_CONTENT, flowId: 1 } })
      .toArray();
  }

  /**
   * Makes a version the one that runs use, while the flow is exactly as it was read and published by hand.
   *
   * @returns false when it is not any more; nothing was written then
   */
  async publish(scope: TenantScope, flow: FlowDocument, toPublish: number, entry: AuditEntryInput): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      const { matchedCount } = await this.flows().updateOne(
        { ...asRead(scope, flow), 'settings.publish': 'manual' },
        { $set: { publishedVersion: toPublish } },
        { session },
      );
      if (matchedCount === 0) return false;
      await recordAudit(session, entry);
      return true;
    });
  }

  /**
   * @param cases of the flow, for one that comes with them
   * @throws WeftError `unknown_id` when it is to be in a flow group that the company does not have, `key_taken`
   */
  async insert(
    scope: TenantScope,
    flow: FlowDocument,
    entry: AuditEntryInput,
    cases: readonly TestCaseDocument[] = [],
  ): Promise<void> {
    assertOwn(scope, flow);
    const inserted = this.mongo.transaction(async (session) => {
      if (flow.groupId !== null) await joinFlowGroup(session, scope, flow.groupId);
      await this.flows().insertOne(flow, { session });
      if (cases.length > 0) {
        await this.mongo.collection<TestCaseDocument>(TEST_CASES).insertMany([...cases], { session });
      }
      await this.insertVersion(flow, flow.createdBy, session);
      await recordAudit(session, entry);
    });
    await orKeyTaken(inserted, flow);
  }

  /**
   * Puts `after` in the place of exactly the version `before`.
   *
   * @param by the user whose change this is
   * @param cases left out: they stay as they are
   * @returns false when the flow is not at that version any more, or its test cases are not `cases.before`; nothing was written
   * then
   * @throws WeftError `unknown_id` when it is to enter a flow group that the company does not have, `key_taken`
   */
  async replace(
    scope: TenantScope,
    before: FlowDocument,
    after: FlowDocument,
    by: string,
    entry: AuditEntryInput,
    cases?: TestCasesChange,
  ): Promise<boolean> {
    assertOwn(scope, after);
    const replaced = this.mongo.transaction(async (session) => {
      if (cases && !(await hasTestCases(session, this.mongo, scope, before._id, cases.before))) return false;
      const { _id, ...body } = after;
      const { matchedCount } = await this.flows().replaceOne(asRead(scope, before), body, { session });
      if (matchedCount === 0) return false;
      if (after.groupId !== null && after.groupId !== before.groupId) {
        await joinFlowGroup(session, scope, after.groupId);
      }
      if (cases) await putTestCases(session, this.mongo, scope, before._id, cases.after);
      await this.insertVersion(after, by, session);
      await recordAudit(session, entry);
      return true;
    });
    return orKeyTaken(replaced, after);
  }

  private async insertVersion(flow: FlowDocument, by: string, session: ClientSession): Promise<void> {
    const { enabled, category, description, isBlueprint, restricted, groupId, blueprintId } = flow;
    await this.mongo.collection<FlowVersionDocument>(FLOW_VERSIONS).insertOne(
      {
        _id: flowVersionId(flow._id, flow.version),
        flowId: flow._id,
        companyId: flow.company_id,
        version: flow.version,
        name: flow.name,
        ...(flow.key != null && { key: flow.key }),
        when: flow.when,
        ...(flow.argsSchema && { argsSchema: flow.argsSchema }),
        settings: flow.settings,
        blueprintVars: flow.blueprintVars ?? null,
        layers: flow.layers,
        ...(flow.judgement && { judgement: flow.judgement }),
        createdBy: by,
        createdAt: flow.updatedAt,
        about: { enabled, category, description, isBlueprint, restricted, groupId, blueprintId },
      },
      { session },
    );
  }

  private async idsOf(filter: mongo.Filter<FlowDocument>): Promise<string[]> {
    const found = await this.flows().find(filter).project<Pick<FlowDocument, '_id'>>({ _id: 1 }).toArray();
    return found.map((flow) => flow._id);
  }

  private flows(): mongo.Collection<FlowDocument> {
    return this.mongo.collection<FlowDocument>(FLOWS);
  }
}

/** The flow while it is as it was read. */
function asRead(scope: TenantScope, { _id, version, publishedVersion = null, filteredAt }: FlowDocument) {
  return { _id, company_id: scope.companyId, version, publishedVersion, filteredAt };
}

function assertOwn(scope: TenantScope, flow: FlowDocument): void {
  if (flow.company_id !== scope.companyId) throw new TypeError('a flow of another company cannot be written here');
}
