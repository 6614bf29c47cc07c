import { RE2JS } from 're2js';
import type { ExtractionTask } from '../task.js';
import { Failed, Limit } from './limit.js';
import { within } from './within.js';

const MAX_MATCHES = 10_000;

/** JSON of the list of what the regular expression finds. One at most, unless all are asked for. */
export function findMatches({ pattern, source, group, all }: ExtractionTask, timeoutMs: number): string {
  return JSON.stringify(within(timeoutMs, () => matches(pattern, source, group, all)));
}

function matches(pattern: string, source: string, group: number, all: boolean): string[] {
  const matcher = RE2JS.compile(pattern).matcher(source);
  if (group > matcher.groupCount()) {
    throw new Failed(`the pattern has ${matcher.groupCount()} groups, and none with the number ${group}`);
  }
  const texts: string[] = [];
  while ((all || texts.length === 0) && matcher.find()) {
    if (texts.length === MAX_MATCHES) throw tooManyMatches();
    texts.push(matcher.group(group) ?? '');
  }
  return texts;
}

/** One at most, unless all are asked for. @throws Limit */
export function boundedMatches<Found>(list: readonly Found[], all: boolean): readonly Found[] {
  if (!all) return list.slice(0, 1);
  if (list.length > MAX_MATCHES) throw tooManyMatches();
  return list;
}

function tooManyMatches(): Limit {
  return new Limit(`There are more than ${MAX_MATCHES} matches.`);
}
