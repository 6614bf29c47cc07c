import type { FlowVersion } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { FlowJudgement } from './flow.schema.js';
import { TOTAL_CAP, type Mongo, type PageOf, type PageRequest, type TenantScope } from '@weft/store';
import { FLOW_VERSIONS, flowVersionId, type FlowVersionDocument } from './flow-version.schema.js';

/** What the engine needs, and nothing of what only people need. */
const RUNNABLE = {
  _id: 0,
  flowId: 1,
  companyId: 1,
  version: 1,
  name: 1,
  key: 1,
  when: 1,
  settings: 1,
  blueprintVars: 1,
  layers: 1,
} as const;

/** A version in a list: what people compare by, without its layers. */
export type FlowVersionHead = Omit<FlowVersionDocument, 'layers' | 'judgement'> & {
  readonly judgement?: Pick<FlowJudgement, 'valid' | 'errors'>;
};

/** Reads versions; `FlowRepository` writes them together with their flow, and changes nothing but `published`. */
export class FlowVersionRepository {
  constructor(private readonly mongo: Mongo) {}

  async find(scope: TenantScope, flowId: string, version: number): Promise<FlowVersion | null> {
    return this.versions().findOne<FlowVersion>(
      { _id: flowVersionId(flowId, version), companyId: scope.companyId },
      { projection: RUNNABLE },
    );
  }

  /** With what people need besides: who made it, and how the flow stood then. */
  async findWhole(scope: TenantScope, flowId: string, version: number): Promise<FlowVersionDocument | null> {
    return this.versions().findOne({ _id: flowVersionId(flowId, version), companyId: scope.companyId });
  }

  /** Newest first; `page.after` is the number of the last version of the page before. */
  async list(scope: TenantScope, flowId: string, page: PageRequest): Promise<PageOf<FlowVersionHead>> {
    const all = { companyId: scope.companyId, flowId };
    const window = page.after === null ? all : { ...all, version: { $lt: Number(page.after) } };
    const [rows, counted] = await Promise.all([
      this.versions()
        .find<FlowVersionHead>(window, { projection: { layers: 0, 'judgement.warnings': 0, 'judgement.by': 0 } })
        .sort({ version: -1 })
        .skip(page.after === null ? page.page * page.size : 0)
        .limit(page.size + 1)
        .toArray(),
      this.versions().countDocuments(all, { limit: TOTAL_CAP + 1 }),
    ]);
    const items = rows.slice(0, page.size);
    return {
      items,
      total: Math.min(counted, TOTAL_CAP),
      totalCapped: counted > TOTAL_CAP,
      nextAfter: rows.length > page.size ? String(items.at(-1)?.version) : null,
    };
  }

  private versions(): mongo.Collection<FlowVersionDocument> {
    return this.mongo.collection<FlowVersionDocument>(FLOW_VERSIONS);
  }
}
