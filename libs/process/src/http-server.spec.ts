import { WeftError } from '@weft/kernel';
import { HealthService, Metrics, openLog, Tracing } from '@weft/observability';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { addHttpHooks, createAdapter, sendProblem } from './http-server.js';

interface Line {
  readonly level: string;
  readonly code?: string;
  readonly status: number;
  readonly times?: number;
}

describe('the log of requests', () => {
  const lines: Line[] = [];
  const metrics = new Metrics();
  const health = new HealthService({ version: '1', loadedAt: new Date(0) });

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    lines.length = 0;
  });
  afterEach(() => vi.useRealTimers());

  function serverThatRefuses(code: 'store_unavailable' | 'internal', level: 'info' | 'debug' = 'info') {
    const out = { write: (line: string) => lines.push(JSON.parse(line) as Line) };
    const server = createAdapter().getInstance();
    addHttpHooks(server, { log: openLog({ level, file: null, out }).pino, metrics, health, tracing: Tracing.OFF });
    server.get('/', (request, reply) => sendProblem(new WeftError(code, 'refused'), request, reply));
    return server;
  }

  it('tells of an unreachable store once, and then once a minute how many requests it refused', async () => {
    const server = serverThatRefuses('store_unavailable');
    for (let i = 0; i < 20; i += 1) await server.inject('/');
    expect(lines).toMatchObject([{ level: 'ERROR', code: 'store_unavailable', status: 503, times: 1 }]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(lines.slice(1)).toMatchObject([{ level: 'ERROR', code: 'store_unavailable', status: 503, times: 19 }]);
  });

  it('has each request that failed for another reason, and each at all while it is debugged', async () => {
    const failing = serverThatRefuses('internal');
    for (let i = 0; i < 3; i += 1) await failing.inject('/');
    const debugged = serverThatRefuses('store_unavailable', 'debug');
    for (let i = 0; i < 3; i += 1) await debugged.inject('/');
    expect(lines.map(({ code }) => code)).toEqual([
      ...['internal', 'internal', 'internal'],
      ...['store_unavailable', 'store_unavailable', 'store_unavailable'],
    ]);
  });
});
