import { checkPattern } from '@weft/expressions';
import { compile as compileSelector } from 'css-select';
import { jsonpath } from 'json-p3';

/** What is wrong with a literal pattern; null when nothing is, or when an expression decides the pattern. */
export function patternFault({
  kind,
  pattern,
}: Readonly<Record<string, unknown>>): { path: string; message: string } | null {
  if (typeof pattern !== 'string' || pattern.includes('{{') || typeof kind !== 'string') return null;
  try {
    COMPILE[kind]?.(pattern);
    return null;
  } catch (error) {
    return { path: 'pattern', message: error instanceof Error ? error.message : String(error) };
  }
}

const COMPILE: Readonly<Record<string, (pattern: string) => unknown>> = {
  regex: checkPattern,
  jsonpath: (pattern) => jsonpath.compile(pattern),
  css: (pattern) => compileSelector(pattern),
};
