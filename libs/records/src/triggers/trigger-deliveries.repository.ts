import type { mongo } from 'mongoose';
import { findPage, unlessTaken, type Mongo, type PageOf, type PageRequest, type TenantScope } from '@weft/store';
import {
  TRIGGER_BODIES,
  TRIGGER_DELIVERIES,
  type TriggerBodyDocument,
  type TriggerDeliveryDocument,
} from './trigger-delivery.schema.js';

/** What is kept of one trigger, besides the time limits. */
export interface DeliveryLimits {
  readonly deliveries: number;
  readonly bodies: number;
  /** Of all bodies together. */
  readonly bodyBytes: number;
}

/** Deleted in one operation. */
const BATCH = 1_000;

/** The log of deliveries, and their bodies in a collection of their own: lists read no bodies. */
export class TriggerDeliveriesRepository {
  constructor(private readonly mongo: Mongo) {}

  /** Those that are there already stay. @param body null: none is kept */
  async insert(scope: TenantScope, delivery: TriggerDeliveryDocument, body: TriggerBodyDocument | null): Promise<void> {
    for (const each of [delivery, body]) {
      if (each && each.company_id !== scope.companyId) throw new TypeError('a delivery of another company');
    }
    await Promise.all([
      unlessTaken(this.deliveries().insertOne(delivery)),
      body && unlessTaken(this.bodies().insertOne(body)),
    ]);
  }

  async find(scope: TenantScope, triggerId: string, id: string): Promise<TriggerDeliveryDocument | null> {
    return this.deliveries().findOne({ _id: id, company_id: scope.companyId, trigger_id: triggerId });
  }

  async list(scope: TenantScope, triggerId: string, page: PageRequest): Promise<PageOf<TriggerDeliveryDocument>> {
    const ofTrigger = { company_id: scope.companyId, trigger_id: triggerId };
    return findPage<TriggerDeliveryDocument>(this.deliveries(), ofTrigger, page, {});
  }

  /** Null: it is not kept any more. */
  async bodyOf(scope: TenantScope, triggerId: string, id: string): Promise<Buffer | null> {
    const ofTrigger = { _id: id, company_id: scope.companyId, trigger_id: triggerId };
    const found = await this.bodies().findOne(ofTrigger, { promoteBuffers: true });
    return found && Buffer.from(found.body);
  }

  /** Which of these deliveries have a body. */
  async withBody(scope: TenantScope, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const found = await this.bodies()
      .find({ _id: { $in: [...ids] }, company_id: scope.companyId }, { projection: { _id: 1 } })
      .toArray();
    return new Set(found.map(({ _id }) => _id));
  }

  /** Deletes the oldest of a trigger beyond the limits, a batch of them: it is called again and again while more arrive. */
  async trim(scope: TenantScope, triggerId: string, limits: DeliveryLimits): Promise<void> {
    const ofTrigger = { company_id: scope.companyId, trigger_id: triggerId };
    const heads = await this.bodies()
      .find(ofTrigger, { projection: { _id: 1, bytes: 1 } })
      .sort({ _id: -1 })
      .limit(limits.bodies + BATCH)
      .toArray();
    let bytes = 0;
    const tooMany = heads.filter((head, i) => (bytes += head.bytes) > limits.bodyBytes || i >= limits.bodies);
    if (tooMany.length > 0) {
      await this.bodies().deleteMany({ ...ofTrigger, _id: { $in: tooMany.map(({ _id }) => _id) } });
    }
    const old = await this.deliveries()
      .find(ofTrigger, { projection: { _id: 1 } })
      .sort({ _id: -1 })
      .skip(limits.deliveries)
      .limit(BATCH)
      .toArray();
    if (old.length > 0) await this.deliveries().deleteMany({ ...ofTrigger, _id: { $in: old.map(({ _id }) => _id) } });
  }

  /** Deletes a batch of what is kept of a flow's triggers. @returns how many; 0: nothing is left */
  async removeOfFlow(scope: TenantScope, flowId: string): Promise<number> {
    return (
      (await removeSome(this.bodies(), scope, { flow_id: flowId })) +
      (await removeSome(this.deliveries(), scope, { flow_id: flowId }))
    );
  }

  private deliveries(): mongo.Collection<TriggerDeliveryDocument> {
    return this.mongo.collection<TriggerDeliveryDocument>(TRIGGER_DELIVERIES);
  }

  private bodies(): mongo.Collection<TriggerBodyDocument> {
    return this.mongo.collection<TriggerBodyDocument>(TRIGGER_BODIES);
  }
}

async function removeSome<T extends { readonly _id: string; readonly flow_id: string; readonly company_id: string }>(
  collection: mongo.Collection<T>,
  { companyId }: TenantScope,
  ofFlow: { readonly flow_id: string },
): Promise<number> {
  const filter = { ...ofFlow, company_id: companyId } as mongo.Filter<T>;
  const found = await collection
    .find(filter, { projection: { _id: 1 } })
    .limit(BATCH)
    .toArray();
  if (found.length === 0) return 0;
  const ids = found.map(({ _id }) => _id);
  return (await collection.deleteMany({ ...filter, _id: { $in: ids } })).deletedCount;
}
