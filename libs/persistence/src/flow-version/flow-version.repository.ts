import type { FlowVersion } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo } from '../mongo.js';
import type { SystemScope, TenantScope } from '../scope.js';
import { FLOW_VERSIONS, flowVersionId, type FlowVersionDocument } from './flow-version.schema.js';

/** What the engine needs, and nothing of what only people need. */
const RUNNABLE = { _id: 0, flowId: 1, companyId: 1, version: 1, name: 1, settings: 1, layers: 1 } as const;

/** Reads versions; they are written by `FlowRepository` together with their flow, and never changed. */
export class FlowVersionRepository {
  constructor(private readonly mongo: Mongo) {}

  async find(scope: TenantScope, flowId: string, version: number): Promise<FlowVersion | null> {
    return this.versions().findOne<FlowVersion>(
      { _id: flowVersionId(flowId, version), companyId: scope.companyId },
      { projection: RUNNABLE },
    );
  }

  /** Versions of many companies in one round trip, for the worker's batched reads. What is missing is left out. */
  async findMany(
    _scope: SystemScope,
    keys: readonly { readonly flowId: string; readonly version: number }[],
  ): Promise<FlowVersion[]> {
    const ids = keys.map((key) => flowVersionId(key.flowId, key.version));
    return this.versions()
      .find<FlowVersion>({ _id: { $in: ids } }, { projection: RUNNABLE })
      .toArray();
  }

  private versions(): mongo.Collection<FlowVersionDocument> {
    return this.mongo.collection<FlowVersionDocument>(FLOW_VERSIONS);
  }
}
