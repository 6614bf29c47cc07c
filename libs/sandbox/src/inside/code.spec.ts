import { describe, expect, it } from 'vitest';
import { answerTo } from './answer.js';
import { runCode } from './code.js';
import { LimitExceeded, TaskFailed } from './errors.js';

const run = (source: string, input: unknown = null): unknown =>
  JSON.parse(runCode({ kind: 'code', source, input: JSON.stringify(input), nowMs: 0, seed: '' }, 5_000));

/** The error of a run that is refused. */
function refusalOf(source: string): unknown {
  try {
    return run(source);
  } catch (error) {
    return error;
  }
}

const MB = 1024 * 1024;

describe('a run of code', () => {
  it.each([
    ['throws', 'throw 1'],
    ['makes its own end throw', 'Object.prototype.toJSON = () => { throw new Error("x"); }; return 1'],
    ['makes what it throws throw', 'throw { get message() { throw 1; }, toString() { throw 2; } }'],
    ['throws before it begins', '}), (() => { throw globalThis; })(), (async () => {'],
    ['cannot be read', 'return }'],
    ['never ends its promise', 'await new Promise(() => {})'],
  ])('leaves nothing behind when it %s', (_how, source) => {
    const before = process.memoryUsage.rss();
    for (let i = 0; i < 12; i += 1) {
      // in the realm before the rest of the source is read
      refusalOf(`}), globalThis.keep = new Uint8Array(50e6).fill(7), (async () => {\n${source}`);
      refusalOf(`globalThis.keep = new Uint8Array(50e6).fill(7);\n${source}`);
    }
    expect((process.memoryUsage.rss() - before) / MB).toBeLessThan(300);
    expect(run('return input + 1', 1)).toEqual({ value: 2, logs: [] });
  });

  it('tells what was thrown, whatever it did to the language', () => {
    const spoil =
      'for (const kind of [Object, Array, String]) kind.prototype.toJSON = () => { throw new Error("x"); };';
    expect(refusalOf(`${spoil} console.log("a", { b: 1 }); throw new RangeError("no stock")`)).toMatchObject({
      message: expect.stringContaining('RangeError: no stock (line 1)') as string,
    });
    expect(refusalOf(`${spoil} return 1`)).toEqual({ value: 1, logs: [] });
    expect(refusalOf(`${spoil} return {}`)).toBeInstanceOf(TaskFailed);
    const hidden = 'throw { get message() { throw 1; }, toString() { throw 2; }, toJSON() { throw 3; } }';
    expect(refusalOf(hidden)).toMatchObject({ message: 'it threw something that cannot be shown' });
  });
});

describe('the time limit of code', () => {
  const sum = {
    kind: 'code',
    source: 'let n = 0; while (n < 1e6) n += 1; return n',
    input: 'null',
    nowMs: 0,
    seed: '',
  } as const;

  it('does not count the time for which others have the processor', () => {
    // none at all: whatever passes, the limit is not over
    expect(JSON.parse(runCode(sum, 1, () => 0))).toMatchObject({ value: 1e6 });
  });

  it('counts the time for which the code has it', () => {
    let usedMs = 0;
    expect(() => runCode(sum, 1_000, () => (usedMs += 300))).toThrow(LimitExceeded);
  });
});

describe('a process', () => {
  const order = {
    task: { kind: 'code', source: '', input: 'null', nowMs: 0, seed: '' },
    timeoutMs: 1_000,
    maxChars: 100,
  } as const;
  const small = (): boolean => false;

  it('is not used again after a fault of its own, which it keeps to itself', async () => {
    const broken = (): never => {
      throw new TypeError('Cannot read properties of undefined');
    };
    expect(await answerTo(order, broken, small)).toEqual({
      ok: false,
      reason: 'failed',
      message: 'It could not be computed.',
      isLast: true,
    });
  });

  it('is used again after a fault of the user', async () => {
    const failing = (): never => {
      throw new TaskFailed('no stock');
    };
    expect(await answerTo(order, failing, small)).toMatchObject({ ok: false, message: 'no stock', isLast: false });
  });

  it('is not used again when it has become too large', async () => {
    expect(
      await answerTo(
        order,
        () => '1',
        () => true,
      ),
    ).toEqual({ ok: true, json: '1', isLast: true });
  });
});

describe('times in code', () => {
  it('are refused in a time zone, which it would ignore', () => {
    for (const name of ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']) {
      expect(refusalOf(`return new Date(0).${name}("de-DE", { timeZone: "Asia/Tokyo" })`)).toMatchObject({
        message: expect.stringContaining(`${name}: code knows no time zones`) as string,
      });
      expect(run(`return typeof new Date(0).${name}("de-DE", { weekday: "long" })`)).toMatchObject({ value: 'string' });
    }
  });

  it('are those of the play, however Date is called', () => {
    const source = `class Own extends Date { get year() { return this.getUTCFullYear(); } }
      const date = new Date();
      return [Date().slice(0, 15), Date(5, 6) === Date(), +date, Date.now(), date.constructor.now(), new Own().year,
        Date.UTC(1970, 0, 2), date instanceof Date, new Date(7).getTime()];`;
    expect(run(source)).toMatchObject({ value: ['Thu Jan 01 1970', true, 0, 0, 0, 1970, 86_400_000, true, 7] });
  });
});
