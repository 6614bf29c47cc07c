/** `drainOrder` of providers that requests in progress still need: they drain after the last answer. */
export const AFTER_REQUESTS = 100;

/**
 * A provider (or controller) that must finish or hand back work before its process stops. `libs/process` finds it by this
 * method and calls it once, after the process stopped being ready: before the HTTP server closes, or after it (`AFTER_REQUESTS`).
 */
export interface Drainable {
  /** Lower first, equal ones together; default 0. */
  readonly drainOrder?: number;
  /**
   * Resolves when nothing is left to do. After the deadline the process closes regardless.
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
