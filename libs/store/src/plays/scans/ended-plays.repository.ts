import { FINAL_STATES } from '@weft/contracts';
import type { LayerResult, Play } from '@weft/engine';
import { findPage } from '../../driver/find-page.js';
import type { Mongo } from '../../driver/mongo.js';
import type { SystemScope } from '../../scope.js';
import { PLAYS } from '../play.schema.js';

/** How a play ended, for those that wait for it. */
export interface EndedPlay extends Pick<Play, '_id' | 'company_id' | 'state' | 'error'> {
  /** Of the layers that ran, the last one by its place in the flow: those of one stage end in any order. */
  readonly last: LayerResult | null;
}

const ENDED = {
  company_id: 1,
  state: 1,
  error: 1,
  last: {
    $reduce: {
      input: '$layers',
      initialValue: null,
      in: {
        $cond: [
          { $and: [{ $in: ['$$this.state', ['DONE', 'FAIL']] }, { $gt: ['$$this.position', '$$value.position'] }] },
          '$$this',
          '$$value',
        ],
      },
    },
  },
} as const;

/** Plays that callers wait for, over all companies: each caller was shown its play's id by the insert or its key. */
export class EndedPlaysRepository {
  constructor(
    private readonly mongo: Mongo,
    readonly scope: SystemScope,
  ) {}

  /** Those of these plays that are final; one round trip. Not all of them where the answer would be too large to hold. */
  async endedAmong(ids: readonly string[]): Promise<readonly EndedPlay[]> {
    const { docs } = await findPage(
      this.mongo.collection<EndedPlay>(PLAYS),
      { _id: { $in: [...ids] }, state: { $in: [...FINAL_STATES] } },
      { projection: ENDED, batchSize: ids.length + 1 },
    );
    return docs;
  }
}
