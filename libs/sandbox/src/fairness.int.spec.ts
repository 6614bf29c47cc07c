import { constants, getPriority } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { SandboxProcess } from './sandbox-process.js';
import { Sandbox } from './sandbox.js';
import type { SandboxTask } from './task.js';

const FIXED = { nowMs: 0, seed: '' };
const code = (source: string): SandboxTask => ({ kind: 'code', source, input: 'null', ...FIXED });
const SUM: SandboxTask = { kind: 'expressions', texts: ['1 + 1'], variables: '{}', input: null, ...FIXED };

const open: Sandbox[] = [];
afterEach(() => Promise.all(open.splice(0).map((each) => each.close())));

/** A sandbox with two slots for each kind of task, in which these companies run endless code. */
function hostile(companies: readonly string[], timesEach: number) {
  const processes: SandboxProcess[] = [];
  const start = (program: SandboxTask['kind'] | 'documents'): SandboxProcess => {
    const started = new SandboxProcess(program as SandboxProcess['program']);
    processes.push(started);
    return started;
  };
  const sandbox = new Sandbox({ concurrency: 2, start });
  open.push(sandbox);
  const stop = new AbortController();
  let ended = 0;
  const loops = companies.flatMap((companyId) =>
    Array.from({ length: timesEach }, () =>
      sandbox
        .run(code('for (;;) {}'), { companyId, timeoutMs: 30_000, signal: stop.signal })
        .catch(() => undefined)
        .finally(() => (ended += 1)),
    ),
  );
  const asked = (task: SandboxTask) =>
    sandbox.run(task, { companyId: 'a', timeoutMs: 5_000, signal: new AbortController().signal });
  const end = (): Promise<unknown> => {
    stop.abort();
    return Promise.all(loops);
  };
  return { asked, processes, end, ended: () => ended };
}

describe('two companies with endless code', () => {
  it('keep another one waiting until the end of none of it', async () => {
    const { asked, end, ended } = hostile(['b', 'c'], 4);
    expect(await asked(SUM)).toBe('[[2]]');
    for (let i = 0; i < 3; i += 1) expect(JSON.parse(await asked(code('return 1 + 1')))).toMatchObject({ value: 2 });
    expect(ended()).toBe(0);
    await end();
  });

  it('go on with the time that others leave, in processes that nobody gets after them', async () => {
    const { asked, processes, end } = hostile(['b', 'c'], 1);
    await asked(code('return 1'));
    const [slow, ...more] = processes.filter(
      ({ pid, isEnding }) => !isEnding && getPriority(pid) === constants.priority.PRIORITY_BELOW_NORMAL,
    );
    expect([slow?.program, more]).toEqual(['code', []]);
    await end();
    await slow?.ended;
  });
});
