/** From the bytes of a file to its value, within bounds. */
import { parse } from 'yaml';
import { MAX_ALIASES, MAX_NESTING, MAX_VALUES } from '../limits.js';
import { DocumentFault } from './document-fault.js';

/**
 * A value of JSON or YAML.
 *
 * @param what how messages name it
 * @throws DocumentFault
 */
export function parseDocument(bytes: Uint8Array, what: string): unknown {
  const value = parsed(textOfBytes(bytes, what), what);
  if (typeof value === 'object' && value !== null) assertBounded(value, what);
  return value;
}

function textOfBytes(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new DocumentFault(`${what} is not UTF-8.`);
  }
}

function parsed(text: string, what: string): unknown {
  if (/^\s*\{/.test(text)) {
    try {
      return JSON.parse(text);
    } catch (error) {
      // a mapping of YAML may be written in braces, too
      if (text.length > 1024 * 1024) throw new DocumentFault(`${what} is not JSON: ${messageOf(error)}.`);
    }
  }
  try {
    return parse(text, { maxAliasCount: MAX_ALIASES, merge: true, logLevel: 'error' });
  } catch (error) {
    throw new DocumentFault(`${what} is neither JSON nor YAML: ${messageOf(error)}.`);
  }
}

/** One sentence, without its full stop. */
export function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (message.split('\n')[0] ?? '').replace(/[.:]+$/, '').slice(0, 300);
}

/** @throws DocumentFault */
export function assertBounded(value: object, what: string): void {
  let level: object[] = [value];
  let values = 1;
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_NESTING) throw new DocumentFault(`${what} is nested deeper than ${MAX_NESTING} levels.`);
    const next: object[] = [];
    for (const each of level) {
      for (const inner of Object.values(each) as unknown[]) {
        values += 1;
        if (typeof inner === 'object' && inner !== null) next.push(inner);
      }
      if (values > MAX_VALUES) throw new DocumentFault(`${what} has more than ${MAX_VALUES} values.`);
    }
    level = next;
  }
}
