import { Sandbox, type SandboxTask } from '@weft/sandbox';
import { afterAll, describe, expect, it } from 'vitest';
import { callSandbox } from './call-sandbox.js';

// one company gets one of two slots
const sandbox = new Sandbox({ concurrency: 2 });
afterAll(() => sandbox.close());

const FIXED = { nowMs: 0, seed: 'seed' };
const ENDLESS: Readonly<Record<'code' | 'transform', SandboxTask>> = {
  code: { kind: 'code', source: 'for (;;) {}', input: 'null', ...FIXED },
  transform: {
    kind: 'expressions',
    texts: ['($f := function($n) { $f($n) }; $f(1))'],
    variables: '{}',
    input: null,
    ...FIXED,
  },
};

describe('what waits for its turn in the sandbox', () => {
  it.each(['code', 'transform'] as const)('is not written before, however large it is: %s', async (kind) => {
    const before = new AbortController();
    const held = sandbox.run(ENDLESS[kind], { companyId: 'c', timeoutMs: 60_000, signal: before.signal });
    const ending = held.catch((error: unknown) => error);
    let written = 0;
    const input = {
      toJSON: () => {
        written += 1;
        return 42;
      },
    };
    const play = { _id: 'p', company_id: 'c', createdAt: new Date(0) };
    const scope = {
      layers: new Map(),
      args: {},
      blueprint: {},
      play: { id: 'p' },
      flow: { id: 'f1', name: 'f', key: null, version: 3 },
      company: { name: 'c' },
    };
    const calls = callSandbox({ sandbox, files: null, play, signal: new AbortController().signal, seed: 's' }, scope);
    const found =
      kind === 'code'
        ? calls.code('return input', input, 10_000).then(({ value }) => value)
        : calls.transform('$', input);
    expect(written).toBe(0);
    before.abort();
    expect([await found, written]).toEqual([42, 1]);
    expect(await ending).toMatchObject({ code: 'cancelled' });
  });
});
