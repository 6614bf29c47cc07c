import { parseJson, writeJson } from '@weft/client';

export type ReadObject = { readonly value: Record<string, unknown> } | { readonly fault: string };

/** A JSON object that somebody typed, or what is wrong with it. An empty text is an empty object. */
export function readObject(text: string): ReadObject {
  if (text.trim() === '') return { value: {} };
  try {
    const value = parseJson(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return { fault: 'An object is expected: { … }' };
    }
    return { value: value as Record<string, unknown> };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : 'This is not JSON.' };
  }
}

export const jsonText = (value: unknown): string => writeJson(value ?? null, 2) ?? 'null';

/** Objects of texts: labels, variables. One `key=value` a line. */
export function readPairs(text: string): { readonly value: Record<string, string> } | { readonly fault: string } {
  const pairs: [string, string][] = [];
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const at = line.indexOf('=');
    if (at < 1) return { fault: `“${line.trim()}” is not of the form key=value` };
    pairs.push([line.slice(0, at).trim(), line.slice(at + 1).trim()]);
  }
  return { value: Object.fromEntries(pairs) };
}

export const pairsText = (pairs: Readonly<Record<string, unknown>>): string =>
  Object.entries(pairs)
    .map(([key, value]) => `${key}=${String(value)}`)
    .join('\n');
