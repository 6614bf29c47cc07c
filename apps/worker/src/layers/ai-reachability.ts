import type { CheckResult, HealthCheck } from '@weft/observability';

/** Modules that fail with these codes only where a model was not reached: how a tool fails, the agent reads. */
const OF_MODELS: ReadonlySet<string> = new Set(['ai-chat', 'agent']);
/** Error codes of calls that reached no service. */
const NOBODY_THERE: ReadonlySet<string> = new Set(['connect_failed', 'timeout']);
const IN_A_ROW = 5;
const REMEMBER_MS = 5 * 60_000;

/**
 * Whether language models can be reached from this process, judged by the calls of layers: unhealthy after five unreachable calls
 * in a row, until one succeeds or five minutes pass. Refusals and bad arguments do not count.
 */
export class AiReachability implements HealthCheck {
  readonly name = 'ai';
  private inVain = 0;
  private lastAtMs = 0;

  constructor(private readonly monotonicMs: () => number) {}

  /** @param code why the layer failed; undefined when it did not */
  ended(appId: string, code: string | undefined): void {
    if (!OF_MODELS.has(appId)) return;
    this.lastAtMs = this.monotonicMs();
    this.inVain = code !== undefined && NOBODY_THERE.has(code) ? this.inVain + 1 : 0;
  }

  check(): Promise<CheckResult> {
    if (this.monotonicMs() - this.lastAtMs > REMEMBER_MS) this.inVain = 0;
    return Promise.resolve(
      this.inVain < IN_A_ROW
        ? { status: 'healthy' }
        : { status: 'unhealthy', error: `the last ${this.inVain} calls of language models reached nobody` },
    );
  }
}
