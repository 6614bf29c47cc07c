import type { BatchOutcome, GroupCommit } from '@weft/concurrency';
import type { Play } from '@weft/engine';
import { isStoreUnavailable } from '../../driver/store-unavailable.js';
import { BINDING_KEY, PLACES } from '../play.schema.js';
import { refusalOf } from './store-refusals.js';

/** `there`: an insert before this one has stored the same id · `place_taken`: a retry of the same play, or the play of the same layer. */
export type Insertion = 'stored' | 'there' | 'place_taken' | 'key_taken';

interface Insert {
  readonly play: Play;
  /** MongoDB was unreachable, or its answer was lost: maybe the first insert has stored it. */
  isRepeated: boolean;
}

type Group = (
  flush: (inserts: readonly Insert[]) => Promise<readonly BatchOutcome<Insertion>[]>,
  repeats: (error: unknown, inserts: readonly Insert[]) => boolean,
) => GroupCommit<Insert, Insertion>;

/** Hides a failover: inserting the same id again has no effect. Repeated inserts come before later ones, so that lanes keep their order. */
export class PlayInserts {
  private readonly commit: GroupCommit<Insert, Insertion>;

  constructor(
    group: Group,
    insertMany: (plays: readonly Play[]) => Promise<readonly BatchOutcome<Insertion>[]>,
    isClosing: () => boolean,
  ) {
    this.commit = group(
      (inserts) => insertMany(inserts.map(({ play }) => play)),
      (error, inserts) => {
        if (!isStoreUnavailable(error) || isClosing()) return false;
        for (const insert of inserts) insert.isRepeated = true;
        return true;
      },
    );
  }

  async add(play: Play, bytes: number): Promise<Insertion> {
    const insert: Insert = { play, isRepeated: false };
    try {
      const done = await this.commit.add(insert, bytes);
      return done === 'there' && insert.isRepeated ? 'stored' : done; // by the first one, whose answer was lost
    } catch (error) {
      throw isStoreUnavailable(error) ? error : (refusalOf(play._id, error) ?? error);
    }
  }
}

/** @param errmsg names the index that refused an insert; of a play with an id that is stored, the one over ids, whatever else it shares */
export function whatIsThere(errmsg: string): Insertion {
  if (errmsg.includes(BINDING_KEY)) return 'key_taken';
  return PLACES.some((name) => errmsg.includes(`index: ${name} `)) ? 'place_taken' : 'there';
}
