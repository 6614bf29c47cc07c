import type { Play } from '@weft/engine';
import { lastIdAt } from '@weft/kernel';
import { BATCH_SIZE, cutoffOf, type PlayRule } from '@weft/retention';
import type { mongo } from 'mongoose';
import { isTimeOver, PLAYS } from '@weft/store';
import { NEVER_AWAITED, pagesOfMaybeAwaited, withoutAwaited } from './awaited-plays.js';
import { DUE_PLAY, deletePlays, endedBefore, type DuePlay } from './delete-plays.js';
import { LOOKED_AT, nextPage } from './play-page.js';
import { longestMissedWindowMs } from './schedules-of.js';
import { counted, plus, previewOf, sumOf, withinTime, type Counted } from './preview-count.js';
import {
  MOST_PREVIEWED,
  PREVIEW_WITHIN_MS,
  timed,
  type Sweep,
  type SweepContext,
  type SweepPreview,
  type SweepStep,
} from './sweep.js';

/** MongoDB merges this many index ranges in the order of a sort; it would sort the results of more in memory. */
const FLOWS_AT_ONCE = 100;
/** Of what is due: a key of an index each, once a run, where the deletion of as many takes minutes. */
const MOST_COUNTED = 1_000_000;
const COUNT_WITHIN_MS = 2_000;
const PREVIEWED = { limit: MOST_PREVIEWED, maxTimeMS: PREVIEW_WITHIN_MS } as const;
const DAY_MS = 86_400_000;

type Part = mongo.Filter<Play>;

/** What the queries are made of, once a visit. */
interface Plan {
  /** The governed plays, in parts that an index walks in order. */
  readonly parts: readonly Part[];
  /** Plays up to this id are not among the newest that remain, and may be old enough. Null: nothing is due. */
  readonly upTo: string | null;
  readonly due: mongo.Filter<Play>;
}

/** How far a sweep has come in one run. */
export interface PlayPosition {
  /** The governed flows, as the run found them first, since parts are counted over them; null: all. */
  flows?: readonly string[] | null;
  part: number;
  /** Plays of the part up to this id have been looked at. */
  after: string;
  /** Plays that may be due and have not been looked at, at most; undefined: not counted yet. */
  left?: number;
}

export function playStart(): PlayPosition {
  return { part: 0, after: '' };
}

/**
 * Deletes plays. The newest are those that lists show first (by id, the order of acceptance); age counts from the end of a
 * play. Both walk the indexes that lists use, so that cleaning needs none of its own: a play that is run pays nothing for it.
 */
export class PlaySweep implements Sweep {
  readonly collection = 'plays';
  private plan?: Plan;

  /** @param position of the run; the sweep moves it on */
  constructor(
    private readonly context: SweepContext,
    private readonly rule: PlayRule,
    private readonly position = playStart(),
  ) {}

  get scope() {
    return this.rule.scope;
  }

  get policyId() {
    return this.rule.policyId;
  }

  async step(): Promise<SweepStep> {
    const { found, decidedMs } = await timed(() => this.nextDue());
    const deleted = await deletePlays(this.context, found.plays, found.due);
    const left = { plays: this.position.left ?? 0, overdueMs: this.overdueMs(found.plays) };
    return { deleted, more: found.more, decidedMs, left };
  }

  async preview(): Promise<SweepPreview> {
    const { parts } = await this.planned();
    const all = await sumOf(parts.map((part) => counted(this.plays().countDocuments(part, PREVIEWED))));
    const due = await sumOf((await this.going()).map((filter) => withinTime(this.countDue(filter))));
    return previewOf(due, all);
  }

  /** Filters over the plays that go, unless an open play may need them. */
  async going(): Promise<readonly mongo.Filter<Play>[]> {
    const { parts, upTo, due } = await this.planned();
    return upTo === null ? [] : parts.map((part) => ({ ...part, ...due, _id: { $lte: upTo } }));
  }

  /** Children and failed plays are read: an open play may need them. All others are counted. */
  private async countDue(filter: mongo.Filter<Play>): Promise<Counted> {
    let count = 0;
    const others = await counted(this.plays().countDocuments({ $and: [filter, NEVER_AWAITED] }, PREVIEWED));
    for await (const { free } of pagesOfMaybeAwaited(this.plays(), this.context.company, filter)) count += free.length;
    return plus(others, { count, isCapped: count >= MOST_PREVIEWED });
  }

  /** One page: children that are waited for may fill many, and the next one is for the next step. */
  private async nextDue(): Promise<{ plays: readonly DuePlay[]; due: mongo.Filter<Play>; more: boolean }> {
    const { position } = this;
    const { parts, upTo, due } = await this.planned();
    const part = parts[position.part];
    if (upTo === null || !part) return { plays: [], due, more: false };
    position.left ??= await this.countLeft(parts, upTo);
    const range = { of: part, match: due, after: position.after, upTo };
    const { found, end } = await nextPage<DuePlay>(this.plays(), range, DUE_PLAY);
    const passed = found.length === BATCH_SIZE ? BATCH_SIZE : LOOKED_AT;
    position.left = end === null && position.part === parts.length - 1 ? 0 : Math.max(0, position.left - passed);
    const plays = await withoutAwaited(this.plays(), this.context.company, found);
    position.part += end === null ? 1 : 0;
    position.after = end ?? '';
    return { plays, due, more: position.part < parts.length };
  }

  /** Reads keys of an index only. What takes too long to count is as much as is counted at most. */
  private async countLeft(parts: readonly Part[], upTo: string): Promise<number> {
    const options = { limit: MOST_COUNTED, maxTimeMS: COUNT_WITHIN_MS };
    const counts = parts.map((part) =>
      this.plays()
        .countDocuments(
          { ...part, _id: { $lte: upTo } },
          { ...options, hint: 'flowId' in part ? 'flow_plays' : 'company_plays' },
        )
        .catch((error: unknown) => {
          if (isTimeOver(error)) return MOST_COUNTED;
          throw error;
        }),
    );
    return Math.min(
      MOST_COUNTED,
      (await Promise.all(counts)).reduce((sum, count) => sum + count, 0),
    );
  }

  private overdueMs(found: readonly DuePlay[]): number {
    const cutoff = cutoffOf(this.rule, this.context.now.getTime());
    const ages = found.map(({ completedAt }) => (completedAt ? cutoff - completedAt.getTime() : 0));
    return Math.max(0, ...ages);
  }

  private async planned(): Promise<Plan> {
    return (this.plan ??= await this.makePlan());
  }

  private async makePlan(): Promise<Plan> {
    const { mongo, company, now } = this.context;
    const flows = await this.flowsOfRun();
    const parts = flows === null ? [{ company_id: company.companyId }] : this.partsOf(flows);
    const newestThatGoes = await this.newestBehind(flows);
    if (newestThatGoes === null) return { parts, upTo: null, due: {} };
    const cutoff = cutoffOf(this.rule, now.getTime());
    const scheduledBefore = now.getTime() - DAY_MS - (await longestMissedWindowMs(mongo, company));
    const due = {
      ...endedBefore(new Date(cutoff)),
      // a slot that is asked for again must find its play: docs/protocol.md §9
      $or: [{ trigger: { $ne: 'schedule' as const } }, { createdAt: { $lt: new Date(scheduledBefore) } }],
    };
    const oldest = lastIdAt(Math.max(0, cutoff));
    return { parts, upTo: newestThatGoes < oldest ? newestThatGoes : oldest, due };
  }

  private async flowsOfRun(): Promise<readonly string[] | null> {
    const { position } = this;
    return (position.flows = position.flows === undefined ? await this.governedFlows() : position.flows);
  }

  /** Null: all. */
  private async governedFlows(): Promise<readonly string[] | null> {
    const { flows } = this.rule;
    if ('only' in flows) return flows.only;
    if (flows.except.length === 0) return null;
    const all = await this.plays().distinct('flowId', { company_id: this.context.company.companyId });
    const except = new Set(flows.except);
    return all.filter((flowId) => !except.has(flowId));
  }

  private partsOf(flows: readonly string[]): Part[] {
    const { companyId: company_id } = this.context.company;
    const count = Math.ceil(flows.length / FLOWS_AT_ONCE);
    return Array.from({ length: count }, (_, i) => ({
      company_id,
      flowId: { $in: flows.slice(i * FLOWS_AT_ONCE, (i + 1) * FLOWS_AT_ONCE) },
    }));
  }

  /** The newest play after those that are kept for being the newest; null when all are kept. Reads index keys only. */
  private async newestBehind(flows: readonly string[] | null): Promise<string | null> {
    const { companyId: company_id } = this.context.company;
    const many = flows !== null && flows.length > FLOWS_AT_ONCE;
    const [found] = await this.plays()
      .find(flows === null ? { company_id } : { company_id, flowId: { $in: [...flows] } }, { projection: { _id: 1 } })
      .sort({ _id: -1 })
      .skip(this.rule.minEntries)
      .limit(1)
      .hint(flows === null || many ? 'company_plays' : 'flow_plays')
      .toArray();
    return found?._id ?? null;
  }

  private plays(): mongo.Collection<Play> {
    return this.context.mongo.collection<Play>(PLAYS);
  }
}
