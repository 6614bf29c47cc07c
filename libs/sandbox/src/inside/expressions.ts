import jsonata from 'jsonata';
import { setImmediate as nothingLeft } from 'node:timers/promises';
import type { ExpressionsTask } from '../task.js';
import { bindBuiltins, isFunction } from './builtins.js';
import { FilesMissing, LimitExceeded, TaskFailed } from './errors.js';
import { missingFiles, useFiles } from './files.js';
import { LinearRegex } from './linear-regex.js';
import { repairTree } from './repair-tree.js';
import { fixClockAndRandom } from './sealed-realm.js';

/** JSON of a list: for each text `[value]`, or `[]` when it has no value. */
export async function runExpressions(task: ExpressionsTask, timeoutMs: number): Promise<string> {
  const { texts, variables, input, nowMs, seed } = task;
  fixClockAndRandom(nowMs, seed);
  useFiles(task.files);
  const bound = JSON.parse(variables) as Record<string, unknown>;
  const start: unknown = input === null ? undefined : JSON.parse(input);
  const values: string[] = [];
  for (const [i, text] of texts.entries()) {
    const json = await evaluate(text, i, start, bound, timeoutMs);
    values.push(json === undefined ? '[]' : `[${json}]`);
  }
  assertFilesWereGiven();
  return `[${values.join(',')}]`;
}

const REGEX = { RegexEngine: LinearRegex as unknown as RegExpConstructor };

/** JSONata checks the time itself, so that it also stops in a process whose parent died and cannot kill it. */
const TIMED_OUT = 'D1012';

/** JSONata waits for nothing from outside: without a value when nothing is left to do, it will never have one. */
const NO_VALUE = Symbol('no value');
const THENABLE = 'an object that has a function as its field "then" is taken for one that is still computed';

async function evaluate(text: string, i: number, input: unknown, bound: Record<string, unknown>, timeout: number) {
  try {
    const expression = jsonata(text, { ...REGEX, timeout });
    repairTree(expression.ast());
    bindBuiltins(expression);
    const value: unknown = await Promise.race([expression.evaluate(input, bound), nothingLeft(NO_VALUE)]);
    if (value === NO_VALUE) throw new TaskFailed(`it waits for a value that never comes: ${THENABLE}`, i);
    if (isFunction(value)) throw new TaskFailed('it gives a function, which is no value', i);
    return toJson(value, i);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    // what it computed of the empty text of a missing file says nothing
    assertFilesWereGiven();
    const { code, message, position } = error as Partial<jsonata.JsonataError>;
    if (code === TIMED_OUT) throw new LimitExceeded(`It took longer than ${timeout} ms.`);
    // JSONata's documented errors have a code; errors without one come from its internals, after a value of an unexpected type
    const isForUsers = code !== undefined || error instanceof TaskFailed;
    throw new TaskFailed((isForUsers ? message : undefined) ?? UNEXPECTED, i, position);
  }
}

function assertFilesWereGiven(): void {
  const files = missingFiles();
  if (files.length > 0) throw new FilesMissing(files);
}

const UNEXPECTED = 'it cannot be evaluated: something in it is not of the kind that JSONata expects there';

function toJson(value: unknown, i: number): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof TypeError) throw new TaskFailed('it gives a value that contains itself, which JSON cannot', i);
    throw error;
  }
}
