import jsonata from 'jsonata';
import type { ExpressionsTask } from '../task.js';
import { Failed, Limit } from './limit.js';
import { LinearRegex } from './linear-regex.js';
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
    expression.assign('eval', undefined);
    expression.assign(IS_THERE, isThere);
    const value: unknown = await expression.evaluate(input, bound);
    if (isFunction(value)) throw new Failed('it gives a function, which is no value', i);
    return JSON.stringify(value) as string | undefined;
  } catch (error) {
    if (error instanceof RangeError || error instanceof Failed) throw error;
    const { code, message, position } = error as Partial<jsonata.JsonataError>;
    if (code === TIMED_OUT) throw new Limit(`It took longer than ${timeout} ms.`);
    throw new Failed(message ?? 'it cannot be evaluated', i, position);
  }
}

function isFunction(value: unknown): boolean {
  if (typeof value === 'function') return true;
  return typeof value === 'object' && value !== null && ('_jsonata_lambda' in value || '_jsonata_function' in value);
}

/** No name that an expression can say. */
const IS_THERE = 'is there';

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null;
}

interface SyntaxNode {
  readonly type?: unknown;
  readonly value?: unknown;
  readonly position?: number;
  readonly condition?: SyntaxNode;
  readonly then?: SyntaxNode;
  readonly arguments?: readonly SyntaxNode[];
}

/**
 * Makes two things of the tree right. `a ?? b` gives b for an `a` that is null, too, as it does in plain paths: JSONata's parser
 * makes `$exists(a) ? a : b` of it, with a variable that stands nowhere in the text. And it copies that `a` (of `?:` likewise)
 * as JSON, where patterns are lost.
 */
function mend(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node)) return node.forEach(mend);
  const { type, value, position, condition, then } = node as SyntaxNode;
  if (type === 'variable' && value === 'exists' && position === undefined) Object.assign(node, { value: IS_THERE });
  if (type === 'condition') for (const copy of [condition, condition?.arguments?.[0]]) restorePatterns(copy, then);
  for (const [key, child] of Object.entries(node)) if (!isElsewhere(key)) mend(child);
}

function restorePatterns(copy: unknown, original: unknown): void {
  if (typeof copy !== 'object' || copy === null || typeof original !== 'object' || original === null) return;
  const [from, to] = [original as SyntaxNode, copy as SyntaxNode];
  if (from.type !== to.type) return;
  if (to.type === 'regex') {
    if (!(to.value instanceof RegExp)) Object.assign(to, { value: from.value });
    return;
  }
  for (const [key, child] of Object.entries(to)) {
    if (!isElsewhere(key)) restorePatterns(child, (from as Record<string, unknown>)[key]);
  }
}

/** Fields of a node that lead back to others. */
function isElsewhere(key: string): boolean {
  return key.startsWith('seeking') || key === 'ancestor' || key === 'slot';
}
