import { FINAL_STATES, isFinal } from '@weft/contracts';
import type { Play } from '@weft/engine';
import { BATCH_SIZE, entriesDue, type Entry, type RetentionRule } from '@weft/retention';
import type { ClientSession, mongo } from 'mongoose';
import { recordAudit } from '../audit/record-audit.js';
import { FLOW_GATES, type FlowGateDocument } from '../plays/flow-gate.schema.js';
import { FLOW_VERSIONS, type FlowVersionDocument } from '../flows/flow-version.schema.js';
import { FLOWS, type FlowDocument } from '../flows/flow.schema.js';
import { GrantRepository } from '../people/grant.repository.js';
import { PLAYS } from '../plays/play.schema.js';
import { ScheduleRepository } from '../schedules/schedule.repository.js';
import { TriggerDeliveriesRepository } from '../triggers/trigger-deliveries.repository.js';
import { TriggerRepository } from '../triggers/trigger.repository.js';
import { TEST_CASES, type TestCaseDocument } from '../flows/test-case.schema.js';
import { withoutAwaited } from './awaited-plays.js';
import { AT_STOPPED_LANE, DUE_PLAY, deletePlays, type DuePlay } from './delete-plays.js';
import { removePoliciesOf } from './retention-policy.repository.js';
import { timed, type Sweep, type SweepContext, type SweepPreview, type SweepStep } from './sweep.js';

/** Plays of a flow that are looked at in one operation. */
const LOOKED_AT = 2_000;
/** Of each flow, for a preview: somebody waits for it. */
const PREVIEWED_PAGES = 20;

const ERASABLE = { state: { $in: [...FINAL_STATES] }, $nor: [AT_STOPPED_LANE] };

type LookedAt = DuePlay & Pick<Play, 'laneTurn' | 'laneStops'>;
const LOOKED_AT_FIELDS = { ...DUE_PLAY, laneTurn: 1, laneStops: 1 } as const;

type Head = Pick<FlowDocument, '_id' | 'filteredAt' | 'erasingAt'>;

/**
 * Erases deleted flows with everything that belongs to them: plays, payloads, versions, test cases, schedules, triggers, grants,
 * gate, policies. From the mark on a flow is not restored; the flow itself goes last, so that a run that dies is gone on with. A
 * flow stays while one of its plays has not ended, has an open parent or a parent with an open retry, or has stopped a lane.
 */
export class FlowErasureSweep implements Sweep {
  readonly collection = 'flows';
  readonly scope = 'flows.filtered';
  /** Looked up once a visit; each is looked at again when it is marked. */
  private waiting?: string[];
  /** The last play of the first of them that was looked at. */
  private after = '';

  /** @param onGrantees called with the grantees of deleted grants, for the invalidation bus */
  constructor(
    private readonly context: SweepContext,
    private readonly rule: RetentionRule,
    private readonly onGrantees: (ids: readonly string[]) => void,
  ) {}

  get policyId() {
    return this.rule.policyId;
  }

  async step(): Promise<SweepStep> {
    const { found, decidedMs } = await timed(() => this.nextWork());
    if (!found) return { deleted: 0, more: false, decidedMs };
    const { flowId, plays } = found;
    if (plays.length > 0) {
      const deleted = await deletePlays(this.context, plays, { flowId, ...ERASABLE });
      return { deleted, from: 'plays', more: true, decidedMs };
    }
    if ((await this.removeVersions(flowId)) > 0) return { deleted: 0, more: true, decidedMs };
    if ((await this.removeDeliveries(flowId)) > 0) return { deleted: 0, more: true, decidedMs };
    return { deleted: (await this.erase(flowId)) ? 1 : 0, more: true, decidedMs };
  }

  async preview(): Promise<SweepPreview> {
    const { due, all } = await this.due();
    let wouldDelete = 0;
    for (const { id } of due) wouldDelete += (await this.isHeldUp(id, PREVIEWED_PAGES)) ? 0 : 1;
    return { wouldDelete, kept: all - wouldDelete };
  }

  /** The next flow that can be erased, with its next plays; no plays: all of them are deleted. */
  private async nextWork(): Promise<{ readonly flowId: string; readonly plays: readonly DuePlay[] } | null> {
    for (;;) {
      const flowId = await this.nextDue();
      if (flowId === null) return null;
      const plays = await this.nextPlaysOf(flowId);
      const left =
        plays.length > 0 ? null : await this.plays().findOne(this.ofFlow(flowId), { projection: { _id: 1 } });
      if (!left) return { flowId, plays };
      // a play has to stay, and its flow with it: the next flow does not wait for them
      this.goOn();
    }
  }

  /** A flow that is marked: those that were begun are before all others. */
  private async nextDue(): Promise<string | null> {
    this.waiting ??= (await this.due()).due.map(({ id }) => id);
    for (;;) {
      const next = this.waiting[0];
      if (next === undefined) return null;
      if (await this.mark(next)) return next;
      this.goOn();
    }
  }

  private goOn(): void {
    this.waiting?.shift();
    this.after = '';
  }

  private async due(): Promise<{ readonly due: readonly Entry[]; readonly all: number }> {
    const deleted = await this.flows()
      .find<Head>(this.ofCompany({ filteredAt: { $ne: null } }), { projection: { filteredAt: 1, erasingAt: 1 } })
      .sort({ filteredAt: -1, _id: -1 })
      .toArray();
    const begun = deleted.filter(({ erasingAt }) => erasingAt);
    const whole = deleted.filter(({ erasingAt }) => !erasingAt);
    const entries = whole.map(({ _id, filteredAt }) => ({ id: _id, at: filteredAt?.getTime() ?? null }));
    const due = entriesDue(entries, this.rule, this.context.now.getTime());
    return { due: [...begun.map(({ _id }) => ({ id: _id, at: 0 })), ...due], all: deleted.length };
  }

  /** The version grows, so that a restore that has read the flow already fails. */
  private async mark(flowId: string): Promise<boolean> {
    const flow = await this.flows().findOne(this.ofCompany({ _id: flowId, filteredAt: { $ne: null } }));
    if (!flow) return false;
    if (flow.erasingAt) return true;
    if (await this.isHeldUp(flowId)) return false;
    const { matchedCount } = await this.flows().updateOne(
      this.ofCompany({ _id: flowId, version: flow.version, filteredAt: flow.filteredAt }),
      { $set: { erasingAt: this.context.now }, $inc: { version: 1 } },
    );
    return matchedCount === 1;
  }

  /** Newest first, in pieces: a flow may have millions of plays, and one look at all would take longer than an operation may. */
  private async isHeldUp(flowId: string, mostPages = Number.POSITIVE_INFINITY): Promise<boolean> {
    let before: string | undefined;
    for (let pages = 0; pages < mostPages; pages += 1) {
      const older = before === undefined ? {} : { _id: { $lt: before } };
      const page = await this.plays()
        .find<LookedAt>({ ...this.ofFlow(flowId), ...older }, { projection: LOOKED_AT_FIELDS })
        .sort({ _id: -1 })
        .hint('flow_plays')
        .limit(LOOKED_AT)
        .batchSize(LOOKED_AT)
        .toArray();
      if (page.some(({ state, laneTurn, laneStops }) => !isFinal(state) || (laneTurn && laneStops))) return true;
      const free = await withoutAwaited(this.plays(), this.context.company, page);
      if (free.length < page.length) return true;
      if (page.length < LOOKED_AT) return false;
      before = page.at(-1)?._id;
    }
    return false;
  }

  /** The next plays that have ended and that no parent waits for. */
  private async nextPlaysOf(flowId: string): Promise<readonly DuePlay[]> {
    for (;;) {
      const found = await this.plays()
        .find<DuePlay>({ ...this.ofFlow(flowId), ...ERASABLE, _id: { $gt: this.after } }, { projection: DUE_PLAY })
        .sort({ _id: 1 })
        .limit(BATCH_SIZE)
        .toArray();
      this.after = found.at(-1)?._id ?? this.after;
      const plays = await withoutAwaited(this.plays(), this.context.company, found);
      if (plays.length > 0 || found.length < BATCH_SIZE) return plays;
    }
  }

  private async removeVersions(flowId: string): Promise<number> {
    const versions = this.context.mongo.collection<FlowVersionDocument>(FLOW_VERSIONS);
    const found = await versions
      .find({ companyId: this.context.company.companyId, flowId }, { projection: { _id: 1 } })
      .limit(BATCH_SIZE)
      .toArray();
    if (found.length > 0) await versions.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
    return found.length;
  }

  private removeDeliveries(flowId: string): Promise<number> {
    const { mongo, company } = this.context;
    return new TriggerDeliveriesRepository(mongo).removeOfFlow(company, flowId);
  }

  private async erase(flowId: string): Promise<boolean> {
    const { mongo, company } = this.context;
    const company_id = company.companyId;
    const { erased, grantees } = await mongo.transaction(async (session) => {
      const { deletedCount } = await this.flows().deleteOne(
        this.ofCompany({ _id: flowId, erasingAt: { $exists: true } }),
        { session },
      );
      if (deletedCount === 0) return { erased: false, grantees: [] };
      await mongo.collection<TestCaseDocument>(TEST_CASES).deleteMany({ company_id, flowId }, { session });
      await mongo.collection<FlowGateDocument>(FLOW_GATES).deleteOne({ _id: flowId, company_id }, { session });
      await new ScheduleRepository(mongo).removeOfFlow(session, company, flowId);
      await new TriggerRepository(mongo).removeOfFlow(session, company, flowId);
      await removePoliciesOf(session, company, { flow_id: flowId }, { reason: 'retention' });
      await this.context.states.count(session, company, 'flows', 1);
      return { erased: true, grantees: await this.eraseRights(session, flowId) };
    });
    this.onGrantees(grantees);
    return erased;
  }

  private async eraseRights(session: ClientSession, flowId: string): Promise<readonly string[]> {
    const { mongo, company } = this.context;
    const nobody = { UserID: null, UserEmail: null, UserIPAddress: null, request_id: null };
    const grantees = await new GrantRepository(mongo).removeOfResource(session, company, 'flow', flowId, nobody);
    await recordAudit(session, {
      action_type: 'flow_erased',
      collection: FLOWS,
      company_id: company.companyId,
      resource_type: 'flow',
      resource_id: flowId,
      reason: 'retention',
    });
    return grantees;
  }

  private ofFlow(flowId: string): mongo.Filter<Play> {
    return { company_id: this.context.company.companyId, flowId };
  }

  private ofCompany(filter: mongo.Filter<FlowDocument>): mongo.Filter<FlowDocument> {
    return { ...filter, company_id: this.context.company.companyId };
  }

  private flows(): mongo.Collection<FlowDocument> {
    return this.context.mongo.collection<FlowDocument>(FLOWS);
  }

  private plays(): mongo.Collection<Play> {
    return this.context.mongo.collection<Play>(PLAYS);
  }
}
