/** The plays of the companies with one label, and their workers. */
export interface LabelStats {
  /** Plays that could run and do not yet. */
  readonly backlog: number;
  /** Plays that workers execute. */
  readonly running: number;
  /** That are alive. */
  readonly workers: number;
}

/** The waiting plays of all companies. */
export interface QueueStats {
  /** Plays of one company that may be in the queue at once. */
  readonly runWindow: number;
  /** Plays that could run and do not yet, of companies without a label. */
  readonly backlog: number;
  /** Plays that workers without a label execute. */
  readonly running: number;
  /** By label of workers and companies. */
  readonly labels: ReadonlyMap<string, LabelStats>;
  /** How long the oldest of them has waited; 0 when none waits. */
  readonly oldestSeconds: number;
  /** Plays that wait for their turn in a lane, and lanes that have stopped. */
  readonly lanes: { readonly waiting: number; readonly stopped: number };
}
