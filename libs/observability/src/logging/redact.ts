import { plainWordsOf } from './plain-errors.js';

const SECRET_KEY = /authorization|cookie|password|passwd|secret|token|api_?key|sessionid|^sid$|salt$/i;
const HIDDEN = '[redacted]';
const MAX_DEPTH = 6;

/** Secrets inside texts: bearer credentials, signed tokens, and the credentials of a URI. */
const SECRET_TEXT = /(Bearer )[^\s"\\,]+|\beyJ[\w-]+\.[\w-]+\.[\w-]*|(:\/\/)[^/\s"@]+(@)/g;

/**
 * The fields of a log line in a form that may be stored: values under names that indicate secrets are hidden (counts and flags
 * stay), and errors are reduced to type, message, code, stack, cause, and the errors that are in them.
 */
export function redactFields(fields: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) kept[key === 'err' ? 'error' : key] = redactValue(key, value, 0);
  return kept;
}

/** A finished line with the secrets inside its texts hidden. */
export function redactLine(line: string): string {
  return line.replace(SECRET_TEXT, (_whole, bearer?: string, scheme?: string, at?: string) =>
    bearer ? bearer + HIDDEN : scheme ? scheme + HIDDEN + (at ?? '') : HIDDEN,
  );
}

function redactValue(key: string, value: unknown, depth: number): unknown {
  if (value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean') return value;
  if (SECRET_KEY.test(key)) return HIDDEN;
  if (typeof value !== 'object') return value;
  if (value instanceof Error) return describeError(value, depth);
  if (value instanceof Date) return value.toISOString();
  if (depth >= MAX_DEPTH) return '[deeper]';
  if (Array.isArray(value)) return value.map((item) => redactValue('', item, depth + 1));
  if (!isPlain(value)) return `[${value.constructor.name}]`;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redactValue(name, item, depth + 1)]));
}

function describeError(error: Error & { code?: unknown }, depth: number): Record<string, unknown> {
  const plain = plainWordsOf(error);
  if (plain !== null)
    return { type: error.name, message: plain, ...(error.code !== undefined && { code: error.code }) };
  // what failed together says more than where it was put together
  if (error instanceof AggregateError && depth < MAX_DEPTH)
    return { type: error.name, message: error.message, errors: redactValue('', error.errors, depth + 1) };
  return {
    type: error.name,
    message: error.message,
    ...(error.code === undefined ? {} : { code: error.code }),
    stack: error.stack,
    ...(error.cause === undefined || depth >= MAX_DEPTH ? {} : { cause: redactValue('', error.cause, depth + 1) }),
  };
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
