import { selectAll } from 'css-select';
import { textContent } from 'domutils';
import { parseDocument } from 'htmlparser2';
import { JSONPathEnvironment } from 'json-p3';
import { RE2JS } from 're2js';
import type { ExtractionTask } from '../task.js';
import { TaskFailed } from './errors.js';
import { boundedMatches } from './matches.js';
import { runWithTimeout } from './run-with-timeout.js';

/** JSONPath (RFC 9535); its functions that take patterns run in linear time. */
const linearPaths = new JSONPathEnvironment();
for (const [name, test] of [
  ['match', (pattern: RE2JS, text: string) => pattern.matches(text)],
  ['search', (pattern: RE2JS, text: string) => pattern.matcher(text).find()],
] as const) {
  const known = linearPaths.functionRegister.get(name);
  if (!known) throw new Error(`JSONPath has no function ${name}`);
  const { argTypes, returnType } = known;
  const call = (text: unknown, pattern: unknown): boolean => {
    if (typeof text !== 'string' || typeof pattern !== 'string') return false;
    const compiled = compiledPattern(pattern);
    return compiled !== null && test(compiled, text);
  };
  linearPaths.functionRegister.set(name, { argTypes, returnType, call });
}

/** Null for an invalid pattern, which matches nothing (RFC 9535, 2.4.6). */
function compiledPattern(pattern: string): RE2JS | null {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return null;
  }
}

/** JSON of the list of matches of the path or selector; only the first one unless `all` is set. */
export function searchDocument(task: ExtractionTask, timeoutMs: number): string {
  return JSON.stringify(runWithTimeout(timeoutMs, () => findIn(task)));
}

function findIn({ how, pattern, source, all }: ExtractionTask): readonly unknown[] {
  if (how === 'jsonpath') return boundedMatches(linearPaths.query(pattern, documentOf(source)).values(), all);
  return boundedMatches(selectAll(pattern, parseDocument(source)), all).map((node) => textContent(node));
}

/** A whole number that may not be safe, or the same within a text. */
const LONG = /(?<![\w.+-])-?[1-9]\d{15,}(?![\d.eE])/g;

function documentOf(source: string): never {
  try {
    const value = JSON.parse(source) as never;
    const exact = withDigits(source);
    return exact === source ? value : (JSON.parse(exact) as never);
  } catch {
    throw new TaskFailed('the source is no JSON');
  }
}

/** As for all programs, an integer that a number cannot hold is the text of its digits. A reviver would take seconds. */
function withDigits(json: string): string {
  let isInText = false;
  let quote = json.indexOf('"');
  return json.replace(LONG, (digits, place: number) => {
    for (; quote !== -1 && quote < place; quote = json.indexOf('"', quote + 1)) {
      if (!isInText || !isEscaped(json, quote)) isInText = !isInText;
    }
    return isInText || Number.isSafeInteger(Number(digits)) ? digits : `"${digits}"`;
  });
}

function isEscaped(json: string, place: number): boolean {
  let from = place;
  while (json[from - 1] === '\\') from -= 1;
  return (place - from) % 2 === 1;
}
