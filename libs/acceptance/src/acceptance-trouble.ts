import { warnRarely } from '@weft/observability';
import type { Logger } from 'pino';

/**
 * What can go wrong beside the answers while a store is unreachable: with every run, so it is told rarely. `times` says of
 * how many plays a line tells; the plays themselves are found by the scheduler.
 */
export function acceptanceTrouble(log: Logger) {
  return {
    unrung: warnRarely(log, 'run', UNRUNG),
    unnoted: warnRarely(log, 'storage', 'large args are not noted with their play: retention will'),
    notLetIn: warnRarely(log, 'run', 'plays of limited flows are accepted and wait: the scheduler lets them in'),
  };
}

/** Runs that were accepted while no worker could be notified of them. */
export const UNRUNG =
  'runs are accepted and wait: no worker could be notified; the scheduler does it once Redis answers';
