/** One kind of healing. Each has its own loop, so that it waits neither for the plays nor for the failures of the others. */
export interface HealingLoop {
  readonly name: string;
  /** From the end of a pass to the start of the next; by default that of all loops. */
  readonly everyMs?: number;
  /** Rejects when a store does not answer; the next pass continues where this one was. */
  pass(): Promise<unknown>;
}

/** Plays that are read and written together. */
export const PAGE = 500;
