import { laneQueue, type OpenPlay, type Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo, SnapshotRead } from '../../driver/mongo.js';
import { countWithin } from '../../driver/paging.js';
import type { TenantScope } from '../../scope.js';
import { OPEN_FIELDS } from '../scans/open-plays.repository.js';
import { PLAYS } from '../play.schema.js';
import { byTurn, inQueue, orderIn } from './queues.js';

/** The play at the head of a lane with what people are shown of it. */
export type LaneHead = OpenPlay & Pick<Play, 'error' | 'createdAt' | 'completedAt' | 'triggeredBy'>;

/** A play that waits for its turn. */
export type LaneWaiter = Pick<Play, '_id' | 'flowId' | 'createdAt' | 'triggeredBy' | 'retryOf'>;

const HEAD_FIELDS = { ...OPEN_FIELDS, error: 1, createdAt: 1, completedAt: 1, triggeredBy: 1 } as const;

/** A lane at one point in time. */
export interface LaneNow {
  /** Who has the turn, also if it has ended and the lane has stopped at it; while nobody has it, who gets it next. */
  readonly head: LaneHead | null;
  /** How many wait after the head, up to one more than `TOTAL_CAP`; null: counting takes too long. */
  readonly waiting: number | null;
  /** The first ones of them, in order; those on hold, which are passed over, are not among them. */
  readonly next: readonly LaneWaiter[];
}

/** Lanes of a company, for people. */
export class LaneReads {
  private readonly plays: mongo.Collection<Play>;

  constructor(private readonly mongo: Mongo) {
    this.plays = mongo.collection<Play>(PLAYS);
  }

  /**
   * A play that gets its turn meanwhile is either waiting or has the turn. Indexes `turns`, `queues`.
   *
   * @param limit of `next`
   */
  now({ companyId }: TenantScope, lane: string, limit: number): Promise<LaneNow> {
    const key = { companyId, queue: laneQueue(lane) };
    return this.mongo.snapshot(async (at) => {
      // the first read decides the point in time
      const holder = await this.holder(key, at());
      const sort = orderIn(key.queue);
      const first = this.plays.find<LaneHead>(inQueue(key), {
        projection: HEAD_FIELDS,
        sort,
        limit: limit + 1,
        ...at(),
      });
      const [waiting, next] = await Promise.all([
        countWithin<Play>(this.plays, inQueue(key), { at: at() }),
        first.toArray(),
      ]);
      if (holder) return { head: holder, waiting, next: next.slice(0, limit) };
      const [head = null, ...others] = next;
      return { head, waiting: waiting === null ? null : Math.max(0, waiting - 1), next: others };
    });
  }

  /** Index `turns`, `queues`. */
  async head({ companyId }: TenantScope, lane: string): Promise<LaneHead | null> {
    const key = { companyId, queue: laneQueue(lane) };
    const options = { projection: HEAD_FIELDS, sort: orderIn(key.queue) };
    return (await this.holder(key)) ?? this.plays.findOne<LaneHead>(inQueue(key), options);
  }

  /**
   * The flows whose plays are in the lane. Indexes `turns`, `queues`.
   *
   * @param most of the plays that wait: no more are looked at
   */
  async flowsIn({ companyId }: TenantScope, lane: string, most: number): Promise<string[]> {
    const key = { companyId, queue: laneQueue(lane) };
    const options = { projection: { flowId: 1 }, sort: orderIn(key.queue), limit: most };
    // in this order: a play that gets its turn meanwhile is seen as one or the other
    const waiting = await this.plays.find<Pick<Play, 'flowId'>>(inQueue(key), options).toArray();
    const holder = await this.holder(key);
    return [...new Set([...(holder ? [holder] : []), ...waiting].map(({ flowId }) => flowId))];
  }

  private holder(key: Parameters<typeof byTurn>[0], at?: SnapshotRead): Promise<LaneHead | null> {
    return this.plays.findOne<LaneHead>(byTurn(key), { projection: HEAD_FIELDS, ...at });
  }
}
