/** Test only. Engines without a rule about layers that work in steps. */
import { broken, one, type BrokenRule } from './broken-rule.js';
import { ENGINE, type Engine } from './engine-under-test.js';

const keepsWith =
  (change: (write: NonNullable<ReturnType<Engine['decideKeeping']>>) => ReturnType<Engine['decideKeeping']>) =>
  (...asked: Parameters<Engine['decideKeeping']>): ReturnType<Engine['decideKeeping']> => {
    const write = ENGINE.decideKeeping(...asked);
    return write && change(write);
  };

export const BROKEN_STEPS: readonly BrokenRule[] = [
  broken('a step begins before the end of the one before is stored', { storesSteps: false }, one('a', { crash: 1 })),
  broken(
    'the end of a step is stored, and the answer to it stays',
    {
      decideKeeping: (session, position, items, at, step) =>
        ENGINE.decideKeeping(session, position, items, at, step && { ...step, takesAnswer: false }),
    },
    one('a', {}),
  ),
  broken(
    'an answer to one step is taken for another one',
    {
      decideCommand: (play, command, at, hasRoom) => {
        const wait = command.kind === 'resume' ? play.waits?.[command.position] : undefined;
        const given = wait && command.kind === 'resume' ? { ...command, step: wait.step } : command;
        return ENGINE.decideCommand(play, given, at, hasRoom);
      },
    },
    one('a', { resume: 2 }),
  ),
  broken(
    'a layer waits once, however many steps it has',
    {
      onLayersStarted: (session, positions, at) => {
        const begun = ENGINE.onLayersStarted(session, positions, at);
        const forAll = begun.runningCalls.map((call) => ({
          ...call,
          waitedFor: call.waitedFor && { ...call.waitedFor, step: undefined },
        }));
        return { ...begun, runningCalls: forAll };
      },
    },
    one('a', {}),
  ),
  broken(
    'workers that die at different steps of a layer are counted together',
    {
      decideKeeping: keepsWith(({ write, ...sent }) => {
        const { crashes: _crashes, ...set } = write.set;
        return { ...sent, write: { ...write, set } };
      }),
    },
    one('aA', { crash: 3 }, { reconcilers: 1 }),
  ),
];
