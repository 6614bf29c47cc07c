/** The result of one check. `error` says in a few words what is wrong; only insiders see it. */
export interface CheckResult {
  readonly status: 'healthy' | 'unhealthy';
  readonly latency_ms?: number;
  readonly error?: string;
}

/** One thing that a process needs. `check` may take long or throw; the service that runs it has a deadline. */
export interface HealthCheck {
  readonly name: string;
  /** What is checked and where it is, such as `Redis at 10.0.0.3:6379`: precedes the error that insiders see. */
  readonly where?: string;
  check(): Promise<CheckResult>;
  /** The error for which it may still wait when its deadline has passed, such as that of the last connection; undefined: none is known. */
  lastError?(): unknown;
}

export interface CheckOptions {
  /** The part of the answer that shows it. If several checks have one part, it shows the worst. */
  readonly part: 'database' | 'queue' | 'storage' | 'ai';
  /** True: without it this process cannot do its work, and `/health` says 503. */
  readonly fatal: boolean;
  /** While it is healthy, it is not looked at again before; default: in each round. */
  readonly everyMs?: number;
}

/** What `weft_health` shows: the parts of `/health`, and whether the process can do its work. */
export type HealthPart = CheckOptions['part'] | 'process';

/** The answer of `/health`: docs/http-api.md §8. */
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
