/** Test only. Users' commands: read, decide, write on what was read, and again when somebody was faster. */
import { isFinal } from '@weft/contracts';
import { COMMAND_ATTEMPTS, type Command } from '../src/commands/commands.js';
import type { LayerWait } from '../src/layer-outcome.js';
import type { Mover } from '../src/play-state/transitions.js';
import type { WorldSteps } from './world-parts.js';
import { COMMANDS, type CommandName } from './scenario.js';
import type { World } from './world.js';

export function userSteps(world: World, { work, faults, commands }: WorldSteps): void {
  for (const name of COMMANDS) {
    if (world.budget[name] <= 0) continue;
    world.table.plays.forEach((play, p) => {
      if (!play || isFinal(play.state)) return;
      const held = play.state === 'ON_HOLD';
      if ((name === 'hold' && held) || (name === 'release' && !held)) return;
      const command = commandOf(world, name, p);
      if (!command) return;
      commands.push({
        what: `a user wants to ${name} ${p}`,
        run: () => {
          world.budget[name] -= 1;
          world.users.push(world.user(p, command));
        },
      });
    });
  }
  for (const user of world.users) {
    const leaves = () => void (world.users = world.users.filter((one) => one !== user));
    const { read, p, command } = user;
    if (!read) {
      if (world.now >= user.notBefore)
        work.push({ what: `${command.kind} reads ${p}`, run: () => void (user.read = world.table.get(p)) });
      continue;
    }
    const writes = (hasRoom: boolean) => () => {
      user.read = null;
      const decision = world.engine.decideCommand(read, command, new Date(Math.max(world.clock, user.at)), hasRoom);
      if (decision.kind === 'refuse') return leaves();
      if (decision.kind === 'later') {
        user.notBefore = world.now + decision.waitMs;
        user.at = decision.at.getTime();
        return;
      }
      if (world.table.write(p, decision.write, moverOf(command))) {
        if (decision.ring) world.ring(p, world.table.get(p).epoch);
        return leaves();
      }
      user.attempts += 1;
      if (user.attempts >= COMMAND_ATTEMPTS) leaves();
    };
    work.push({ what: `${command.kind} writes ${p}`, run: writes(true) });
    if (world.budget.noRoom > 0) {
      faults.push({
        what: `${command.kind} writes ${p}, which has to wait for its turn`,
        run: () => {
          world.budget.noRoom -= 1;
          writes(false)();
        },
      });
    }
  }
}

export function commandsLeft(world: World): boolean {
  return world.users.length > 0;
}

/** What a person decides for a layer that asks. */
export function answerTo({ position, step }: Pick<LayerWait, 'position' | 'step'>): Command {
  return { kind: 'resume', position, payload: `answer ${step}`, step };
}

/** All of them set a play going that waits. */
function moverOf({ kind }: Command): Mover {
  return kind === 'retryNow' || kind === 'playsEnded' ? 'resume' : kind;
}

function commandOf(world: World, name: CommandName, p: number): Command | null {
  if (name === 'hold' || name === 'release') return { kind: name };
  if (name === 'cancel') return { kind: 'cancel', error: { code: 'cancelled', message: 'Cancelled.', ref: null } };
  if (name === 'retryNow') {
    const pause = Object.values(world.table.get(p).waits ?? {}).find(({ kind }) => kind === 'retry');
    return pause ? { kind: 'retryNow', position: pause.position } : null;
  }
  const waits = [...(world.scenario.plays[p]?.layers ?? '')].map((letter) => 'wtd'.includes(letter.toLowerCase()));
  const ended = new Set(world.table.get(p).layers.map((result) => result.position));
  const asked = Object.values(world.table.get(p).waits ?? {}).find(({ kind }) => kind === 'approval');
  if (asked) return answerTo(asked);
  const position = waits.findIndex((may, i) => may && !ended.has(i));
  return position < 0 ? null : { kind: 'resume', position, payload: 'answer' };
}
