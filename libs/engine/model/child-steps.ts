/** Test only. The plays that layers start: how they end, and who looks whether the layers can go on (docs/protocol.md §6). */
import { isFinal } from '@weft/contracts';
import { COMMAND_ATTEMPTS } from '../src/commands/commands.js';
import type { Play } from '../src/play.js';
import type { WorldSteps } from './world-parts.js';
import type { World } from './world.js';

/** The play that a layer has started. */
export interface Child {
  readonly p: number;
  readonly position: number;
  ended: boolean;
  /** Its layer waits for it. */
  marked: boolean;
  /** A process died that should have looked. */
  unseen: boolean;
}

/** Of any process, whether the play of a layer has ended. */
export interface Look {
  readonly child: Child;
  read: Play | null;
  attempts: number;
}

export function childSteps(world: World, { work, faults, time }: WorldSteps): void {
  const dies = (what: string, child: Child, run: () => void) => {
    if (world.budget.ringLost > 0)
      faults.push({
        what,
        run: () => {
          world.budget.ringLost -= 1;
          child.unseen = true;
          run();
        },
      });
  };
  for (const child of world.children) {
    const name = `the play of layer ${child.position} of ${child.p}`;
    if (!child.ended) {
      const ends = () => void (child.ended = true);
      work.push({ what: `${name} ends`, run: () => (ends(), world.look(child.p, child.position)) });
      dies(`${name} ends, and whoever ended it dies`, child, ends);
    } else if (child.marked && !world.looks.some((look) => look.child === child)) {
      time.push({
        what: `a scheduler finds that ${name} has ended`,
        run: () => {
          if (!child.unseen && waitsParked(world.table.get(child.p), child.position))
            world.watch.bad(`layer ${child.position} of play ${child.p} waits for a play that has ended`);
          world.look(child.p, child.position);
        },
      });
    }
  }
  for (const look of world.looks) lookSteps(world, look, work, faults, dies);
}

function lookSteps(
  world: World,
  look: Look,
  work: WorldSteps['work'],
  faults: WorldSteps['faults'],
  dies: (what: string, child: Child, run: () => void) => void,
): void {
  const { engine, table } = world;
  const { child } = look;
  const { p, position } = child;
  const leaves = () => void (world.looks = world.looks.filter((one) => one !== look));
  const name = `whoever looks at layer ${position} of ${p}`;
  dies(`${name} dies`, child, leaves);
  if (!look.read) {
    work.push({ what: `${name} reads`, run: () => void (look.read = table.get(p)) });
    return;
  }
  const { read } = look;
  const writes = (hasRoom: boolean) => () => {
    look.read = null;
    const isOver = isFinal(read.state) || read.layers.some((result) => result.position === position);
    const isDone = !isOver && child.ended && child.marked;
    const command = { kind: 'playsEnded', position } as const;
    const decision = isDone ? engine.decideCommand(read, command, new Date(world.clock), hasRoom) : null;
    if (decision?.kind !== 'write') {
      if (isOver || (isDone && engine.forgetsEnds(false))) child.marked = false;
      return leaves();
    }
    if (table.write(p, decision.write, 'resume')) {
      if (decision.ring) world.ring(p, table.get(p).epoch);
      if (engine.forgetsEnds(true)) child.marked = false;
      return leaves();
    }
    look.attempts += 1;
    if (look.attempts >= COMMAND_ATTEMPTS) leaves();
  };
  work.push({ what: `${name} decides`, run: writes(true) });
  if (world.budget.noRoom > 0)
    faults.push({
      what: `${name} decides, and its play has to wait for its turn`,
      run: () => {
        world.budget.noRoom -= 1;
        writes(false)();
      },
    });
}

function waitsParked({ state, held, waits }: Play, position: number): boolean {
  const isParked = state === 'WAIT' || (state === 'ON_HOLD' && held === 'WAIT');
  return isParked && waits?.[position]?.kind === 'children' && waits[position].until === null;
}
