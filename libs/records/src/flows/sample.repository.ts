import type { mongo } from 'mongoose';
import { recordAudit, takeTurn, type AuditEntryInput, type Mongo, type TenantScope } from '@weft/store';
import { FLOWS } from './flow.schema.js';
import { FLOW_SAMPLES, type SampleDocument } from './sample.schema.js';

export interface SampleLimits {
  readonly samples: number;
  /** Of all samples of a flow together. */
  readonly bytes: number;
}

/** Samples of flows. Every change is one transaction with its audit entry. */
export class SampleRepository {
  constructor(private readonly mongo: Mongo) {}

  /** All of a flow by ref: as many as a flow may have, so no page. */
  async findAll({ companyId }: TenantScope, flowId: string): Promise<SampleDocument[]> {
    return this.samples().find({ company_id: companyId, flowId }).sort({ ref: 1 }).toArray();
  }

  /** Those of these layers. */
  async findOf({ companyId }: TenantScope, flowId: string, refs: readonly string[]): Promise<SampleDocument[]> {
    if (refs.length === 0) return [];
    return this.samples()
      .find({ company_id: companyId, flowId, ref: { $in: [...refs] } })
      .toArray();
  }

  /**
   * In the place of the one that the layer has.
   *
   * @returns `full` when the flow would have more than it may, `gone` when it is deleted; nothing was written then
   */
  async put(
    scope: TenantScope,
    sample: SampleDocument,
    limits: SampleLimits,
    entry: AuditEntryInput,
  ): Promise<'kept' | 'full' | 'gone'> {
    const { companyId: company_id } = scope;
    if (sample.company_id !== company_id) throw new TypeError('a sample of another company cannot be kept here');
    const { flowId, ref } = sample;
    return this.mongo.transaction(async (session) => {
      if (!(await takeTurn(session, this.mongo, FLOWS, { _id: flowId, company_id, filteredAt: null }))) return 'gone';
      const others = { company_id, flowId, ref: { $ne: ref } };
      const sizes = await this.samples()
        .find(others, { projection: { bytes: 1 }, session })
        .toArray();
      const bytes = sizes.reduce((sum, other) => sum + other.bytes, sample.bytes);
      if (sizes.length >= limits.samples || bytes > limits.bytes) return 'full';
      await this.samples().deleteOne({ company_id, flowId, ref }, { session });
      await this.samples().insertOne(sample, { session });
      await recordAudit(session, entry);
      return 'kept';
    });
  }

  /** False when it is not there. */
  async remove(
    { companyId: company_id }: TenantScope,
    flowId: string,
    ref: string,
    entry: AuditEntryInput,
  ): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      const { deletedCount } = await this.samples().deleteOne({ company_id, flowId, ref }, { session });
      if (deletedCount === 0) return false;
      await recordAudit(session, entry);
      return true;
    });
  }

  private samples(): mongo.Collection<SampleDocument> {
    return this.mongo.collection<SampleDocument>(FLOW_SAMPLES);
  }
}
