import jsonata from 'jsonata';
import type { ExpressionsTask } from '../task.js';
import { bindBuiltins, isFunction } from './builtins.js';
import { Failed, Limit } from './limit.js';
import { LinearRegex } from './linear-regex.js';
import { mend } from './mend-tree.js';
import { fixClockAndChance } from './sealed-realm.js';

/** JSON of a list: for each text `[value]`, or `[]` when it leads to nothing. */
export async function runExpressions(task: ExpressionsTask, timeoutMs: number): Promise<string> {
  const { texts, variables, input, nowMs, seed } = task;
  fixClockAndChance(nowMs, seed);
  const bound = JSON.parse(variables) as Record<string, unknown>;
  const start: unknown = input === null ? undefined : JSON.parse(input);
  const values: string[] = [];
  for (const [i, text] of texts.entries()) {
    const json = await evaluate(text, i, start, bound, timeoutMs);
    values.push(json === undefined ? '[]' : `[${json}]`);
  }
  return `[${values.join(',')}]`;
}

const REGEX = { RegexEngine: LinearRegex as unknown as RegExpConstructor };

/** JSONata looks at the time itself: also in a process whose parent died and cannot kill it. */
const TIMED_OUT = 'D1012';

async function evaluate(text: string, i: number, input: unknown, bound: Record<string, unknown>, timeout: number) {
  try {
    const expression = jsonata(text, { ...REGEX, timeout });
    mend(expression.ast());
    bindBuiltins(expression);
    const value: unknown = await expression.evaluate(input, bound);
    if (isFunction(value)) throw new Failed('it gives a function, which is no value', i);
    return asJson(value, i);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    const { code, message, position } = error as Partial<jsonata.JsonataError>;
    if (code === TIMED_OUT) throw new Limit(`It took longer than ${timeout} ms.`);
    // JSONata's own faults have a code; others are of its insides, where it was given what it does not expect
    const isForUsers = code !== undefined || error instanceof Failed;
    throw new Failed((isForUsers ? message : undefined) ?? UNEXPECTED, i, position);
  }
}

const UNEXPECTED = 'it cannot be evaluated: something in it is not of the kind that JSONata expects there';

function asJson(value: unknown, i: number): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof TypeError) throw new Failed('it gives a value that contains itself, which JSON cannot', i);
    throw error;
  }
}
