import { selectAll } from 'css-select';
import { textContent } from 'domutils';
import { parseDocument } from 'htmlparser2';
import { JSONPathEnvironment } from 'json-p3';
import { RE2JS } from 're2js';
import type { ExtractionTask } from '../task.js';
import { Failed } from './limit.js';
import { boundedMatches } from './matches.js';
import { within } from './within.js';

/** RFC 9535, with the functions that take patterns in linear time. */
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

/** Null for one that cannot be used, which then matches nothing (RFC 9535, 2.4.6). */
function compiledPattern(pattern: string): RE2JS | null {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return null;
  }
}

/** JSON of the list of what the path or selector finds. One at most, unless all are asked for. */
export function searchDocument(task: ExtractionTask, timeoutMs: number): string {
  return JSON.stringify(within(timeoutMs, () => found(task)));
}

function found({ how, pattern, source, all }: ExtractionTask): readonly unknown[] {
  if (how === 'jsonpath') return boundedMatches(linearPaths.query(pattern, parsed(source)).values(), all);
  return boundedMatches(selectAll(pattern, parseDocument(source)), all).map((node) => textContent(node));
}

function parsed(source: string): never {
  try {
    return JSON.parse(source) as never;
  } catch {
    throw new Failed('the source is no JSON');
  }
}
