import type { PlayJob } from '@weft/contracts';
import { destinationTopic, isPause, limitTopic, needsRoom, type LayerWait } from '@weft/engine';
import {
  playKeyOf,
  TenantScope,
  type Mongo,
  type MongoPlayStore,
  type WaitingPlay,
  type WaitingPlaysRepository,
} from '@weft/store';
import { type DestinationDocument } from '@weft/records';
import type { Doorbell, WindowRoom } from '@weft/queue';
import type { PlayCommands } from '@weft/runs';

export interface ReleaseDeps {
  readonly mongo: Pick<Mongo, 'serverNow'>;
  readonly waiting: Pick<WaitingPlaysRepository, 'find'>;
  readonly store: Pick<MongoPlayStore, 'find'>;
  readonly commands: PlayCommands;
  readonly places: WindowRoom;
  readonly doorbell: Doorbell;
}

/** What the plays wait for. */
interface WaitedFor {
  readonly address: string;
  /** Also those that wait for its rate limit. */
  readonly withLimit: boolean;
  readonly isNotHeld: boolean;
}

export interface Released {
  readonly count: number;
  /** The id of the last play that was looked at; empty: there are no more. */
  readonly to: string;
}

/**
 * Ends the pauses of the next plays that wait for a destination, in order of their ids, as somebody does who continues a layer by
 * hand. Those without room in their company's window are due, and go on when there is room. A play on hold tries no destination
 * that is down; once it is up, its pause ends, too, so that it goes on as soon as it is released.
 */
export async function releasePlays(
  deps: ReleaseDeps,
  { company_id, address, state, releasedTo = '' }: DestinationDocument,
  most: number,
  withLimit: boolean,
): Promise<Released> {
  const scope = new TenantScope(company_id);
  const of: WaitedFor = { address, withLimit, isNotHeld: state === 'down' };
  const waitsFor = [destinationTopic(address), ...(withLimit ? [limitTopic(address)] : [])];
  const { plays, next } = await deps.waiting.find(scope, { waitsFor, isNotHeld: of.isNotHeld }, releasedTo, most);
  const askedAtMs = performance.now();
  const at = new Date(deps.mongo.serverNow());
  const going = plays.filter((play) => {
    const position = positionOf(play, of, at);
    return position !== null && needsRoom(play, { kind: 'retryNow', position }, at);
  });
  const room = await deps.places.take(
    company_id,
    going.map(({ _id }) => _id),
  );
  const ended = await Promise.all(plays.map((play) => release(deps, play, of, room.ids)));
  const jobs = ended.flatMap(({ job }) => (job ? [job] : []));
  deps.places.giveBack(company_id, room, new Set(jobs.map(({ playId }) => playId)));
  if (jobs.length > 0) void deps.doorbell.ring(jobs, askedAtMs);
  return { count: ended.filter(({ isReleased }) => isReleased).length, to: next ?? '' };
}

/** A play that moves meanwhile is read again. */
async function release(
  { commands, store, mongo }: ReleaseDeps,
  read: WaitingPlay,
  of: WaitedFor,
  room: ReadonlySet<string>,
): Promise<{ readonly isReleased: boolean; readonly job: PlayJob | null }> {
  let known: WaitingPlay | null = read;
  const applied = await commands.apply<WaitingPlay>({
    room,
    read: async () => {
      const play = known ?? (await store.find(playKeyOf(read)));
      known = null;
      return play;
    },
    order: (play) => {
      const position = play && positionOf(play, of, new Date(mongo.serverNow()));
      return play && position !== null ? { play, command: { kind: 'retryNow', position } } : null;
    },
  });
  return applied.kind === 'written' ? { isReleased: true, job: applied.job } : { isReleased: false, job: null };
}

/** The first of its layers whose pause for this destination is not over. */
function positionOf(
  { state, waits }: WaitingPlay,
  { address, withLimit, isNotHeld }: WaitedFor,
  at: Date,
): number | null {
  if (isNotHeld && state === 'ON_HOLD') return null;
  const isIt = ({ kind, destination, until }: Pick<LayerWait, 'kind' | 'destination' | 'until'>) =>
    isPause(kind) &&
    destination === address &&
    (kind === 'destination_down' || (withLimit && kind === 'rate_limit')) &&
    (until === null || until > at);
  return Object.values(waits ?? {}).find(isIt)?.position ?? null;
}
