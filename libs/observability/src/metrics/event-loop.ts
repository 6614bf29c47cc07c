import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

/**
 * Each measurement wakes the process, ten a second were most of what an idle one cost. Quantiles are as right as with more; what blocks
 * the loop for longer than this is always seen.
 */
const RESOLUTION_MS = 500;
/** The last is the maximum. */
const PERCENTILES = [50, 95, 99, 100] as const;

/** How late and how busy the event loop of this process is, between one reading and the next. */
export function watchEventLoop(): {
  read(): { readonly lagSeconds: readonly (readonly [string, number])[]; readonly utilization: number };
  stop(): void;
} {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  let last = performance.eventLoopUtilization();
  return {
    read() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      const lagSeconds = PERCENTILES.map((of) => [String(of), lagOf(delay.percentile(of))] as const);
      delay.reset();
      return { lagSeconds, utilization };
    },
    stop: () => void delay.disable(),
  };
}

/** The timer itself is only as exact as its resolution; everything beyond is lag. */
function lagOf(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1_000);
}
