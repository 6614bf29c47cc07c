import { isFinal } from '@weft/contracts';
import type { Play } from '@weft/engine';
import { cutoffOf, entriesDue, type Entry, type RetentionRule } from '@weft/retention';
import type { mongo } from 'mongoose';
import { FLOWS, type FlowDocument } from '../flows/flow.schema.js';
import { FlowRepository } from '../flows/flow.repository.js';
import { publishedVersionAfter } from '../flows/publication.js';
import { PLAYS } from '@weft/store';
import { scheduledFlows } from './schedules-of.js';
import { timed, type Sweep, type SweepContext, type SweepPreview, type SweepStep } from './sweep.js';

const AT_ONCE = 20;
type Head = Pick<FlowDocument, '_id' | 'updatedAt' | 'lastRunAt'>;
type NewestPlay = Pick<Play, '_id' | 'flowId' | 'state' | 'createdAt'>;

/**
 * Takes flows out of sight that nobody has changed or run for long, as a user's DELETE does: they can be restored until
 * `flows.filtered` erases them. One with an enabled schedule stays. Nothing is lost yet, so nothing is counted; each flow has
 * its own `flow_deleted` entry.
 */
export class FlowRestSweep implements Sweep {
  readonly collection = 'flows';
  readonly scope = 'flows.all';
  /** Looked up once a visit; each is looked at again when its turn comes. */
  private waiting?: string[];

  constructor(
    private readonly context: SweepContext,
    private readonly rule: RetentionRule,
  ) {}

  get policyId() {
    return this.rule.policyId;
  }

  async step(): Promise<SweepStep> {
    const { found, decidedMs } = await timed(async () => (this.waiting ??= (await this.due()).due.map(({ id }) => id)));
    for (const id of found.splice(0, AT_ONCE)) await this.rest(id);
    return { deleted: 0, more: found.length > 0, decidedMs };
  }

  async preview(): Promise<SweepPreview> {
    const { due, all } = await this.due();
    return { wouldDelete: due.length, kept: all - due.length };
  }

  private async due(): Promise<{ readonly due: readonly Entry[]; readonly all: number }> {
    const { mongo, company, now } = this.context;
    const live = { company_id: company.companyId, filteredAt: null };
    const all = await this.flows().countDocuments(live);
    if (all <= this.rule.minEntries) return { due: [], all };
    const cutoff = new Date(cutoffOf(this.rule, now.getTime()));
    const unchanged = await this.flows()
      .find<Head>(
        { ...live, updatedAt: { $lt: cutoff }, $or: [{ lastRunAt: null }, { lastRunAt: { $lt: cutoff } }] } as never,
        { projection: { updatedAt: 1, lastRunAt: 1 } },
      )
      .toArray();
    const scheduled = await scheduledFlows(mongo, company);
    const newest = await this.newestPlays(unchanged.map(({ _id }) => _id));
    const resting = unchanged
      .filter(({ _id }) => !scheduled.has(_id) && isRest(newest.get(_id), cutoff))
      .map((flow) => ({ id: flow._id, at: lastSeen(flow, newest.get(flow._id)) }))
      .sort((one, other) => other.at - one.at);
    const others = Array.from({ length: all - resting.length }, () => ({ id: '', at: null }));
    return { due: entriesDue([...others, ...resting], this.rule, now.getTime()), all };
  }

  /** The newest play of each flow: one key of the index for each. */
  private async newestPlays(flowIds: readonly string[]): Promise<ReadonlyMap<string, NewestPlay>> {
    const newest = await this.plays()
      .aggregate<{ readonly newest: string }>([
        { $match: { company_id: this.context.company.companyId, flowId: { $in: [...flowIds] } } },
        { $sort: { company_id: 1, flowId: 1, _id: -1 } },
        { $group: { _id: '$flowId', newest: { $first: '$_id' } } },
      ])
      .toArray();
    const plays = await this.plays()
      .find<NewestPlay>(
        { _id: { $in: newest.map((row) => row.newest) } },
        { projection: { flowId: 1, state: 1, createdAt: 1 } },
      )
      .toArray();
    return new Map(plays.map((play) => [play.flowId, play]));
  }

  private async rest(flowId: string): Promise<boolean> {
    const { mongo, company, now } = this.context;
    const flows = new FlowRepository(mongo);
    const before = await flows.find(company, flowId);
    const cutoff = new Date(cutoffOf(this.rule, now.getTime()));
    if (!before || before.updatedAt >= cutoff) return false;
    if ((await scheduledFlows(mongo, company)).has(flowId)) return false;
    if (!isRest((await this.newestPlays([flowId])).get(flowId), cutoff)) return false;
    const next = { ...before, version: before.version + 1, filteredAt: now, updatedAt: now };
    const after = { ...next, publishedVersion: publishedVersionAfter(before, next) };
    return flows.replace(company, before, after, 'retention', {
      action_type: 'flow_deleted',
      collection: FLOWS,
      company_id: company.companyId,
      resource_type: 'flow',
      resource_id: flowId,
      reason: 'retention',
      changes: { filteredAt: { before: null, after: now } },
    });
  }

  private flows(): mongo.Collection<FlowDocument> {
    return this.context.mongo.collection<FlowDocument>(FLOWS);
  }

  private plays(): mongo.Collection<Play> {
    return this.context.mongo.collection<Play>(PLAYS);
  }
}

function isRest(newest: NewestPlay | undefined, cutoff: Date): boolean {
  return !newest || (isFinal(newest.state) && newest.createdAt < cutoff);
}

function lastSeen({ updatedAt, lastRunAt }: Head, newest: NewestPlay | undefined): number {
  return Math.max(updatedAt.getTime(), lastRunAt?.getTime() ?? 0, newest?.createdAt.getTime() ?? 0);
}
