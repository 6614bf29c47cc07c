/**
 * Whether outputs match those of a test case: objects have at least the expected fields, lists the expected length and items,
 * everything else is equal. Pure.
 */

import { isFields, type Fields } from '@weft/kernel';
import type { CaseDifference } from '@weft/contracts';
import { cutValue } from '../cut-value.js';

/** The differences that are listed for one case at most. */
const MAX_DIFFERENCES = 50;

/** Characters of JSON that a shown value may have. */
const MAX_SHOWN = 2_000;

const shown = (value: unknown): unknown => cutValue(value, MAX_SHOWN);

/**
 * @param expected ref → part of the out
 * @param outs outputs by ref; null for a layer without output
 */
export function differencesOf(
  expected: Readonly<Record<string, unknown>>,
  outs: ReadonlyMap<string, unknown>,
): CaseDifference[] {
  const found: CaseDifference[] = [];
  for (const [ref, part] of Object.entries(expected)) {
    if (outs.has(ref)) match(ref, part, outs.get(ref), found);
    else found.push(difference(ref, part, undefined, `no layer has the ref "${ref}"`));
  }
  return found.slice(0, MAX_DIFFERENCES);
}

function match(path: string, expected: unknown, actual: unknown, found: CaseDifference[]): void {
  if (found.length >= MAX_DIFFERENCES) return;
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) found.push(difference(path, expected, actual, 'is no list'));
    else if (actual.length !== expected.length) {
      const message = `has ${actual.length} items instead of ${expected.length}`;
      found.push(difference(path, expected, actual, message));
    } else expected.forEach((item, i) => match(`${path}.${i}`, item, actual[i], found));
  } else if (isFields(expected)) {
    if (!isFields(actual)) found.push(difference(path, expected, actual, 'is no object'));
    else for (const [key, part] of Object.entries(expected)) matchField(`${path}.${key}`, key, part, actual, found);
  } else if (comparable(expected) !== comparable(actual)) {
    found.push(difference(path, expected, actual, `is ${shortJson(actual)} instead of ${shortJson(expected)}`));
  }
}

function matchField(path: string, key: string, part: unknown, actual: Fields, found: CaseDifference[]): void {
  if (Object.hasOwn(actual, key)) match(path, part, actual[key], found);
  else found.push(difference(path, part, undefined, 'is not there'));
}

/** A case keeps such an integer as the text of its digits. */
function comparable(value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}

function difference(path: string, expected: unknown, actual: unknown, message: string): CaseDifference {
  return { path, expected: shown(expected), actual: shown(actual), message: `${path} ${message}` };
}

function shortJson(value: unknown): string {
  const json = JSON.stringify(value ?? null);
  return json.length <= 80 ? json : `${json.slice(0, 80)}…`;
}
