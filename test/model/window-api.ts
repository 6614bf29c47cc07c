/** API processes: insert a play, ask for room in the window, then ring for the play, or mark it. */
import { beginRefill, ringFor, takeRoom, type WindowStep, type WindowWorld } from './window-model.js';
import type { PlayNumber, WindowState } from './window-state.js';

const ITS_REFILL = 0;

export function apiSteps(state: WindowState, world: WindowWorld): WindowStep[] {
  return state.accepting.flatMap((at, play) => stepsOf(state, world, at, play));
}

function stepsOf(
  state: WindowState,
  world: WindowWorld,
  at: WindowState['accepting'][number],
  play: PlayNumber,
): WindowStep[] {
  switch (at) {
    case 'insert':
      // two replicas: a play may be stored before the one with the id before it
      if (play >= 2 && state.accepting[play - 2] === 'insert') return [];
      // whether a process believes that others wait is up to what it happened to hear
      return world.isDelayed(play)
        ? [{ name: `insert ${play}`, take: (next) => insert(next, play, 'DUE', false) }]
        : [false, true].map((isMarked) => ({
            name: `insert ${play}${isMarked ? ', marked' : ''}`,
            take: (next) => insert(next, play, 'NEW', isMarked),
          }));
    case 'nothing':
      return [];
    default:
      return [
        ...(state.crashesLeft === 0 ? [] : [die(play)]),
        { name: `the API of ${play}: ${at}`, take: (next) => GO_ON[at](next, play, world) },
      ];
  }
}

function die(play: PlayNumber): WindowStep {
  return {
    name: `the API dies with ${play}`,
    take: (next) => {
      next.crashesLeft -= 1;
      next.accepting[play] = 'nothing';
    },
  };
}

function insert(next: WindowState, number: PlayNumber, state: 'NEW' | 'DUE', ready: boolean): void {
  Object.assign(next.plays[number] as object, { state, ready });
  next.accepting[number] = state === 'DUE' ? 'nothing' : ready ? 'announce' : 'askRoom';
}

type Deed = (next: WindowState, play: PlayNumber, world: WindowWorld) => string | void;

const GO_ON: Readonly<Record<'askRoom' | 'ring' | 'mark' | 'announce', Deed>> = {
  askRoom: (next, play, world) => {
    next.accepting[play] = takeRoom(next, world, [play], { asksAgain: true }).length > 0 ? 'ring' : 'mark';
  },
  ring: (next, play) => {
    next.accepting[play] = 'nothing';
    return ringFor(next, play);
  },
  mark: (next, number) => {
    const play = next.plays[number];
    if (play?.state === 'NEW' && play.epoch === 1) play.ready = true;
    next.accepting[number] = 'announce';
  },
  announce: (next, play, world) => {
    next.accepting[play] = 'nothing';
    takeRoom(next, world, [], { more: 1 });
    if (next.cache.members.length < world.size) beginRefill(next, ITS_REFILL);
  },
};
