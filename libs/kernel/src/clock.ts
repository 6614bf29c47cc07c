/** The source of time. Pure code receives it; only adapters read the machine's clocks. */
export interface Clock {
  /** Wall clock, epoch milliseconds. For display and stored times, never for intervals. */
  now(): number;
  /** Monotonic milliseconds since an arbitrary start. For intervals and deadlines inside one process. */
  monotonicMs(): number;
}
