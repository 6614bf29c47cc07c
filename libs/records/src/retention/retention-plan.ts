import { playRules, ruleOf, type RetentionDefaults } from '@weft/retention';
import type { mongo } from 'mongoose';
import { PayloadStore, type AuditKeys, type Mongo, type TenantScope } from '@weft/store';
import { FLOWS, type FlowDocument } from '../flows/flow.schema.js';
import { AuditSweep } from './audit-sweep.js';
import { FlowErasureSweep, erasureStart } from './flow-erasure-sweep.js';
import { FlowRestSweep } from './flow-rest-sweep.js';
import { KvSweep } from './kv-sweep.js';
import { LayerSweep, layerStart } from './layer-sweep.js';
import { PlaySweep, playStart } from './play-sweep.js';
import { RetentionPolicyRepository, toRetentionPolicy } from './retention-policy.repository.js';
import type { RetentionPolicyDocument } from './retention-policy.schema.js';
import { RetentionStateRepository } from './retention-state.repository.js';
import { SweepPositions } from './sweep-positions.js';
import type { Sweep, SweepContext } from './sweep.js';

export interface RetentionPlanOptions {
  readonly defaults: RetentionDefaults;
  readonly auditKeys: AuditKeys;
  /** Called with the grantees of deleted grants, for the invalidation bus. */
  readonly onGrantees?: (ids: readonly string[]) => void;
}

/** What the cleaner does and what a preview counts, from the policies of a company: one code for both. */
export class RetentionPlan {
  readonly states: RetentionStateRepository;
  private readonly payloads: PayloadStore;
  private readonly policies: RetentionPolicyRepository;

  constructor(
    private readonly mongo: Mongo,
    private readonly options: RetentionPlanOptions,
  ) {
    this.states = new RetentionStateRepository(mongo);
    this.payloads = new PayloadStore(mongo);
    this.policies = new RetentionPolicyRepository(mongo);
  }

  /**
   * The sweeps of one company, by its policies as they are now, in the order in which they run.
   *
   * @param company null: what belongs to no company, which is a part of the audit log
   * @param now MongoDB's clock
   * @param tried a policy that counts as if it were stored, in the place of the one with its id
   * @param positions where the run has come to: its next visit goes on there
   */
  async sweepsOf(
    company: TenantScope | null,
    now: Date,
    tried?: RetentionPolicyDocument,
    positions = new SweepPositions(),
  ): Promise<Sweep[]> {
    const { mongo, states, payloads } = this;
    const { defaults, auditKeys, onGrantees = () => undefined } = this.options;
    if (company === null) {
      const rule = ruleOf('audit', [], defaults);
      return rule ? [new AuditSweep({ mongo, now, states }, null, rule, auditKeys)] : [];
    }
    const context: SweepContext = { mongo, company, now, states, payloads };
    const stored = await this.policies.list(company);
    const policies = [...stored.filter(({ _id }) => _id !== tried?._id), ...(tried ? [tried] : [])].map(
      toRetentionPolicy,
    );
    const grouped = policies.some(({ flowGroupId }) => flowGroupId !== null) ? await this.groupedFlows(company) : [];
    const layers = ruleOf('play_layers', policies, defaults);
    const resting = ruleOf('flows.all', policies, defaults);
    const erased = ruleOf('flows.filtered', policies, defaults);
    const audit = ruleOf('audit', policies, defaults);
    const kv = ruleOf('kv_stores', policies, defaults);
    const plays = playRules(policies, grouped, defaults).map(
      (rule) => new PlaySweep(context, rule, positions.of(rule, playStart)),
    );
    return [
      ...plays,
      ...(layers ? [new LayerSweep(context, layers, plays, positions.of(layers, layerStart))] : []),
      ...(resting ? [new FlowRestSweep(context, resting)] : []),
      ...(erased ? [new FlowErasureSweep(context, erased, onGrantees, positions.of(erased, erasureStart))] : []),
      ...(audit ? [new AuditSweep(context, company, audit, auditKeys)] : []),
      ...(kv ? [new KvSweep(context, kv)] : []),
    ];
  }

  /** What no play refers to any more, once plays or their layers went. */
  async removePayloads(company: TenantScope): Promise<number> {
    return this.payloads.removeUnreferenced(company);
  }

  /** Deleted flows too: their plays are still there. */
  private async groupedFlows(company: TenantScope): Promise<{ flowId: string; groupId: string }[]> {
    const flows: mongo.Collection<FlowDocument> = this.mongo.collection<FlowDocument>(FLOWS);
    const found = await flows
      .find({ company_id: company.companyId, groupId: { $type: 'string' } }, { projection: { groupId: 1 } })
      .toArray();
    // in one order: in another one, the rule of a group would look like a changed one in the next visit
    return found
      .map(({ _id, groupId }) => ({ flowId: _id, groupId: groupId as string }))
      .sort((one, other) => (one.flowId < other.flowId ? -1 : 1));
  }
}
