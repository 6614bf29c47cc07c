import { warnRarely } from '@weft/observability';
import type { Logger } from 'pino';

/**
 * Warnings about work that follows an accepted run and failed because a store is unreachable. It can fail for every run, so
 * each warning is logged rarely, with the number of plays in `times`. The scheduler finds the plays themselves.
 */
export function acceptanceWarnings(log: Logger) {
  return {
    notRung: warnRarely(log, 'run', RUNS_NOT_RUNG),
    argsNotAdopted: warnRarely(log, 'storage', 'large args are not noted with their play: retention will'),
    queueNotMoved: warnRarely(
      log,
      'run',
      'plays of limited flows and of lanes are accepted and wait: the scheduler gives them their turns',
    ),
  };
}

/** Logged for runs that were accepted while no worker could be notified of them. */
export const RUNS_NOT_RUNG =
  'runs are accepted and wait: no worker could be notified; the scheduler does it once Redis answers';
