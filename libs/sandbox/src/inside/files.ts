/** `$text`: files whose text the task was given. One that is missing is named in the answer, and the task is run again with it. */
import { FilesMissing, TaskFailed } from './errors.js';

/** More than a layer may read (libs/layers, `MAX_FILES_READ`), so that it is refused. */
const MAX_MISSING = 100;
const MAX_REF = 500;

let given: Readonly<Record<string, string>> = {};
const missing = new Set<string>();

export function useFiles(files: Readonly<Record<string, string>> = {}): void {
  given = files;
  missing.clear();
}

/** References of files that the task has read and was not given, the first 100. */
export function missingFiles(): readonly string[] {
  return [...missing];
}

/** @param value a file, or a text, which is its own */
export function textOf(value?: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  const ref = typeof value === 'object' && value !== null && '$ref' in value ? value.$ref : undefined;
  if (typeof ref !== 'string' || ref.length > MAX_REF) throw new TaskFailed('$text takes a file or a text');
  if (Object.hasOwn(given, ref)) return given[ref];
  missing.add(ref);
  if (missing.size === MAX_MISSING) throw new FilesMissing(missingFiles());
  return '';
}
