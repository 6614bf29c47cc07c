import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import type { Drainable } from '@weft/kernel';
import { HealthService, LOG, Metrics, warnRarely, type CheckResult } from '@weft/observability';
import type { Logger } from 'pino';
import { within } from '../drain.js';
import { passesOf, type FoundPass } from './pass.js';
import { PassLoop } from './pass-loop.js';

/** Runs the passes of this process: every method of a provider with `@Pass`. */
@Injectable()
export class PassRunner implements OnApplicationBootstrap, Drainable {
  /** First: what else drains is not used by a pass any more. */
  readonly drainOrder = -1;
  private readonly loops = new Map<string, PassLoop>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly metrics: Metrics,
    @Inject(LOG) private readonly log: Logger,
    health: HealthService,
  ) {
    // a process whose pass is stuck does not do its work
    health.add({ name: 'passes', check: async () => this.check() }, { part: 'queue', fatal: true });
  }

  /** @throws TypeError when two passes have one name */
  onApplicationBootstrap(): void {
    for (const { options, pass } of this.find()) {
      const { name } = options;
      if (this.loops.has(name)) throw new TypeError(`two passes have the name "${name}": give one of them another`);
      const tell = warnRarely(this.log, name, 'a pass failed; the next one goes on');
      const loop = new PassLoop(options, pass, (end) => {
        const hasFailed = 'fault' in end;
        this.metrics.passEnded(name, hasFailed ? 'failed' : 'done', end.tookMs / 1_000);
        if (hasFailed) tell(end.fault);
      });
      this.loops.set(name, loop);
    }
    for (const loop of this.loops.values()) loop.start();
  }

  /** Begins this pass now, or directly after the one that is in progress. */
  soon(name: string): void {
    this.loops.get(name)?.soon();
  }

  /** There may be work for this pass: it does not rest (`PassOptions.restMs`). */
  wake(name: string): void {
    this.loops.get(name)?.wake();
  }

  /** Resolves when the passes in progress have ended, or after half of the time: the others hand back their work, too. */
  async drain(deadlineMs: number): Promise<void> {
    await within(Promise.all([...this.loops.values()].map((loop) => loop.stop())), deadlineMs / 2);
  }

  private check(): CheckResult {
    const stuck = [...this.loops.values()].filter(({ isStuck }) => isStuck).map(({ name }) => name);
    if (stuck.length === 0) return { status: 'healthy' };
    return { status: 'unhealthy', error: `stuck: ${stuck.join(', ')}; restart this process` };
  }

  private *find(): Generator<FoundPass> {
    for (const provider of new Set(this.discovery.getProviders().map(({ instance }) => instance as unknown))) {
      if (typeof provider === 'object' && provider !== null) yield* passesOf(provider, this.scanner);
    }
  }
}
