/** `drainOrder` of what requests under way still need: its turn comes when the last one is answered. */
export const AFTER_REQUESTS = 100;

/**
 * A provider (or controller) that has work to end or to hand back before its process stops. `libs/host` finds it by this
 * method and calls it once, after readiness fell: before the HTTP server closes, or after it (`AFTER_REQUESTS`).
 */
export interface Drainable {
  /** Lower first, equal ones together; 0 when it is not given. */
  readonly drainOrder?: number;
  /**
   * Resolves when nothing is left to do. Past the deadline the process closes regardless.
   * @param deadlineMs milliseconds that are left
   */
  drain(deadlineMs: number): Promise<void>;
}

export function orderOf(drainable: Drainable): number {
  return drainable.drainOrder ?? 0;
}

export function isDrainable(value: unknown): value is Drainable {
  return typeof value === 'object' && value !== null && 'drain' in value && typeof value.drain === 'function';
}
