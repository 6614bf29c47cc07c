/** Test only. Engines that forget plays which find no room when they are set going, as `broken-rules.ts`. */
import { broken, one, type BrokenRule } from './broken-rule.js';
import { ENGINE, type Engine } from './engine-under-test.js';

function withoutDueAt(kind: 'resume' | 'release'): Partial<Engine> {
  return {
    decideCommand: (play, command, at, hasRoom) => {
      const decision = ENGINE.decideCommand(play, command, at, hasRoom);
      if (decision.kind !== 'write' || command.kind !== kind || hasRoom) return decision;
      const { dueAt: _dueAt, ...set } = decision.write.set;
      return { ...decision, write: { ...decision.write, set } };
    },
  };
}

export const BROKEN_TURNS: readonly BrokenRule[] = [
  broken(
    'an answer that finds no room is kept, and nothing says that the play is due',
    withoutDueAt('resume'),
    one('w', { resume: 1, noRoom: 1 }),
  ),
  broken(
    'a play that is released and finds no room is not due',
    withoutDueAt('release'),
    one('e', { hold: 1, release: 1, noRoom: 1 }),
  ),
  broken(
    'a play that goes on is still marked as one that waits for room',
    {
      dueWrite: (play, at) => {
        const write = ENGINE.dueWrite(play, at);
        return { ...write, unset: write.unset.filter((field) => field !== 'ready') };
      },
    },
    one('e', { hold: 1, release: 1, noRoom: 1 }),
  ),
];
