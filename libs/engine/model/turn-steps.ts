/** Test only. Keepers of turns, as `TurnKeeper` of libs/queue: one of their reads and writes at a time, over the engine's writes. */
import { isFinal } from '@weft/contracts';
import type { Play } from '../src/play.js';
import type { PlayWrite } from '../src/play-write.js';
import { isAtStoppedLane, isLaneQueue, queuesOf, slotsIn, turnOf } from '../src/turns.js';
import type { WorldSteps } from './world-parts.js';
import type { World } from './world.js';

/** What a keeper has read, and what it writes next. */
export interface Keeper {
  readonly p: number;
  readonly play: Play;
  readonly write: (hasRoom: boolean) => PlayWrite;
  /** The plays of the same lane that waited when it read, oldest first. */
  readonly waiting: readonly Play[];
}

export function turnSteps(world: World, { work }: WorldSteps): void {
  const { table, engine, budget } = world;
  const queues = new Set(table.plays.flatMap((play) => play?.queues ?? []));
  world.keepers.forEach((keeper, i) => {
    const name = `keeper ${i}`;
    const set = (next: Keeper | null) => void (world.keepers[i] = next);
    if (!keeper) {
      if (i > 0 && !world.keepers[i - 1]) return;
      for (const queue of queues) {
        for (const found of look(world, queue))
          work.push({ what: `${name} looks at ${queue}, and takes ${found.p}`, run: () => set(found) });
      }
      return;
    }
    const { p, play } = keeper;
    const writes = (hasRoom: boolean) => {
      set(null);
      const write = keeper.write(hasRoom);
      const taken = table.turnTaken(p, write);
      // another play of its lane was faster
      if (taken !== null && isLaneQueue(taken) && (play.queues?.length ?? 0) > 1)
        return void table.write(p, engine.leaveWrite(play), 'reconcile');
      const overtaken = keeper.waiting.find((older) => {
        const now = table.get(world.indexOf(older));
        return now.epoch === older.epoch && now.seq === older.seq && world.isOlder(older, play);
      });
      if (!table.write(p, write, 'reconcile')) return;
      if (overtaken && play.queues?.length === 1)
        world.watch.bad(`play ${p} has overtaken play ${world.indexOf(overtaken)} in its lane`);
      if (table.get(p).state === 'RUN') world.ring(p, table.get(p).epoch);
    };
    work.push({ what: `${name} writes ${p}`, run: () => writes(true) });
    if (budget.noRoom > 0)
      work.push({
        what: `${name} writes ${p} without room`,
        run: () => {
          budget.noRoom -= 1;
          writes(false);
        },
      });
  });
}

/** Of a flow with several free turns, a keeper that knows one of them takes any of the plays that are to get one. */
function look(world: World, queue: string): readonly Keeper[] {
  const { table, engine, scenario } = world;
  const isLane = isLaneQueue(queue);
  const plays = table.plays.filter((play) => play !== null);
  const waiting = plays
    .filter((play) => play.state === 'DEFERRED' && play.queues?.includes(queue))
    .sort((a, b) => (world.isOlder(a, b) ? -1 : 1));
  const taken = plays.flatMap(({ turns = [] }) => slotsIn(turns, queue));
  const free = engine.freeSlots(isLane ? 1 : (scenario.limit ?? 1), taken);
  const [slot] = free;
  if (slot === undefined) return [];
  const first = engine.nextInQueue(waiting);
  const others = waiting.filter((play) => play !== first).slice(0, free.length - 1);
  return (first ? [first, ...others] : []).flatMap((play) => offer(world, queue, slot, play, isLane ? waiting : []));
}

function offer(world: World, queue: string, slot: number, play: Play, waiting: readonly Play[]): Keeper[] {
  const { engine } = world;
  const needs = queuesOf(play);
  const base = { p: world.indexOf(play), play, waiting };
  if (needs.at(-1) !== queue)
    return play.queues?.length === needs.length ? [] : [{ ...base, write: () => engine.joinWrite(play) }];
  const turns = needs.map((one) => turnOf(one, one === queue ? slot : 0));
  const at = new Date(world.clock);
  return [{ ...base, write: (hasRoom) => engine.turnsWrite(play, turns, at, hasRoom) }];
}

/** What somebody does in the end where a lane has stopped: skips the play. */
export function skipStopped({ table }: World): void {
  table.plays.forEach((play, p) => {
    if (play && isFinal(play.state) && isAtStoppedLane(play)) table.skip(p);
  });
}
