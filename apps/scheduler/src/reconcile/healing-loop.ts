/** One kind of healing. Each runs by itself, so that none waits for another: neither for its plays nor for its failures. */
export interface HealingLoop {
  readonly name: string;
  /** From the end of a pass to the next one; default: that of all loops. */
  readonly everyMs?: number;
  /** Rejects when a store does not answer; the next pass begins where this one was. */
  pass(): Promise<unknown>;
}

/** Plays that are read and written at once. */
export const PAGE = 500;
