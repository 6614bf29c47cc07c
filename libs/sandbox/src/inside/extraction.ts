import { selectAll } from 'css-select';
import { textContent } from 'domutils';
import { parseDocument } from 'htmlparser2';
import { JSONPathEnvironment } from 'json-p3';
import { RE2JS } from 're2js';
import type { ExtractionTask } from '../task.js';
import { Failed, Limit } from './limit.js';
import { within } from './within.js';

const MAX_MATCHES = 10_000;

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

/** JSON of the list of what was found: texts, of jsonpath any values. One at most, unless all are asked for. */
export function extract(task: ExtractionTask, timeoutMs: number): string {
  return JSON.stringify(within(timeoutMs, () => found(task)));
}

function found({ how, pattern, source, group, all }: ExtractionTask): readonly unknown[] {
  switch (how) {
    case 'regex':
      return matches(pattern, source, group, all);
    case 'jsonpath':
      return bounded(values(pattern, source), all);
    case 'css':
      return bounded(selectAll(pattern, parseDocument(source)), all).map((node) => textContent(node));
  }
}

function matches(pattern: string, source: string, group: number, all: boolean): string[] {
  const matcher = RE2JS.compile(pattern).matcher(source);
  if (group > matcher.groupCount()) {
    throw new Failed(`the pattern has ${matcher.groupCount()} groups, and none with the number ${group}`);
  }
  const texts: string[] = [];
  while ((all || texts.length === 0) && matcher.find()) {
    if (texts.length === MAX_MATCHES) throw tooMany();
    texts.push(matcher.group(group) ?? '');
  }
  return texts;
}

function values(path: string, source: string): unknown[] {
  return linearPaths.query(path, parsed(source)).values();
}

function parsed(source: string): never {
  try {
    return JSON.parse(source) as never;
  } catch {
    throw new Failed('the source is no JSON');
  }
}

function bounded<Found>(list: readonly Found[], all: boolean): readonly Found[] {
  if (!all) return list.slice(0, 1);
  if (list.length > MAX_MATCHES) throw tooMany();
  return list;
}

function tooMany(): Limit {
  return new Limit(`There are more than ${MAX_MATCHES} matches.`);
}
