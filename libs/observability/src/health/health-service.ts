import { TimeLimit } from '@weft/concurrency';

import type { CheckOptions, CheckResult, HealthCheck, HealthPart, HealthReport } from './health-check.js';
import { sayWhy } from './say-why.js';

export interface HealthServiceOptions {
  readonly version: string;
  /** When the settings were read. */
  readonly loadedAt: Date;
  /** Between two rounds of checks; default 2 s. */
  readonly periodMs?: number;
  /** A check that takes longer counts as unhealthy. */
  readonly deadlineMs?: number;
  /** Called when the result of a check changes; not for a first result that is healthy. */
  readonly onChange?: (check: string, result: CheckResult, options: CheckOptions) => void;
}

interface Entry {
  readonly check: HealthCheck;
  readonly options: CheckOptions;
  last: CheckResult;
  running: boolean;
  /** When it was looked at last, monotonic ms. */
  lookedAtMs: number;
}

const NOT_LOOKED: CheckResult = { status: 'unhealthy', error: 'not checked yet' };

/**
 * Runs all checks in the background every two seconds, so that `/health` answers at once with the last results: a dead database
 * shows within period + deadline (4.5 s), and a thousand callers cost no more than one.
 */
export class HealthService {
  private readonly entries: Entry[] = [];
  private timer?: NodeJS.Timeout;
  private draining = false;
  private stopped = false;
  private readonly periodMs: number;
  private readonly deadlineMs: number;

  constructor(private readonly options: HealthServiceOptions) {
    this.periodMs = options.periodMs ?? 2_000;
    this.deadlineMs = options.deadlineMs ?? 2_500;
  }

  add(check: HealthCheck, options: CheckOptions): void {
    this.entries.push({ check, options, last: NOT_LOOKED, running: false, lookedAtMs: 0 });
  }

  /** Runs all checks once, then periodically until `stop`. */
  async start(): Promise<void> {
    this.timer ??= setInterval(() => void this.lookAtAll(), this.periodMs).unref();
    await this.lookAtAll();
  }

  /** Ignores the result of a check in progress, because its store is closed next. */
  stop(): void {
    this.stopped = true;
    clearInterval(this.timer);
  }

  /** From now on the process is not ready for new work. */
  startDraining(): void {
    this.draining = true;
  }

  get isDraining(): boolean {
    return this.draining;
  }

  /** This process can do its work. */
  get isHealthy(): boolean {
    return this.entries.every(({ options, last }) => !options.fatal || last.status === 'healthy');
  }

  get isReady(): boolean {
    return this.isHealthy && !this.draining;
  }

  /**
   * @param insider false: of what is wrong only that it is, and no build; the words are for who operates the process (docs/security.md S43)
   */
  report(insider = true): HealthReport {
    const shown = (result: CheckResult): CheckResult => (insider ? result : { ...result, error: undefined });
    const database = this.part('database');
    const isStored = database.status === 'healthy' && this.isWell('storage');
    const isAiReady = this.isWell('ai');
    return {
      status: this.isHealthy ? 'healthy' : 'unhealthy',
      version: insider ? this.options.version : withoutBuild(this.options.version),
      timestamp: new Date().toISOString(),
      checks: {
        database: shown(database),
        config: { status: 'ok', loaded_at: this.options.loadedAt.toISOString() },
        components: {
          status: isStored && isAiReady ? 'ok' : 'unavailable',
          ai: isAiReady ? 'ready' : 'unavailable',
          storage: isStored ? 'ready' : 'unavailable',
        },
        queue: shown(this.part('queue')),
      },
    };
  }

  /** Whether the last look of the check with this name found it well. */
  isWellBy(name: string): boolean {
    return this.entries.some(({ check, last }) => check.name === name && last.status === 'healthy');
  }

  /** The parts that the process checks, and whether each is healthy; and whether the process itself can do its work. */
  parts(): ReadonlyMap<HealthPart, boolean> {
    const looked = new Set(this.entries.map(({ options }) => options.part));
    const parts = new Map<HealthPart, boolean>([['process', this.isHealthy]]);
    for (const part of looked) parts.set(part, this.isWell(part));
    return parts;
  }

  /** A part that this process does not check counts as healthy. */
  private isWell(part: CheckOptions['part']): boolean {
    const looked = this.entries.filter((entry) => entry.options.part === part);
    return looked.every(({ last }) => last.status === 'healthy');
  }

  private part(part: CheckOptions['part']): CheckResult {
    const results = this.entries.filter((entry) => entry.options.part === part).map((entry) => entry.last);
    return results.find((result) => result.status === 'unhealthy') ?? results[0] ?? NOT_LOOKED;
  }

  private async lookAtAll(): Promise<void> {
    const nowMs = performance.now();
    const isDue = ({ running, last, lookedAtMs, options: { everyMs = 0 } }: Entry): boolean =>
      !running && (last.status === 'unhealthy' || nowMs - lookedAtMs >= everyMs);
    await Promise.all(this.entries.filter(isDue).map((entry) => this.look(entry)));
  }

  /** A check that hangs is reported at the deadline and not repeated before it returns. */
  private async look(entry: Entry): Promise<void> {
    entry.running = true;
    const start = performance.now();
    entry.lookedAtMs = start;
    const work = runCheck(entry.check, start).finally(() => (entry.running = false));
    const { promise: late, resolve } = Promise.withResolvers<CheckResult>();
    const limit = new TimeLimit(this.deadlineMs, () =>
      resolve({ status: 'unhealthy', latency_ms: elapsed(start), error: lateness(entry.check, this.deadlineMs) }),
    );
    const before = entry.last;
    entry.last = located(entry.check, await Promise.race([work, late]));
    limit.end();
    const turned = before === NOT_LOOKED ? entry.last.status === 'unhealthy' : before.status !== entry.last.status;
    if (turned && !this.stopped) this.options.onChange?.(entry.check.name, entry.last, entry.options);
  }
}

/** `1.0.0` of `1.0.0+4c1f2ab90d11`. */
function withoutBuild(version: string): string {
  return version.replace(/\+.*$/, '');
}

async function runCheck(check: HealthCheck, start: number): Promise<CheckResult> {
  try {
    const result = await check.check();
    return { ...result, latency_ms: result.latency_ms ?? elapsed(start) };
  } catch (error) {
    return { status: 'unhealthy', latency_ms: elapsed(start), error: sayWhy(error) };
  }
}

function lateness(check: HealthCheck, deadlineMs: number): string {
  const error = check.lastError?.();
  return `no answer within ${deadlineMs} ms${error === undefined ? '' : `: ${sayWhy(error)}`}`;
}

function located({ where }: HealthCheck, result: CheckResult): CheckResult {
  return where === undefined || result.error === undefined ? result : { ...result, error: `${where}: ${result.error}` };
}

function elapsed(start: number): number {
  return Math.round((performance.now() - start) * 10) / 10;
}
