import type { Drainable } from '@weft/host';
import type { HealthCheck } from '@weft/observability';
import type { ChildApplication } from './child-process.js';

/** The processes beside this one, as one part of it: its health, and its turn when all stops. */
export class ChildProcesses implements Drainable {
  /** Before the sockets, which still show the workers' last writes. */
  readonly drainOrder = 0;

  constructor(private readonly children: readonly ChildApplication[]) {}

  drain(withinMs: number): Promise<void> {
    return this.stop(withinMs);
  }

  async stop(withinMs: number): Promise<void> {
    await Promise.all(this.children.map((child) => child.stop(withinMs)));
  }

  /** One check each: a worker that is away shows as a queue that is not served. */
  get checks(): readonly HealthCheck[] {
    return this.children.map((child) => ({
      name: child.app,
      check: async () =>
        (await child.isReady())
          ? { status: 'healthy' as const }
          : { status: 'unhealthy' as const, error: `the ${child.app} does not answer` },
    }));
  }

  /** Of those that answer. */
  async metricsPages(): Promise<readonly string[]> {
    const pages = await Promise.all(this.children.map((child) => child.metricsPage()));
    return pages.filter((page) => page !== null);
  }

  async areReady(): Promise<boolean> {
    return (await Promise.all(this.children.map((child) => child.isReady()))).every(Boolean);
  }
}
