import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { MAX_INPUT_CHARS } from './limits.js';
import { SandboxProcess } from './sandbox-process.js';
import { Sandbox } from './sandbox.js';
import type { ExtractionTask, SandboxTask } from './task.js';

const sandbox = new Sandbox({ concurrency: 3 });
afterAll(() => sandbox.close());

const NEVER = new AbortController().signal;
const FIXED = { nowMs: Date.UTC(2026, 0, 1), seed: 'play.0' };
const LIMIT = { code: 'sandbox_limit' };

interface Call {
  readonly companyId?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly maxChars?: number;
}

async function run(task: SandboxTask, { companyId = 'acme', timeoutMs = 5_000, signal = NEVER, maxChars }: Call = {}) {
  return JSON.parse(await sandbox.run(task, { companyId, timeoutMs, signal, maxChars })) as unknown;
}

const expressions = (texts: readonly string[], variables: object = {}): SandboxTask => ({
  kind: 'expressions',
  texts,
  variables: JSON.stringify(variables),
  input: null,
  ...FIXED,
});
const program = (source: string, input: unknown = null): SandboxTask => ({
  kind: 'code',
  source,
  input: JSON.stringify(input),
  ...FIXED,
});
const extraction = (how: ExtractionTask['how'], pattern: string, source: string, more: object = {}): SandboxTask => ({
  kind: 'extraction',
  how,
  pattern,
  source,
  group: 0,
  all: true,
  ...more,
});

const jsonata = async (text: string, variables?: object, call?: Call) =>
  ((await run(expressions([text], variables), call)) as unknown[][])[0];
const code = (source: string, input?: unknown, call?: Call) => run(program(source, input), call);

const LOOP = '($f := function($x) { $f($x) }; $f(1))';

describe('an expression', () => {
  it('gives its value, or nothing', async () => {
    const prev = { list: [1, 2], none: null };
    const texts = ['$sum($prev.list) + 1', '$prev.missing', '$prev.none', '{ "a": $prev.list }'];
    expect(await run(expressions(texts, { prev }))).toEqual([[4], [], [null], [{ a: [1, 2] }]]);
  });

  it('takes the other side of ?? for null, too, and leaves $exists what it is', async () => {
    const prev = { none: null };
    expect(await jsonata('($prev.none ?? 1) + ($prev.missing ?? 1)', { prev })).toEqual([2]);
    expect(await jsonata('[$exists($prev.none), $exists($prev.missing)]', { prev })).toEqual([[true, false]]);
  });

  it('takes the other side behind a pattern, too', async () => {
    const prev = { text: 'order 12' };
    const text = '[$match($prev.text, /[0-9]+/)[0].match ?? "none", $match($prev.text, /x/)[0].match ?? "none"]';
    expect(await jsonata(text, { prev })).toEqual([['12', 'none']]);
    expect(
      await jsonata('($replace($prev.text, /.*/, "") ?: "none") & ($prev.text.$contains(/12/) ?: 1)', { prev }),
    ).toEqual(['nonetrue']);
  });

  it('has the time and the chance that it is given', async () => {
    expect(await jsonata('$now()')).toEqual(['2026-01-01T00:00:00.000Z']);
    const text = '[$millis(), $random(), $random(), $shuffle([1..20])]';
    const [first, second] = [await jsonata(text), await jsonata(text)];
    expect(second).toEqual(first);
    expect((first as number[][])[0]?.[1]).not.toBe((first as number[][])[0]?.[2]);
  });

  it.each([
    ['1 + "a"', 'number', 3],
    ['$error("no stock")', 'no stock', 7],
    ['$eval("1")', 'non-function', 6],
    ['function($x) { $x }', 'gives a function', undefined],
    ['$sum', 'gives a function', undefined],
    ['{} ~> |$|{ "self": $ }|', 'contains itself', undefined],
    ['{ "then": $spread($string) }', 'a value that never comes', undefined],
    ['{ "then": $spread($now) }', 'a value that never comes', undefined],
    ['(null)(1)', 'not of the kind that JSONata expects there', 7],
    ['$match("a", /(?=a)/)', 'invalid or unsupported Perl syntax', undefined],
  ])('that cannot be computed says why: %s', async (text, message, position) => {
    const failure = { code: 'failed', message: expect.stringContaining(message) as string };
    const at = position === undefined ? undefined : { text: 1, position };
    await expect(run(expressions(['1', text]))).rejects.toMatchObject({ ...failure, at });
  });

  it('matches patterns in linear time', async () => {
    const prev = { text: 'x'.repeat(50_000) };
    expect(await jsonata('$match($prev.text, /(x+x+)+y/)', { prev })).toEqual([]);
    expect(await jsonata('$replace("a1b22", /([0-9]+)/, "<$1>")')).toEqual(['a<1>b<22>']);
    expect(await jsonata('$split("a, b;c", /[,;] */)')).toEqual([['a', 'b', 'c']]);
  });
});

describe('code', () => {
  it('gives what it returns, awaited, and what it told the console', async () => {
    const source = 'console.log("got", input); return { n: (await Promise.resolve(input.n)) + 1 };';
    expect(await code(source, { n: 2 })).toEqual({ value: { n: 3 }, logs: ['got {"n":2}'] });
    expect(await code('')).toEqual({ value: null, logs: [] });
  });

  it('has the time and the chance that it is given', async () => {
    const source = 'return [Date.now(), new Date().toISOString(), Math.random(), Math.random()]';
    const first = await code(source);
    expect(first).toMatchObject({
      value: [FIXED.nowMs, '2026-01-01T00:00:00.000Z', expect.any(Number), expect.any(Number)],
    });
    expect(await code(source)).toEqual(first);
  });

  it('gives an answer of megabytes in a process that has just begun, too', async () => {
    for (const companyId of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const { value } = (await code(`return 'x'.repeat(3e6)`, null, { companyId })) as { value: string };
      expect(value).toHaveLength(3e6);
    }
  });

  it('tells a bounded story', async () => {
    const source = 'for (let i = 0; i < 300; i += 1) console.log("x".repeat(5000)); return 1';
    const { logs } = (await code(source)) as { logs: string[] };
    expect(logs).toHaveLength(101);
    expect(Math.max(...logs.map((line) => line.length))).toBe(1_001);
  });

  it.each([
    ['throw new Error("no stock")', 'Error: no stock (line 1)'],
    ['throw { a: 1 }', 'it threw {"a":1}'],
    ['\n\nreturn nope', "'nope' is not defined (line 3)"],
    ['return }', 'SyntaxError'],
    ['await new Promise(() => {})', 'never settled'],
    ['return 10n', 'BigInt'],
    ['const a = [1]; a[0] = a; return a', 'circular'],
    ['await import("fs")', 'could not load module'],
  ])('that fails says why: %j', async (source, message) => {
    const failure = { code: 'failed', message: expect.stringContaining(message) as string };
    await expect(code(source)).rejects.toMatchObject(failure);
  });
});

describe('an extraction', () => {
  it.each<[string, SandboxTask, unknown]>([
    ['matches of a pattern', extraction('regex', '[0-9]+', 'a1b22'), ['1', '22']],
    ['a group', extraction('regex', '#([A-Z])-([0-9])', '#A-1 #B-2', { group: 2 }), ['1', '2']],
    ['the first only', extraction('regex', '[0-9]', '123', { all: false }), ['1']],
    ['values at a JSONPath', extraction('jsonpath', '$..price', '{"a":[{"price":1},{"price":null}]}'), [1, null]],
    [
      'digits beside texts',
      extraction('jsonpath', '$.*', String.raw`["\\\"",-7615917337495251231,"\",7615917337495251231"]`),
      [String.raw`\"`, '-7615917337495251231', '",7615917337495251231'],
    ],
    ['digits', extraction('jsonpath', '$.*', '[7615917337495251231,1e20]'), ['7615917337495251231', 1e20]],
    ['texts of elements', extraction('css', 'p.x > b', '<p class=x><b>hi <i>you</i></b><b>bye'), ['hi you', 'bye']],
    ['nothing', extraction('css', 'h1', '<p>'), []],
  ])('finds %s', async (_what, task, found) => {
    expect(await run(task)).toEqual(found);
  });

  it('takes patterns of any kind in linear time', async () => {
    expect(await run(extraction('regex', '(x+x+)+y', 'x'.repeat(50_000)))).toEqual([]);
    const source = JSON.stringify([{ s: 'x'.repeat(5_000) }, { s: 'xxy' }]);
    expect(await run(extraction('jsonpath', '$[?match(@.s, "(x+x+)+y")].s', source))).toEqual(['xxy']);
  });

  it.each([
    [extraction('regex', '(a', 'a'), 'missing closing'],
    [extraction('regex', '(?=a)', 'a'), '(?='],
    [extraction('regex', 'a', 'a', { group: 1 }), 'has 0 groups'],
    [extraction('jsonpath', '$.a', 'text'), 'no JSON'],
    [extraction('jsonpath', '$[', '{}'), 'bracket'],
    [extraction('css', 'p:nope', '<p>'), 'nope'],
  ])('that cannot be done says why: %j', async (task, message) => {
    const failure = { code: 'failed', message: expect.stringContaining(message) as string };
    await expect(run(task)).rejects.toMatchObject(failure);
  });
});

describe('a task past its limit', () => {
  const bombs: readonly [string, SandboxTask, RegExp, number?][] = [
    ['an endless expression', expressions([LOOP]), /longer than 100 ms/],
    ['endless code', program('for (;;) {}'), /longer than 100 ms/],
    ['a pattern that backtracks in code', program('return /(x+x+)+y/.test("x".repeat(60))'), /longer than 100 ms/],
    [
      'selectors without an end',
      extraction('css', `p ${'div '.repeat(20)}`, '<div>'.repeat(200)),
      /longer than 100 ms/,
    ],
    ['code that takes all memory', program('return new Uint8Array(1e9)'), /more memory/, 9_000],
    ['code without a bottom', program('const f = () => f() + 1; return f()'), /too deep/, 9_000],
    ['a heap that is full', expressions(['$base64encode($pad("x", 300000000))']), /more memory/, 9_000],
    ['a text as long as none can be', expressions(['$pad("x", 1000000000)']), /too large/, 9_000],
    ['a large answer', program('return "x".repeat(2000)'), /more than 1000 characters/, 9_000],
  ];

  it.each(bombs)('is ended, and the failure names the limit: %s', async (_what, task, message, timeoutMs = 100) => {
    const failure = { ...LIMIT, message: expect.stringMatching(message) as string };
    await expect(run(task, { timeoutMs, maxChars: 1_000 })).rejects.toMatchObject(failure);
    expect(await jsonata('1')).toEqual([1]);
  });
});

describe('the pool', () => {
  it('works for others while a company fills it with endless loops', async () => {
    const stop = new AbortController();
    const { signal } = stop;
    const endless = Array.from({ length: 4 }, () =>
      code('for (;;) {}', null, { companyId: 'endless', timeoutMs: 60_000, signal }).catch((error: unknown) => error),
    );
    expect(
      await Promise.all(Array.from({ length: 5 }, () => code('return 1', null, { companyId: 'patient' }))),
    ).toHaveLength(5);
    stop.abort();
    expect(await Promise.all(endless)).toMatchObject(Array.from({ length: 4 }, () => ({ code: 'cancelled' })));
  });

  it('ends what waits and what runs when it is closed, and takes nothing more', async () => {
    const closing = new Sandbox({ concurrency: 2 });
    const call = { companyId: 'acme', timeoutMs: 60_000, signal: NEVER };
    const tasks = [1, 2, 3].map(() => closing.run(program('for (;;) {}'), call).catch((error: unknown) => error));
    await closing.close();
    const cancelled = { code: 'cancelled' };
    expect(await Promise.all(tasks)).toMatchObject([cancelled, cancelled, cancelled]);
    await expect(closing.run(program('return 1'), call)).rejects.toMatchObject(cancelled);
  });

  it('tries again when there is no room for a process, and goes on when there never is', async () => {
    const attempts: string[] = [];
    const scarce = new Sandbox({
      concurrency: 2,
      start: (program) => {
        attempts.push('asked');
        if (attempts.length === 1) throw Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM' });
        return new SandboxProcess(program);
      },
    });
    const call = { companyId: 'acme', timeoutMs: 5_000, signal: NEVER };
    expect(JSON.parse(await scarce.run(expressions(['1']), call))).toEqual([[1]]);
    expect(attempts.length).toBeGreaterThanOrEqual(2);
    await scarce.close();

    const full = new Sandbox({
      concurrency: 2,
      start: () => {
        throw new Error('spawn ENOMEM');
      },
    });
    const stop = new AbortController();
    const tasks = [1, 2, 3, 4].map(() =>
      full.run(program('return 1'), { ...call, signal: stop.signal }).catch((error: unknown) => error),
    );
    stop.abort();
    const cancelled = { code: 'cancelled' };
    expect(await Promise.all(tasks)).toMatchObject([cancelled, cancelled, cancelled, cancelled]);
    const last = full.run(program('return 1'), call).catch((error: unknown) => error);
    await full.close();
    expect(await last).toMatchObject(cancelled);
  });

  it('leaves no process and no open file of those that it ended', async () => {
    const pids: number[] = [];
    const ending = new Sandbox({
      concurrency: 2,
      start: (program) => {
        const started = new SandboxProcess(program);
        pids.push(started.pid ?? 0);
        return started;
      },
    });
    const open = async () => (await readdir('/dev/fd')).length;
    const endless = (companyId: string) =>
      ending.run(program('for (;;) {}'), { companyId, timeoutMs: 1, signal: NEVER }).catch((error: unknown) => error);
    await endless('acme');
    const before = await open();
    const ends = await Promise.all([endless('acme'), endless('other')]);
    expect(ends).toMatchObject(ends.map(() => LIMIT));
    await ending.close();
    expect(pids.length).toBeGreaterThanOrEqual(3);
    expect(await open()).toBeLessThanOrEqual(before);
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });

  it('lets tasks end when all of its group is told to stop', async () => {
    const processes: SandboxProcess[] = [];
    const told = new Sandbox({
      concurrency: 2,
      start: (program) => {
        const started = new SandboxProcess(program);
        processes.push(started);
        return started;
      },
    });
    const call = { companyId: 'acme', timeoutMs: 5_000, signal: NEVER };
    await told.run(expressions(['1']), call);
    const sum = told.run(expressions(['$sum([1..100000])']), call);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(processes[0]?.pid ?? 0, signal);
    expect(JSON.parse(await sum)).toEqual([[5_000_050_000]]);
    expect(JSON.parse(await told.run(expressions(['2']), call))).toEqual([[2]]);
    expect(processes[0]?.isEnding).toBe(false);
    await told.close();
  });

  it('hands over what is as large as an input may be', async () => {
    const prev = { text: 'x'.repeat(MAX_INPUT_CHARS - 100) };
    expect(await jsonata('$prev.text = "x"', { prev }, { timeoutMs: 10_000 })).toEqual([false]);
  });
});

describe('what is run in here', () => {
  const REACHES = [
    'process',
    'require',
    'fetch',
    'setTimeout',
    'Worker',
    'WebSocket',
    'std',
    'os',
    'navigator',
    'module',
  ];

  it('finds none of the ways out', async () => {
    const source = `return [${REACHES.map((name) => `typeof ${name}`).join(', ')}]`;
    expect(await code(source)).toMatchObject({ value: REACHES.map(() => 'undefined') });
    const paths = [
      '$prev.constructor',
      '$prev.list.constructor',
      '$prev.toString',
      '$lookup($prev, "__proto__")',
      '$$.process',
    ];
    expect(await run(expressions(paths, { prev: { list: [] } }))).toEqual(paths.map(() => []));
  });

  it('reaches no listener on this machine', async () => {
    let knocks = 0;
    const canary = createServer((socket) => {
      knocks += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(canary, 'listening');
    const { port } = canary.address() as { port: number };
    const url = `http://127.0.0.1:${port}/`;
    for (const source of [
      `return await fetch("${url}")`,
      `return await import("${url}")`,
      `return new WebSocket("${url}")`,
    ]) {
      await expect(code(source)).rejects.toMatchObject({ code: 'failed' });
    }
    canary.close();
    expect(knocks).toBe(0);
  });

  it('makes fields of names that are more elsewhere, and leaves the next task nothing', async () => {
    const text = '{ "__proto__": { "polluted": 1 }, "constructor": 2, "toString": 3 }';
    const [made] = (await jsonata(text)) as [object];
    expect(Object.entries(made)).toEqual([
      ['__proto__', { polluted: 1 }],
      ['constructor', 2],
      ['toString', 3],
    ]);
    await jsonata('$merge([{ "__proto__": { "polluted": 1 } }, $prev]) ~> |$|{ "__proto__": { "polluted": 1 } }|', {
      prev: {},
    });
    await code('Object.prototype.polluted = 1; Array.prototype.map = null; globalThis.JSON = null; return 1');
    expect(await jsonata('[$prev.polluted, $lookup({}, "polluted")]', { prev: {} })).toEqual([[]]);
    expect(await code('return [{}.polluted ?? "clean", [1].map((n) => n + 1)]')).toMatchObject({
      value: ['clean', [2]],
    });
  });
});
