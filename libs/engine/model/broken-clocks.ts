/** Test only. Engines that trust a clock that may be set, or wait for less than what others may take. */
import { broken, one, type BrokenRule } from './broken-rule.js';
import { ENGINE } from './engine-under-test.js';

export const BROKEN_CLOCKS: readonly BrokenRule[] = [
  broken(
    'the second look comes while rings may be on their way',
    { times: { ...ENGINE.times, gapMs: 1_500 } },
    one('e', { clockAhead: 1, wipe: 1 }, { reconcilers: 1 }),
  ),
  broken(
    'an owner is taken for dead by the clock',
    {
      isOwnerDead: ({ heartbeatAt }, _sinceMs, { serverMs }, { leaseMs }) =>
        heartbeatAt !== undefined && serverMs - heartbeatAt.getTime() >= leaseMs,
    },
    one('e', { clockAhead: 1 }),
  ),
  broken(
    'release waits for the window, and not for the write behind it',
    {
      decideCommand: (play, command, at) => {
        const { settleMs, windowMs } = ENGINE.times;
        const later = command.kind === 'release' ? new Date(at.getTime() + settleMs - windowMs) : at;
        return ENGINE.decideCommand(play, command, later);
      },
    },
    one('e', { hold: 1, release: 1 }),
  ),
];
