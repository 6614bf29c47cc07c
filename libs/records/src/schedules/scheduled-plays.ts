import type { PlayState } from '@weft/contracts';
import { startedAtOf, type Play } from '@weft/engine';
import type { mongo } from 'mongoose';
import { FIRST_MOVE_TO_RUN, PLAYS, type Mongo, type SystemScope, type TenantScope } from '@weft/store';
import type { LastRun } from './schedule.schema.js';

type Seen = Pick<Play, '_id' | 'state' | 'createdAt' | 'completedAt' | 'log'>;

/** What has become of plays of schedules, by id; those that are gone are missing. One round trip. */
export async function runsOf(
  mongo: Mongo,
  scope: TenantScope | SystemScope,
  playIds: readonly string[],
): Promise<ReadonlyMap<string, LastRun>> {
  if (playIds.length === 0) return new Map();
  const company = scope.kind === 'tenant' ? { company_id: scope.companyId } : {};
  const found = await mongo
    .collection<Play>(PLAYS)
    .find<Seen>({ _id: { $in: [...playIds] }, ...company } as mongo.Filter<Play>, {
      projection: { state: 1, createdAt: 1, completedAt: 1, log: FIRST_MOVE_TO_RUN },
      batchSize: playIds.length + 1,
    })
    .toArray();
  return new Map(found.map((play) => [play._id, toLastRun(play)]));
}

export function toLastRun(play: Seen): LastRun {
  const startedAt = startedAtOf(play);
  return {
    playId: play._id,
    at: play.createdAt,
    state: shownState(play.state),
    durationMs: startedAt && play.completedAt ? play.completedAt.getTime() - startedAt.getTime() : null,
  };
}

/** A NEW play is as good as running: docs/http-api.md §4. */
function shownState(state: PlayState): PlayState {
  return state === 'NEW' ? 'RUN' : state;
}
