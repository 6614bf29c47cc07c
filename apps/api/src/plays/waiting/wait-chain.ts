/** Who waits for whom: from a play to what holds it up, to what holds that up, and so on. */
import { isFinal } from '@weft/contracts';
import { isAtStoppedLane } from '@weft/engine';
import type { Blocker, TenantScope, WaitChainRepository, WaitLink } from '@weft/store';
import { turnOf, waitOf } from './why-waiting.js';
import type { ChainWait } from './waiting.view.js';

/** A longer chain is named up to here. */
export const MOST_LINKS = 50;

export interface ChainLink {
  readonly play: WaitLink;
  /** Null: it waits for no play and for nobody, or has ended. */
  readonly waitsFor: ChainWait | null;
  /** Of a turn: `lane:<name>`, `flow:<id>` or `flow:<id>:<key>`. */
  readonly queue?: string;
}

export interface WaitChain {
  /** From the play that was asked for. */
  readonly links: readonly ChainLink[];
  /** The last one was named before: these plays wait for each other. */
  readonly isCircle: boolean;
}

type Reads = Pick<WaitChainRepository, 'find' | 'holdersOf' | 'firstIn' | 'startedBy'>;

/** Of several plays that hold one up, that which goes on by itself is followed, or one that was not named yet. */
export async function waitChain(scope: TenantScope, playId: string, now: Date, reads: Reads): Promise<WaitChain> {
  const links: ChainLink[] = [];
  const named = new Map<string, ChainLink>();
  let id: string | undefined = playId;
  while (id !== undefined && links.length < MOST_LINKS) {
    const before = named.get(id);
    if (before) return { links: [...links, before], isCircle: true };
    const play = await reads.find(scope, id);
    if (!play) break;
    const { blockers, ...found } = await linkOf(scope, play, now, reads);
    const link = { play, ...found };
    links.push(link);
    named.set(id, link);
    id = chosen(blockers, play._id, named);
  }
  return { links: links[0]?.waitsFor ? links : [], isCircle: false };
}

interface Found extends Pick<ChainLink, 'waitsFor' | 'queue'> {
  readonly blockers: readonly Blocker[];
}

const GOES_ON: Found = { waitsFor: null, blockers: [] };

async function linkOf(scope: TenantScope, play: WaitLink, now: Date, reads: Reads): Promise<Found> {
  if (play.state !== 'WAIT' && play.state !== 'DEFERRED') return GOES_ON;
  const turn = turnOf(play, now);
  if (turn !== null && turn !== 'due')
    return { waitsFor: 'turn', queue: turn.queue, blockers: await inQueue(scope, turn.queue, reads) };
  const wait = turn === null ? waitOf(play) : undefined;
  if (wait?.kind === 'event' || wait?.kind === 'approval') return { waitsFor: wait.kind, blockers: [] };
  if (wait?.kind !== 'children') return GOES_ON;
  return { waitsFor: 'child', blockers: await reads.startedBy(scope, play, wait.position) };
}

/** Who has the turns of the queue; while nobody has one, who comes first: it waits for a turn of another queue. */
async function inQueue(scope: TenantScope, queue: string, reads: Reads): Promise<readonly Blocker[]> {
  const holders = await reads.holdersOf(scope, queue);
  if (holders.length > 0) return holders;
  const first = await reads.firstIn(scope, queue);
  return first ? [first] : [];
}

function chosen(blockers: readonly Blocker[], own: string, named: ReadonlyMap<string, unknown>): string | undefined {
  // it has just got its turn, or what held it up has just ended
  const left = blockers.filter((one) => one._id !== own && (!isFinal(one.state) || isAtStoppedLane(one)));
  const goesOn = left.find(({ state }) => state === 'NEW' || state === 'RUN');
  return (goesOn ?? left.find(({ _id }) => !named.has(_id)) ?? left[0])?._id;
}
