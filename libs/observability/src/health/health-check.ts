/** What one look found. `error` is a short general sentence: outsiders read it. */
export interface CheckResult {
  readonly status: 'healthy' | 'unhealthy';
  readonly latency_ms?: number;
  readonly error?: string;
}

/** One thing that a process needs. `check` may take long or throw; the service that runs it has a deadline. */
export interface HealthCheck {
  readonly name: string;
  check(): Promise<CheckResult>;
}

export interface CheckOptions {
  /** Where the answer shows it. Several of one part: the part shows the worst. */
  readonly part: 'database' | 'queue' | 'storage' | 'ai';
  /** True: without it this process cannot do its work, and `/health` says 503. */
  readonly fatal: boolean;
}

/** The answer of `/health`: contract §8. */
export interface HealthReport {
  readonly status: 'healthy' | 'unhealthy';
  readonly version: string;
  readonly timestamp: string;
  readonly checks: {
    readonly database: CheckResult;
    readonly config: { readonly status: 'ok'; readonly loaded_at: string };
    readonly components: { readonly status: 'ok' | 'unavailable'; readonly ai: string; readonly storage: string };
    readonly queue: CheckResult;
  };
}
