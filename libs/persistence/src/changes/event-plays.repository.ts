import type { Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import type { Mongo } from '../driver/mongo.js';
import { readInPortions } from '../driver/read-in-portions.js';
import { PLAYS } from '../plays/play.schema.js';
import type { TenantScope } from '../scope.js';

/** What of a play its events are made of; `layers` has the last result, where it was asked for. */
export type EventPlay = Pick<Play, '_id' | 'flowId' | 'log' | 'completedAt' | 'error' | 'layers' | 'labels'>;

const DECODED_AT_ONCE_BYTES = 256 * 1024;
const ENTRY_BYTES = 100;

/** Reads plays for the events of webhooks. */
export class EventPlaysRepository {
  private readonly plays: mongo.Collection<EventPlay & { company_id: string }>;

  constructor(mongo: Mongo) {
    this.plays = mongo.collection(PLAYS);
  }

  /** Plays that were deleted are not in the answer. */
  async read(
    { companyId }: TenantScope,
    playIds: readonly string[],
    withOutput: boolean,
  ): Promise<ReadonlyMap<string, EventPlay>> {
    if (playIds.length === 0) return new Map();
    const found = this.plays.find<EventPlay>(
      { _id: { $in: [...playIds] }, company_id: companyId },
      {
        projection: {
          ...{ flowId: 1, log: 1, completedAt: 1, error: 1, labels: 1 },
          layers: withOutput ? { $slice: -1 } : { $literal: [] },
        },
      },
    );
    const read = await readInPortions(found, ({ log }) => log.length * ENTRY_BYTES, DECODED_AT_ONCE_BYTES);
    return new Map(read.map((play) => [play._id, play]));
  }
}
