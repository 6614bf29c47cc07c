import { Inject, Injectable } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { HealthService, LOG, Metrics } from '@weft/observability';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { Pass } from './pass.js';
import { PassRunner } from './pass-runner.js';
import { PassesModule } from './passes.module.js';

const SEEN = Symbol('SEEN');
interface Seen {
  readonly passes: string[];
  readonly gate: PromiseWithResolvers<undefined>;
  isStopping: boolean;
}

@Injectable()
class Walks {
  constructor(@Inject(SEEN) private readonly seen: Seen) {}

  @Pass({ name: 'failing', everyMs: 1 })
  fail(): Promise<never> {
    this.seen.passes.push('failing');
    return Promise.reject(new Error('the store is away'));
  }

  @Pass({ name: 'slow', everyMs: 1 })
  async wait(signal: AbortSignal): Promise<void> {
    this.seen.passes.push('slow');
    signal.addEventListener('abort', () => (this.seen.isStopping = true));
    await this.seen.gate.promise;
  }
}

@Injectable()
class Namesake {
  @Pass({ name: 'slow', everyMs: 1 })
  pass(): Promise<void> {
    return Promise.resolve();
  }
}

const open: Metrics[] = [];
afterEach(() => open.splice(0).forEach((metrics) => metrics.close()));

async function start(...providers: (new (...args: never[]) => object)[]) {
  const metrics = new Metrics();
  open.push(metrics);
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const seen: Seen = { passes: [], gate: Promise.withResolvers(), isStopping: false };
  const health = new HealthService({ version: '1', loadedAt: new Date() });
  const values = [
    { provide: SEEN, useValue: seen },
    { provide: Metrics, useValue: metrics },
    { provide: LOG, useValue: log },
    { provide: HealthService, useValue: health },
  ];
  class Host {}
  const host = { module: Host, global: true, providers: values, exports: values };
  const app = await NestFactory.createApplicationContext(
    { module: class Scheduler {}, imports: [host, PassesModule], providers },
    { logger: false, abortOnError: false },
  );
  return { app, seen, lines, metrics, runner: app.get(PassRunner) };
}

describe('PassRunner', () => {
  it('runs each pass by itself: one that fails or takes long holds up no other one', async () => {
    const { app, seen, lines, metrics, runner } = await start(Walks);
    await expect.poll(() => seen.passes.filter((name) => name === 'failing').length).toBeGreaterThan(3);
    expect(seen.passes.filter((name) => name === 'slow')).toHaveLength(1);
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ component: 'failing', err: { message: 'the store is away' } });
    expect(await metrics.page()).toMatch(/weft_pass_duration_seconds_count\{pass="failing",outcome="failed"\} \d/);
    seen.gate.resolve(undefined);
    await runner.drain(1_000);
    expect(await metrics.page()).toContain('weft_pass_duration_seconds_count{pass="slow",outcome="done"} 1');
    await app.close();
  });

  it('waits on a stop for the passes in progress, for half of the time', async () => {
    const { app, seen, runner } = await start(Walks);
    await expect.poll(() => seen.passes).toContain('slow');
    const startedAt = performance.now();
    await runner.drain(200);
    expect(performance.now() - startedAt).toBeGreaterThan(95);
    expect(seen.isStopping).toBe(true);
    const { length } = seen.passes;
    seen.gate.resolve(undefined);
    await runner.drain(200);
    expect(seen.passes).toHaveLength(length);
    await app.close();
  });

  it('does not start a process in which two passes have one name', async () => {
    await expect(start(Walks, Namesake)).rejects.toThrow('two passes have the name "slow"');
  });
});
