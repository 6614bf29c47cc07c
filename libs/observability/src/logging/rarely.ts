import type { Logger } from 'pino';

import { WORK_CONTEXT } from '../work-context.js';

const EVERY_MS = 60_000;

export interface RarelyOptions {
  /** Between the first report and the next ones. */
  readonly everyMs?: number;
}

/**
 * For failures that repeat while a store is unreachable. Reports the first failure at once, counts those that follow,
 * and reports them once a minute with their number and the last error. A minute without a failure ends the series.
 *
 * @param report gets how many failures it tells of, this one included
 */
export function rarely(
  report: (error: unknown, times: number) => void,
  { everyMs = EVERY_MS }: RarelyOptions = {},
): (error: unknown, times?: number) => void {
  let minute: NodeJS.Timeout | undefined;
  let unreported = 0;
  let last: unknown;

  const endOfMinute = (): void => {
    if (unreported === 0) {
      clearInterval(minute);
      minute = undefined;
      return;
    }
    const times = unreported;
    unreported = 0;
    report(last, times);
    last = undefined;
  };

  return (error, times = 1) => {
    if (minute === undefined) {
      // a later report does not belong to the request that failed first
      minute = WORK_CONTEXT.exit(() => setInterval(endOfMinute, everyMs).unref());
      report(error, times);
      return;
    }
    unreported += times;
    last = error;
  };
}

/** The same for the log: each line has the error, and in `times` the number of failures. */
export function warnRarely(log: Logger, component: string, message: string): (error: unknown, times?: number) => void {
  return rarely((err, times) => log.warn({ component, times, err }, message));
}
