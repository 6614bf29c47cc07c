import type { Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo } from '../driver/mongo.js';
import { findPage } from '../driver/find-page.js';
import { PLAYS } from '../plays/play.schema.js';
import type { TenantScope } from '../scope.js';

/** What of a play its events are made of; `layers` has the last result, where it was asked for. */
export type EventPlay = Pick<Play, '_id' | 'flowId' | 'log' | 'completedAt' | 'error' | 'layers' | 'labels'>;

/** Reads plays for the events of webhooks. */
export class EventPlaysRepository {
  private readonly plays: mongo.Collection<EventPlay & { company_id: string }>;

  constructor(mongo: Mongo) {
    this.plays = mongo.collection(PLAYS);
  }

  /**
   * Plays that were deleted are not in the answer.
   *
   * @returns `hasMore`: there was no room for all of them. An answer has at least one
   */
  async read(
    { companyId }: TenantScope,
    playIds: readonly string[],
    withOutput: boolean,
  ): Promise<{ readonly plays: ReadonlyMap<string, EventPlay>; readonly hasMore: boolean }> {
    if (playIds.length === 0) return { plays: new Map(), hasMore: false };
    const { docs, hasMore } = await findPage(
      this.plays,
      { _id: { $in: [...playIds] }, company_id: companyId },
      {
        projection: {
          ...{ flowId: 1, log: 1, completedAt: 1, error: 1, labels: 1 },
          layers: withOutput ? { $slice: -1 } : { $literal: [] },
        },
      },
    );
    return { plays: new Map(docs.map((play) => [play._id, play])), hasMore };
  }
}
