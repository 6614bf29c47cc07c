import type { LayerWait, Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import { ofFlows, type FlowChoice } from './play-query.js';
import type { Mongo } from '../../driver/mongo.js';
import { TOTAL_CAP, type PageOf, type PageRequest } from '../../driver/paging.js';
import { isTimeOver } from '../../driver/time-over.js';
import type { TenantScope } from '../../scope.js';
import { PLAYS } from '../play.schema.js';

export interface InboxFilter {
  /** Flows whose plays the caller sees. */
  readonly flows: FlowChoice;
  /** Only approvals that name one of these, or nobody, of the flows `unnamed`. Left out: all. */
  readonly decider?: { readonly ids: readonly string[]; readonly unnamed: FlowChoice };
}

/** An open approval and its play. */
export interface InboxRow extends Pick<Play, 'flowId' | 'trigger' | 'triggeredBy'> {
  readonly playId: string;
  readonly wait: LayerWait;
}

const WITHIN_MS = { page: 10_000, count: 2_000 };
const KEY = /^([0-9a-z]{20})-(\d{1,3})$/;

/** Whether a text names a place in the inbox: the play and the position of the layer. */
export function isInboxKey(text: string): boolean {
  return KEY.test(text);
}

/**
 * The open approvals of a company, newest play first, read from the plays that wait now: what is answered, cancelled or put on
 * hold is not among them. Index `company_states`.
 */
export class ApprovalInboxRepository {
  constructor(private readonly mongo: Mongo) {}

  async list(scope: TenantScope, filter: InboxFilter, page: PageRequest): Promise<PageOf<InboxRow>> {
    const skip = page.after === null ? page.page * page.size : 0;
    const [rows, counted] = await Promise.all([
      this.plays()
        .aggregate<InboxRow>(
          [...openApprovals(scope, filter, page.after), { $skip: skip }, { $limit: page.size + 1 }, SHOWN],
          { maxTimeMS: WITHIN_MS.page },
        )
        .toArray(),
      this.count(scope, filter),
    ]);
    const items = rows.slice(0, page.size);
    const last = rows.length > page.size ? items.at(-1) : undefined;
    return {
      items,
      total: Math.min(counted ?? skip + rows.length, TOTAL_CAP),
      totalCapped: counted === null || counted > TOTAL_CAP,
      nextAfter: last ? `${last.playId}-${last.wait.position}` : null,
    };
  }

  /** Null: it takes too long to count. */
  private async count(scope: TenantScope, filter: InboxFilter): Promise<number | null> {
    try {
      const [counted] = await this.plays()
        .aggregate<{ readonly n: number }>(
          [...openApprovals(scope, filter, null), { $limit: TOTAL_CAP + 1 }, { $count: 'n' }],
          { maxTimeMS: WITHIN_MS.count },
        )
        .toArray();
      return counted?.n ?? 0;
    } catch (error) {
      if (isTimeOver(error)) return null;
      throw error;
    }
  }

  private plays(): mongo.Collection<Play> {
    return this.mongo.collection<Play>(PLAYS);
  }
}

const SHOWN = { $project: { _id: 0, playId: '$_id', flowId: 1, trigger: 1, triggeredBy: 1, wait: '$wait.v' } };
const ANSWERED = { $map: { input: { $objectToArray: { $ifNull: ['$inbox', {}] } }, in: '$$this.k' } };

/** Plays in the order of their index; the approvals of a play in the order of its layers, as they are stored. */
function openApprovals(scope: TenantScope, { flows, decider }: InboxFilter, after: string | null): mongo.Document[] {
  const [, playId, position] = (after === null ? null : KEY.exec(after)) ?? [];
  const approvers = decider && [
    { 'wait.v.approval.approvers': { $in: [...decider.ids] } },
    { 'wait.v.approval.approvers': { $size: 0 }, ...ofFlows(decider.unnamed) },
  ];
  const isLater = { $or: [{ _id: { $lt: playId } }, { 'wait.v.position': { $gt: Number(position) } }] };
  return [
    {
      $match: {
        ...{ company_id: scope.companyId, state: 'WAIT' },
        ...ofFlows(flows),
        ...(playId !== undefined && { _id: { $lte: playId } }),
      },
    },
    { $sort: { _id: -1 } },
    { $project: { flowId: 1, trigger: 1, triggeredBy: 1, answered: ANSWERED, wait: { $objectToArray: '$waits' } } },
    { $unwind: '$wait' },
    {
      $match: {
        'wait.v.kind': 'approval',
        ...(approvers && { $or: approvers }),
        ...(playId !== undefined && { $and: [isLater] }),
        $expr: { $not: [{ $in: ['$wait.k', '$answered'] }] },
      },
    },
  ];
}
