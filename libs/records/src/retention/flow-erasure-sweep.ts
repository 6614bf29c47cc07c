import { FINAL_STATES } from '@weft/contracts';
import type { Play } from '@weft/engine';
import { BATCH_SIZE, entriesDue, type RetentionRule } from '@weft/retention';
import type { ClientSession, mongo } from 'mongoose';
import { recordAudit, AT_STOPPED_LANE, PLAYS } from '@weft/store';
import { FLOW_VERSIONS, type FlowVersionDocument } from '../flows/flow-version.schema.js';
import { FLOWS, type FlowDocument } from '../flows/flow.schema.js';
import { GrantRepository } from '../people/grant.repository.js';
import { ScheduleRepository } from '../schedules/schedule.repository.js';
import { TriggerDeliveriesRepository } from '../triggers/trigger-deliveries.repository.js';
import { TriggerRepository } from '../triggers/trigger.repository.js';
import { FLOW_SAMPLES, type SampleDocument } from '../flows/sample.schema.js';
import { TEST_CASES, type TestCaseDocument } from '../flows/test-case.schema.js';
import { withoutAwaited } from './awaited-plays.js';
import { DUE_PLAY, deletePlays, type DuePlay } from './delete-plays.js';
import { HeldUpWalk } from './held-up-walk.js';
import { nextPage } from './play-page.js';
import { removePoliciesOf } from './retention-policy.repository.js';
import { timed, type Sweep, type SweepContext, type SweepPreview, type SweepStep } from './sweep.js';

/** Of each flow, for a preview: somebody waits for it. */
const PREVIEWED_PAGES = 20;
/** While a flow whose erasure has begun is held up by the same play, all its plays are looked at only after this time. */
const AGAIN_AFTER_MS = 3_600_000;

const ERASABLE = { state: { $in: [...FINAL_STATES] }, $nor: [AT_STOPPED_LANE] };

type Head = Pick<FlowDocument, '_id' | 'version' | 'filteredAt' | 'erasingAt' | 'heldUp'>;
const HEAD = { version: 1, filteredAt: 1, erasingAt: 1, heldUp: 1 } as const;

/** How far a run has come with one flow. */
interface Place {
  readonly walk: HeldUpWalk;
  /** The last play that was looked at to be erased. */
  after: string;
}

/** How far a sweep has come in one run. */
export interface ErasurePosition {
  /** Flows that have gone, or have to stay. */
  readonly done: Set<string>;
  readonly places: Map<string, Place>;
}

export function erasureStart(): ErasurePosition {
  return { done: new Set(), places: new Map() };
}

/** What a step does with a flow: deletes these plays, none when it only looked; 'rest': all plays are gone, and the rest goes. */
type Work = readonly DuePlay[] | 'rest';

/**
 * Erases deleted flows with everything that belongs to them: plays, payloads, versions, test cases, schedules, triggers, grants,
 * policies. From the mark on a flow is not restored; the flow itself goes last, so that a run that dies is gone on with. A
 * flow stays while one of its plays has not ended, has an open parent or a parent with an open retry, or has stopped a lane. A step
 * looks at one page of the plays of one flow.
 */
export class FlowErasureSweep implements Sweep {
  readonly collection = 'flows';
  readonly scope = 'flows.filtered';
  /** Looked up once a visit; each is looked at again in its steps. */
  private waiting?: Head[];

  /**
   * @param onGrantees called with the grantees of deleted grants, for the invalidation bus
   * @param position of the run; the sweep moves it on
   */
  constructor(
    private readonly context: SweepContext,
    private readonly rule: RetentionRule,
    private readonly onGrantees: (ids: readonly string[]) => void,
    private readonly position = erasureStart(),
  ) {}

  get policyId() {
    return this.rule.policyId;
  }

  async step(): Promise<SweepStep> {
    const { found, decidedMs } = await timed(() => this.nextWork());
    if (!found) return { deleted: 0, more: (this.waiting ?? []).length > 0, decidedMs };
    const { flowId, work } = found;
    if (work !== 'rest') {
      const deleted = await deletePlays(this.context, work, { flowId, ...ERASABLE });
      return { deleted, from: 'plays', more: true, decidedMs };
    }
    if ((await this.removeVersions(flowId)) > 0) return { deleted: 0, more: true, decidedMs };
    if ((await this.removeDeliveries(flowId)) > 0) return { deleted: 0, more: true, decidedMs };
    const deleted = (await this.erase(flowId)) ? 1 : 0;
    this.leave(flowId);
    return { deleted, more: true, decidedMs };
  }

  async preview(): Promise<SweepPreview> {
    const { due, all } = await this.due();
    let wouldDelete = 0;
    for (const flow of due) wouldDelete += (await this.isHeldUp(flow)) ? 0 : 1;
    return { wouldDelete, kept: all - wouldDelete };
  }

  /** Of the next flow; null: nothing is left, or it has to stay, and the flows after it do not wait for it. */
  private async nextWork(): Promise<{ readonly flowId: string; readonly work: Work } | null> {
    this.waiting ??= (await this.due()).due.filter(({ _id }) => !this.position.done.has(_id));
    const [next] = this.waiting;
    if (!next) return null;
    const { _id: flowId, filteredAt } = next;
    // one that was restored meanwhile stays, also when it was deleted again
    const flow = await this.flows().findOne<Head>(this.ofCompany({ _id: flowId, filteredAt }), { projection: HEAD });
    const work = flow && (await (flow.erasingAt ? this.goOnErasing(flow) : this.goOnLooking(flow)));
    if (work) return { flowId, work };
    this.leave(flowId);
    return null;
  }

  private leave(flowId: string): void {
    this.position.done.add(flowId);
    this.position.places.delete(flowId);
    this.waiting?.shift();
  }

  private placeOf(flow: Head): Place {
    const place = this.position.places.get(flow._id) ?? { walk: this.walkOf(flow), after: '' };
    this.position.places.set(flow._id, place);
    return place;
  }

  private walkOf({ _id, heldUp }: Head): HeldUpWalk {
    return new HeldUpWalk(this.plays(), this.context.company, _id, heldUp?.playId);
  }

  /** Oldest first; those that were begun are before all others. */
  private async due(): Promise<{ readonly due: Head[]; readonly all: number }> {
    const deleted = await this.flows()
      .find<Head>(this.ofCompany({ filteredAt: { $ne: null } }), { projection: HEAD })
      .sort({ filteredAt: -1, _id: -1 })
      .toArray();
    const begun = deleted.filter(({ erasingAt }) => erasingAt);
    const whole = deleted.filter(({ erasingAt }) => !erasingAt);
    const entries = whole.map((flow) => ({ id: flow, at: flow.filteredAt?.getTime() ?? null }));
    const due = entriesDue(entries, this.rule, this.context.now.getTime());
    return { due: [...begun, ...due.map(({ id }) => id)], all: deleted.length };
  }

  /** Looks at the next page of a flow whose erasure has not begun, and marks it when no play holds it up. Null: it stays. */
  private async goOnLooking(flow: Head): Promise<Work | null> {
    const holding = await this.placeOf(flow).walk.step();
    if (holding === undefined) return [];
    if (holding === null) return (await this.mark(flow)) ? [] : null;
    await this.rememberHeldUp(flow, holding);
    return null;
  }

  /** The version grows, so that a restore that has read the flow already fails. */
  private async mark({ _id, version, filteredAt }: Head): Promise<boolean> {
    const { matchedCount } = await this.flows().updateOne(this.ofCompany({ _id, version, filteredAt }), {
      $set: { erasingAt: this.context.now },
      $inc: { version: 1 },
      $unset: { heldUp: '' },
    });
    return matchedCount === 1;
  }

  /** The next plays of a flow whose erasure has begun that have ended and that no open play needs. Null: the others stay. */
  private async goOnErasing(flow: Head): Promise<Work | null> {
    const place = this.placeOf(flow);
    if (place.after === '' && (await this.isStillHeldUp(flow))) return null;
    const range = { of: this.ofFlow(flow._id), match: ERASABLE, after: place.after };
    const { found, end } = await nextPage<DuePlay>(this.plays(), range, DUE_PLAY);
    const plays = await withoutAwaited(this.plays(), this.context.company, found);
    place.after = end ?? found.at(-1)?._id ?? place.after;
    if (plays.length > 0 || end !== null) return plays;
    const left = await this.plays().findOne(this.ofFlow(flow._id), { projection: { _id: 1 } });
    if (!left) return 'rest';
    await this.rememberHeldUp(flow, left._id);
    return null;
  }

  /** By the play by which it was when all its plays were looked at, not long ago. */
  private async isStillHeldUp(flow: Head): Promise<boolean> {
    if (!flow.heldUp || this.isOld(flow.heldUp.at)) return false;
    return typeof (await this.walkOf(flow).step()) === 'string';
  }

  private async rememberHeldUp({ _id, heldUp }: Head, playId: string): Promise<void> {
    if (heldUp?.playId === playId && !this.isOld(heldUp.at)) return;
    const at = new Date(this.context.mongo.serverNow());
    await this.flows().updateOne(this.ofCompany({ _id }), { $set: { heldUp: { playId, at } } });
  }

  private isOld(at: Date): boolean {
    return this.context.now.getTime() - at.getTime() >= AGAIN_AFTER_MS;
  }

  private async isHeldUp(flow: Head): Promise<boolean> {
    const walk = this.walkOf(flow);
    for (let pages = 0; pages < PREVIEWED_PAGES; pages += 1) {
      const holding = await walk.step();
      if (holding !== undefined) return holding !== null;
    }
    return false;
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
      await mongo.collection<SampleDocument>(FLOW_SAMPLES).deleteMany({ company_id, flowId }, { session });
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
