import { afterAll, describe, expect, it } from 'vitest';
import { Sandbox } from './sandbox.js';
import type { SandboxTask } from './task.js';

const sandbox = new Sandbox(2);
afterAll(() => sandbox.close());

const NEVER = new AbortController().signal;
const FIXED = { nowMs: Date.UTC(2026, 0, 1), seed: 'play.0' };

const run = async (task: SandboxTask, companyId = 'acme', timeoutMs = 5_000): Promise<unknown> =>
  JSON.parse(await sandbox.run(task, { companyId, timeoutMs, signal: NEVER })) as unknown;
const jsonata = (text: string, variables: unknown = {}): Promise<unknown> =>
  run({ kind: 'expressions', texts: [text], variables: JSON.stringify(variables), input: null, ...FIXED });
const code = (source: string, input: unknown = null, timeoutMs = 5_000): Promise<unknown> =>
  run({ kind: 'code', source, input: JSON.stringify(input), ...FIXED }, 'acme', timeoutMs);

describe('an expression', () => {
  it('gives its value', async () => {
    expect(await jsonata('$sum($prev.list) + 1', { prev: { list: [1, 2] } })).toEqual([[4]]);
  });
});

describe('code', () => {
  it('gives its value', async () => {
    expect(await code('console.log("a", input); return input.n + 1', { n: 2 })).toEqual({
      value: 3,
      logs: ['a {"n":2}'],
    });
  });
});
