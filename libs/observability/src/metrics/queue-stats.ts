/** The waiting plays of all companies. */
export interface QueueStats {
  /** Plays of one company that may be in the queue at once. */
  readonly runWindow: number;
  /** Plays that could run and do not yet. */
  readonly backlog: number;
  /** Plays that workers execute. */
  readonly running: number;
  /** How long the oldest of them has waited; 0 when none waits. */
  readonly oldestSeconds: number;
  /** Plays that wait for their turn in a lane, and lanes that have stopped. */
  readonly lanes: { readonly waiting: number; readonly stopped: number };
}
