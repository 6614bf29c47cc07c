import { RE2JS } from 're2js';
import type { ExtractionTask } from '../task.js';
import { TaskFailed, LimitExceeded } from './errors.js';
import { runWithTimeout } from './run-with-timeout.js';

const MAX_MATCHES = 10_000;

/** JSON of the list of matches of the regular expression; only the first one unless `all` is set. */
export function findMatches({ pattern, source, group, all }: ExtractionTask, timeoutMs: number): string {
  return JSON.stringify(runWithTimeout(timeoutMs, () => matches(pattern, source, group, all)));
}

function matches(pattern: string, source: string, group: number, all: boolean): string[] {
  const matcher = RE2JS.compile(pattern).matcher(source);
  if (group > matcher.groupCount()) {
    throw new TaskFailed(`the pattern has ${matcher.groupCount()} groups, and none with the number ${group}`);
  }
  const texts: string[] = [];
  while ((all || texts.length === 0) && matcher.find()) {
    if (texts.length === MAX_MATCHES) throw tooManyMatches();
    texts.push(matcher.group(group) ?? '');
  }
  return texts;
}

/** Only the first one unless `all` is set. @throws LimitExceeded */
export function boundedMatches<Found>(list: readonly Found[], all: boolean): readonly Found[] {
  if (!all) return list.slice(0, 1);
  if (list.length > MAX_MATCHES) throw tooManyMatches();
  return list;
}

function tooManyMatches(): LimitExceeded {
  return new LimitExceeded(`There are more than ${MAX_MATCHES} matches.`);
}
