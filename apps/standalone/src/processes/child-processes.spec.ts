import { describe, expect, it } from 'vitest';
import { ChildApplication } from './child-process.js';
import { ChildProcesses } from './child-processes.js';

describe('a process beside this one that does not answer', () => {
  const worker = new ChildApplication({ app: 'worker', port: 9, env: {}, metricsToken: null, tell: () => undefined });
  const beside = new ChildProcesses([worker], 'logs');
  const found = () => Promise.all(beside.checks.map(({ check }) => check()));

  it('is a fault until it was asked to stop', async () => {
    expect(await found()).toEqual([{ status: 'unhealthy', error: 'the worker does not answer' }]);
    await beside.stop();
    expect(await found()).toEqual([{ status: 'healthy' }]);
  });
});
