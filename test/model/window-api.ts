/** API processes: insert a play, admit it to the window, then ring for it or list its company. */
import { admit, ringFor, type WindowStep, type WindowWorld } from './window-model.js';
import type { PlayNumber, WindowState } from './window-state.js';

export function apiSteps(state: WindowState, world: WindowWorld): WindowStep[] {
  return state.accepting.flatMap((at, play) => stepsOf(state, world, at, play));
}

function stepsOf(
  state: WindowState,
  world: WindowWorld,
  at: WindowState['accepting'][number],
  play: PlayNumber,
): WindowStep[] {
  const dies: WindowStep[] =
    at === 'nothing' || at === 'insert' || state.crashesLeft === 0
      ? []
      : [
          {
            name: `the API dies with ${play}`,
            take: (next) => {
              next.crashesLeft -= 1;
              next.accepting[play] = 'nothing';
            },
          },
        ];
  switch (at) {
    case 'insert':
      // two replicas: a play may be stored before the one with the id before it
      if (play >= 2 && state.accepting[play - 2] === 'insert') return [];
      return [{ name: `insert ${play}`, take: (next) => insert(next, world, play) }];
    case 'admit':
      return [...dies, { name: `admit ${play}`, take: (next) => admitNew(next, world, play) }];
    case 'ring':
      return [
        ...dies,
        {
          name: `ring ${play}`,
          take: (next) => {
            next.accepting[play] = 'nothing';
            return ringFor(next, play);
          },
        },
      ];
    case 'list':
      return [
        ...dies,
        {
          name: `list the company of ${play}`,
          take: (next) => {
            next.cache.isListed = true;
            next.accepting[play] = 'nothing';
          },
        },
      ];
    case 'nothing':
      return [];
  }
}

function insert(next: WindowState, world: WindowWorld, play: PlayNumber): void {
  const isDelayed = world.isDelayed(play);
  (next.plays[play] as WindowState['plays'][number]).state = isDelayed ? 'DUE' : 'NEW';
  next.accepting[play] = isDelayed ? 'nothing' : 'admit';
}

function admitNew(next: WindowState, world: WindowWorld, play: PlayNumber): void {
  const { cache } = next;
  const priority = world.priorityOf(play);
  if (!cache.exists) {
    cache.exists = true;
    cache.knownFrom = world.has('knowsFrom') ? next.plays.findLastIndex(({ state }) => state !== 'absent') + 1 : 0;
  }
  if (world.has('placedOnce') && cache.members.includes(play)) {
    next.accepting[play] = 'nothing'; // the refill that found it makes its ring
    return;
  }
  const hasRoom = cache.members.length < world.size && !(world.has('dueWaits') && cache.dueWaits);
  if (cache.waiting === 0 && hasRoom) {
    admit(next, play);
    if (priority === 0) cache.cursor = Math.max(cache.cursor, play + 1);
    next.accepting[play] = 'ring';
    return;
  }
  cache.waiting += 1;
  cache.refusals += 1;
  if (priority !== 0) cache.hasPriorities = true;
  next.accepting[play] = 'list';
}
