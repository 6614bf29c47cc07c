import type { Logger } from 'pino';

import { WORK_CONTEXT } from '../work-context.js';

const EVERY_MS = 60_000;

export interface RarelyOptions {
  /** Between the first telling and the next ones. */
  readonly everyMs?: number;
}

/**
 * For what fails again and again while a store is unreachable. The first failure is told at once; those that follow are
 * counted, and told once a minute with their number and the last of their errors. A minute without one ends the series.
 *
 * @param tell gets how many failures it tells of, this one included
 */
export function rarely(
  tell: (error: unknown, times: number) => void,
  { everyMs = EVERY_MS }: RarelyOptions = {},
): (error: unknown, times?: number) => void {
  let minute: NodeJS.Timeout | undefined;
  let untold = 0;
  let last: unknown;

  const endOfMinute = (): void => {
    if (untold === 0) {
      clearInterval(minute);
      minute = undefined;
      return;
    }
    const times = untold;
    untold = 0;
    tell(last, times);
    last = undefined;
  };

  return (error, times = 1) => {
    if (minute === undefined) {
      // what is told later is not about the request that failed first
      minute = WORK_CONTEXT.exit(() => setInterval(endOfMinute, everyMs).unref());
      tell(error, times);
      return;
    }
    untold += times;
    last = error;
  };
}

/** The same into the log: each line has the error, and in `times` of how many failures it tells. */
export function warnRarely(log: Logger, component: string, message: string): (error: unknown, times?: number) => void {
  return rarely((err, times) => log.warn({ component, times, err }, message));
}
