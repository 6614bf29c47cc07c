/** Test only. Engines that forget plays which find no room when they are set going, or give turns wrongly, as `broken-rules.ts`. */
import { broken, one, type BrokenRule } from './broken-rule.js';
import { ENGINE, type Engine } from './engine-under-test.js';
import type { Scenario } from './scenario.js';

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
  broken(
    'a turn is given to two plays',
    { hasTurnIndex: false },
    { ...turnsOf({ limited: true }, { limited: true }), limit: 2 },
  ),
  broken(
    'a play keeps its turns after its end',
    {
      applyWrite: (play, write, now) =>
        ENGINE.applyWrite(play, { ...write, unset: write.unset.filter((field) => field !== 'turns') }, now),
    },
    turnsOf({ limited: true }),
  ),
  broken(
    'a lane goes on past a play that failed and stops it',
    {
      applyWrite: (play, write, now) => {
        const { turns: _turns, ...set } = write.set;
        return ENGINE.applyWrite(
          play,
          set.state === 'FAIL' ? { ...write, set, unset: [...write.unset, 'turns'] } : write,
          now,
        );
      },
    },
    { ...turnsOf({ lane: 'l' }), budget: { layerFails: 1 } },
  ),
  broken(
    'a play gets some of its turns',
    { turnsWrite: (play, turns, at, hasRoom) => ENGINE.turnsWrite(play, turns.slice(0, 1), at, hasRoom) },
    turnsOf({ lane: 'l', limited: true }),
  ),
  broken(
    'a play that waits for a turn of its flow has that of its lane',
    {
      joinWrite: (play) => {
        const write = ENGINE.joinWrite(play);
        return { ...write, set: { ...write.set, turns: [`lane:${play.lane ?? ''}#0`] } };
      },
    },
    turnsOf({ lane: 'l', limited: true }),
  ),
  broken(
    'a play of a lane is overtaken by a later one',
    { nextInQueue: (waiting) => waiting.at(-1) },
    turnsOf({ lane: 'l' }, { lane: 'l' }),
  ),
  broken(
    'a play goes on in two queues at once',
    { turnsWrite: (...given) => ({ ...ENGINE.turnsWrite(...given), unset: [] }) },
    turnsOf({ limited: true }),
  ),
];

function turnsOf(...plays: readonly Partial<Scenario['plays'][number]>[]): Scenario {
  return { ...one('e', {}), plays: plays.map((play) => ({ layers: 'e', ...play })) };
}
