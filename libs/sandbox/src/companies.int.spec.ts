import { waitFor } from '@weft/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { SandboxProcess } from './sandbox-process.js';
import { SandboxFailure } from './sandbox-failure.js';
import { Sandbox } from './sandbox.js';
import type { SandboxTask } from './task.js';

const NEVER = new AbortController().signal;
const expressions = (text: string, variables: object = {}): SandboxTask => ({
  kind: 'expressions',
  texts: [text],
  variables: JSON.stringify(variables),
  input: null,
  nowMs: 0,
  seed: '',
});

const program = (source: string): SandboxTask => ({ kind: 'code', source, input: 'null', nowMs: 0, seed: '' });
const search = (how: 'regex' | 'css', pattern: string, source: string): SandboxTask => ({
  kind: 'extraction',
  how,
  pattern,
  source,
  group: 0,
  all: true,
});

const open: Sandbox[] = [];
afterEach(() => Promise.all(open.splice(0).map((each) => each.close())));

/** Tries to make `$uppercase` of the next task store its argument, and `$shuffle` return what was stored. */
const PLANT = `($box := {"loot": []};
  $set := {} ~> |$shuffle|{"implementation": function($a){ $box.loot }}|;
  $tap := {} ~> |$uppercase|{"implementation": function($x){(
    {} ~> |$box|{"loot": $append($box.loot, $x)}|; "HACKED: " & $x )}}|;
  "planted")`;

/** Records the companies whose tasks it has run. */
class WatchedProcess extends SandboxProcess {
  readonly companies = new Set<string>();

  override run(...call: Parameters<SandboxProcess['run']>): Promise<string> {
    this.companies.add(call[0]);
    return super.run(...call);
  }
}

function watched(options: { readonly maxIdle?: number } = {}) {
  const processes: WatchedProcess[] = [];
  const sandbox = new Sandbox({
    concurrency: 2,
    ...options,
    start: (program) => {
      const started = new WatchedProcess(program);
      processes.push(started);
      return started;
    },
  });
  open.push(sandbox);
  const run = async (companyId: string, task: SandboxTask): Promise<unknown> =>
    JSON.parse(await sandbox.run(task, { companyId, timeoutMs: 5_000, signal: NEVER }));
  const ofCompany = (companyId: string) => processes.filter(({ companies }) => companies.has(companyId));
  return { sandbox, run, processes, ofCompany };
}

it('a task that takes its time to be written loses no process that ends meanwhile, and no slot', async () => {
  const { sandbox, processes } = watched();
  const call = { companyId: 'a', timeoutMs: 1_000, signal: NEVER };
  const write = async () => {
    for (const { pid, isEnding } of processes) if (!isEnding && pid !== undefined) process.kill(pid, 'SIGKILL');
    await Promise.all(processes.map(({ ended }) => ended));
    return expressions('1');
  };
  await sandbox.run(expressions('1'), call);
  for (let i = 0; i < 3; i += 1) expect(await sandbox.run({ kind: 'expressions', write }, call)).toBe('[[1]]');
});

describe('a company', () => {
  it('finds nothing in its expressions of what another one has planted, and gives nothing away', async () => {
    const { run } = watched();
    const plant = (): Promise<unknown> => run('thief', expressions(PLANT)).catch((error: unknown) => error);
    for (let i = 0; i < 4; i += 1) await plant();
    await Promise.all([plant(), plant(), plant()]);
    const secret = expressions('$uppercase($prev.secret)', { prev: { secret: 'canary' } });
    expect(await Promise.all([1, 2, 3].map(() => run('victim', secret)))).toEqual([1, 2, 3].map(() => [['CANARY']]));
    expect(await run('thief', expressions('$shuffle([1])'))).toEqual([[[1]]]);
  });

  it('has processes that never worked and never will work for another one, however they mix', async () => {
    const { run, processes } = watched({ maxIdle: 2 });
    const tasks = [expressions('1'), program('return 1'), search('css', 'p', '<p>'), search('regex', 'a', 'a')];
    const companies = ['a', 'b', 'c'];
    const mixed = tasks.flatMap((task, i) =>
      companies.map((_, n) => [companies[(n + i) % 3] as string, task] as const),
    );
    await Promise.all(mixed.map(([companyId, task]) => run(companyId, task)));
    expect(Math.max(...processes.map(({ companies: worked }) => worked.size))).toBe(1);
    expect(new Set(processes.flatMap(({ companies: worked }) => [...worked]))).toEqual(new Set(companies));
  });

  it('is refused by a process of another one', async () => {
    const started = new SandboxProcess('expressions');
    const order = { task: expressions('1'), timeoutMs: 5_000, maxChars: 100 };
    expect(await started.run('a', order, NEVER)).toBe('[[1]]');
    await expect(started.run('b', order, NEVER)).rejects.toThrow('of another company');
    started.kill(new SandboxFailure('cancelled', 'the test has ended'));
    await started.ended;
  });

  it('keeps its process while others come and go, and finds a new one that was started before it came', async () => {
    const { run, processes, ofCompany } = watched();
    await run('a', expressions('1'));
    await waitFor(() => processes.length === 2, { what: 'a process that is started in advance' });
    const [ready] = processes.slice(-1);
    await run('b', expressions('1'));
    expect(ofCompany('b')).toEqual([ready]);
    for (const companyId of ['a', 'b', 'a', 'a']) await run(companyId, expressions('1'));
    expect([ofCompany('a').length, ofCompany('b').length, processes.length]).toEqual([1, 1, 3]);
  });

  it('loses its process when too many others rest, who rested longest first', async () => {
    const { run, ofCompany } = watched({ maxIdle: 2 });
    for (const companyId of ['a', 'b', 'a', 'c']) await run(companyId, expressions('1'));
    await Promise.all(ofCompany('b').map((started) => started.ended));
    expect([ofCompany('a'), ofCompany('c')].flat().map(({ isEnding }) => isEnding)).toEqual([false, false]);
  });

  it('does not wait for processes of programs that nobody asked for', async () => {
    const { run, processes } = watched();
    await run('a', program('return 1'));
    expect(new Set(processes.map((started) => started.program))).toEqual(new Set(['code']));
  });
});
