import type { ClientSession, mongo } from 'mongoose';
import {
  recordAudit,
  takeTurn,
  findPage,
  type AuditEntryInput,
  type Mongo,
  type PageOf,
  type PageRequest,
  type SystemScope,
  type TenantScope,
} from '@weft/store';
import { FLOWS } from '../flows/flow.schema.js';
import { TRIGGERS, type TriggerDocument, type TriggerSample } from './trigger.schema.js';

/**
 * Before the type of the stored verifier of a trigger that sends events. 1.0 knows no `action` and would run the flow; deliveries with a
 * verifier that it does not know it answers with 401.
 */
const SENDS_EVENTS = 'event:';

function toStored<Fields extends Partial<TriggerDocument>>({ ...fields }: Fields): Fields {
  const { verifier, action } = fields;
  return action && verifier
    ? { ...fields, verifier: { ...verifier, type: `${SENDS_EVENTS}${verifier.type}` } }
    : fields;
}

function fromStored(trigger: TriggerDocument): TriggerDocument {
  const { verifier } = trigger;
  if (!verifier.type.startsWith(SENDS_EVENTS)) return trigger;
  return { ...trigger, verifier: { ...verifier, type: verifier.type.slice(SENDS_EVENTS.length) } };
}

/** Triggers of flows. Every change is one transaction with its audit entry. */
export class TriggerRepository {
  constructor(private readonly mongo: Mongo) {}

  async find(scope: TenantScope, flowId: string, id: string): Promise<TriggerDocument | null> {
    const found = await this.triggers().findOne({ _id: id, company_id: scope.companyId, flow_id: flowId });
    return found && fromStored(found);
  }

  /** Those that are enabled among the triggers with these tokens, of all companies: whoever has a token names no company. */
  async findByTokens(_scope: SystemScope, hashes: readonly string[]): Promise<TriggerDocument[]> {
    return this.triggers()
      .find({ token_hash: { $in: [...hashes] }, enabled: true, type: { $exists: false } })
      .map(fromStored)
      .toArray();
  }

  async list(scope: TenantScope, flowId: string, page: PageRequest): Promise<PageOf<TriggerDocument>> {
    const ofFlow = { company_id: scope.companyId, flow_id: flowId };
    const found = await findPage<TriggerDocument>(this.triggers(), ofFlow, page, {});
    return { ...found, items: found.items.map(fromStored) };
  }

  /** False when the flow has `limit` triggers already: nothing was written then. */
  async insert(scope: TenantScope, trigger: TriggerDocument, limit: number, entry: AuditEntryInput): Promise<boolean> {
    const { companyId } = scope;
    if (trigger.company_id !== companyId) throw new TypeError('a trigger of another company cannot be made here');
    return this.mongo.transaction(async (session) => {
      const ofFlow = { company_id: companyId, flow_id: trigger.flow_id };
      await takeTurn(session, this.mongo, FLOWS, { _id: trigger.flow_id, company_id: companyId });
      if ((await this.triggers().countDocuments(ofFlow, { session, limit })) >= limit) return false;
      await this.triggers().insertOne(toStored(trigger), { session });
      await recordAudit(session, entry);
      return true;
    });
  }

  /** False when it is not what was read any more. Nothing was written then. */
  async change(
    scope: TenantScope,
    { _id, flow_id, rev }: Pick<TriggerDocument, '_id' | 'flow_id' | 'rev'>,
    changes: Partial<TriggerDocument>,
    entry: AuditEntryInput,
  ): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      const { matchedCount } = await this.triggers().updateOne(
        { _id, company_id: scope.companyId, flow_id, rev },
        { $set: toStored(changes), $inc: { rev: 1 } },
        { session },
      );
      if (matchedCount === 0) return false;
      await recordAudit(session, entry);
      return true;
    });
  }

  /** If it listens: what arrived is its sample, and it listens no more. Not counted as a change. */
  async hear(scope: TenantScope, id: string, sample: TriggerSample): Promise<void> {
    const listens = { _id: id, company_id: scope.companyId, listen_until: { $gt: sample.received_at } };
    await this.triggers().updateOne(listens, { $set: { sample }, $unset: { listen_until: 1 } });
  }

  /** False when it is not there. */
  async remove(scope: TenantScope, flowId: string, id: string, entry: AuditEntryInput): Promise<boolean> {
    return this.mongo.transaction(async (session) => {
      const { deletedCount } = await this.triggers().deleteOne(
        { _id: id, company_id: scope.companyId, flow_id: flowId },
        { session },
      );
      if (deletedCount === 0) return false;
      await recordAudit(session, entry);
      return true;
    });
  }

  /** In the transaction that erases a flow. */
  async removeOfFlow(session: ClientSession, scope: TenantScope, flowId: string): Promise<void> {
    await this.triggers().deleteMany({ company_id: scope.companyId, flow_id: flowId }, { session });
  }

  private triggers(): mongo.Collection<TriggerDocument> {
    return this.mongo.collection<TriggerDocument>(TRIGGERS);
  }
}
