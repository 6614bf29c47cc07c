import type { mongo } from 'mongoose';
import { FLOWS, type FlowDocument } from '../flows/flow.schema.js';
import { MAJORITY, type Mongo } from '../driver/mongo.js';
import type { SystemScope } from '../scope.js';
import { FLOW_GATES, type FlowGateDocument } from './flow-gate.schema.js';

export interface FlowKey {
  readonly companyId: string;
  readonly flowId: string;
}

/** A gate as it was read. */
export interface FlowGate extends FlowKey {
  /** 0: the gate does not exist yet. */
  readonly rev: number;
  readonly holders: readonly string[];
  /** The flow's limit now, also for a deleted flow; null: no limit. */
  readonly limit: number | null;
}

const DUPLICATE_KEY = 11_000;

/** Gates of flows with a concurrency limit. Each change is one conditional write on one document. */
export class FlowGateRepository {
  constructor(
    private readonly mongo: Mongo,
    readonly scope: SystemScope,
  ) {}

  /** Read the plays after this: what is decided of them is written over exactly this gate. */
  async read({ companyId, flowId }: FlowKey): Promise<FlowGate> {
    const [gate, limit] = await Promise.all([
      this.gates().findOne({ _id: flowId, company_id: companyId }),
      limitOf(this.mongo, { companyId, flowId }),
    ]);
    return { companyId, flowId, rev: gate?.rev ?? 0, holders: gate?.holders ?? [], limit };
  }

  /** False: the gate has changed; read again and decide. */
  async change({ companyId, flowId, rev }: FlowGate, holders: readonly string[]): Promise<boolean> {
    const next = { company_id: companyId, rev: rev + 1, holders };
    if (rev > 0) {
      const { matchedCount } = await this.gates().updateOne(
        { _id: flowId, company_id: companyId, rev },
        { $set: next },
        { writeConcern: MAJORITY },
      );
      return matchedCount === 1;
    }
    try {
      await this.gates().insertOne({ _id: flowId, ...next }, { writeConcern: MAJORITY });
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code === DUPLICATE_KEY) return false;
      throw error;
    }
  }

  /**
   * Adds these plays to the gate if all of them fit below the limit, whatever else has changed meanwhile.
   *
   * @returns those that were not in it before
   */
  async enter({ companyId, flowId }: FlowKey, playIds: readonly string[], limit: number): Promise<readonly string[]> {
    const after = { $size: { $setUnion: ['$holders', { $literal: [...playIds] }] } };
    const before = await this.gates().findOneAndUpdate(
      { _id: flowId, company_id: companyId, $expr: { $lte: [after, limit] } },
      { $addToSet: { holders: { $each: [...playIds] } }, $inc: { rev: 1 } },
      { returnDocument: 'before', projection: { holders: 1 }, writeConcern: MAJORITY },
    );
    if (!before) return [];
    const had = new Set(before.holders);
    return playIds.filter((id) => !had.has(id));
  }

  /** Removes plays that have ended: safe at any time, since an ended play never continues. */
  async release({ companyId, flowId }: FlowKey, playIds: readonly string[]): Promise<void> {
    await this.gates().updateOne(
      { _id: flowId, company_id: companyId, holders: { $in: [...playIds] } },
      { $pull: { holders: { $in: [...playIds] } }, $inc: { rev: 1 } },
      { writeConcern: MAJORITY },
    );
  }

  private gates(): mongo.Collection<FlowGateDocument> {
    return this.mongo.collection<FlowGateDocument>(FLOW_GATES);
  }
}

/** How many plays of a flow run at once at most, also of a deleted flow; null: no limit. */
async function limitOf(mongo: Mongo, { companyId, flowId }: FlowKey): Promise<number | null> {
  const flow = await mongo
    .collection<FlowDocument>(FLOWS)
    .findOne<Pick<FlowDocument, 'settings'>>(
      { _id: flowId, company_id: companyId },
      { projection: { 'settings.concurrency': 1 } },
    );
  return flow?.settings.concurrency ?? null;
}
