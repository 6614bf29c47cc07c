/** Limits of JSON from outside, which protect its later readers: see `jsonFault`. */
import type { FieldError } from './errors.js';

/** Nesting of objects and lists, the outermost one counted as 1. */
export const MAX_JSON_NESTING = 32;

/** The database driver would interpret an object with this key as one of its own types. */
const DRIVER_KEY = '_bsontype';

/** Keys that allow prototype pollution, and keys that cannot be stored in a document. */
export function isForbiddenKey(key: string, value: unknown): boolean {
  if (key === '__proto__' || key === DRIVER_KEY || key.includes('\0')) return true;
  return key === 'constructor' && value !== null && typeof value === 'object' && Object.hasOwn(value, 'prototype');
}

/** The first fault of a value that is the user's own, its path beginning with `path`; null if it has no fault. */
export function jsonFault(value: unknown, path: string, depth = 1): FieldError | null {
  if (value === null || typeof value !== 'object') return null;
  if (depth > MAX_JSON_NESTING) {
    return { path, code: 'too_deep', message: `is nested deeper than ${MAX_JSON_NESTING} levels` };
  }
  if (Array.isArray(value)) {
    for (const inner of value as readonly unknown[]) {
      const fault = jsonFault(inner, path, depth + 1);
      if (fault) return fault;
    }
    return null;
  }
  for (const [key, inner] of Object.entries(value)) {
    const at = `${path}.${key}`;
    if (isForbiddenKey(key, inner)) {
      return { path: at, code: 'forbidden_key', message: 'is a key that no value may have' };
    }
    const fault = jsonFault(inner, at, depth + 1);
    if (fault) return fault;
  }
  return null;
}
