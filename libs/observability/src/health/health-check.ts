/** What one look found. `error` says in a few words what is wrong; only insiders read it. */
export interface CheckResult {
  readonly status: 'healthy' | 'unhealthy';
  readonly latency_ms?: number;
  readonly error?: string;
}

/** One thing that a process needs. `check` may take long or throw; the service that runs it has a deadline. */
export interface HealthCheck {
  readonly name: string;
  /** What is looked at and where it is, as in `Redis at 10.0.0.3:6379`: what is wrong is told with it, to insiders. */
  readonly where?: string;
  check(): Promise<CheckResult>;
}

export interface CheckOptions {
  /** Where the answer shows it. Several of one part: the part shows the worst. */
  readonly part: 'database' | 'queue' | 'storage' | 'ai';
  /** True: without it this process cannot do its work, and `/health` says 503. */
  readonly fatal: boolean;
}

/** What `weft_health` tells: the parts of `/health`, and whether the process can do its work. */
export type HealthPart = CheckOptions['part'] | 'process';

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
