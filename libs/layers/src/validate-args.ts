import {
  ExpressionSyntaxError,
  compile,
  nearestNames,
  type CompiledValue,
  type LayerReference,
} from '@weft/expressions';
import type { FieldError } from '@weft/kernel';
import type { z } from 'zod';
import { layerModules, moduleOf } from './registry.js';

/** What is known of a layer's arguments before they are ever evaluated. */
export interface ArgsReport {
  /** Codes `unknown_app` (path `appId`), `invalid_expression`, `invalid_args` (paths `args.…`). */
  readonly errors: readonly FieldError[];
  /** Outputs of other layers that the arguments read; paths begin with `args`. */
  readonly refs: readonly LayerReference[];
}

/**
 * Checks the arguments of a layer that is being saved: expressions must be readable, and what is not an expression must fit the
 * module. Values that hold expressions are known at run time only and are checked then.
 */
export function validateArgs(appId: string, args: unknown): ArgsReport {
  const module = moduleOf(appId);
  if (!module) return { errors: [unknownApp(appId)], refs: [] };
  let compiled: CompiledValue;
  try {
    compiled = compile(args);
  } catch (error) {
    if (!(error instanceof ExpressionSyntaxError)) throw error;
    const errors = error.faults.map(({ path, message }) => fault('invalid_expression', path, message));
    return { errors, refs: [] };
  }
  const parsed = module.argsSchema.safeParse(args);
  const issues = parsed.success ? [] : parsed.error.issues.filter((issue) => isCertain(issue, compiled));
  return {
    errors: issues.map((issue) => fault('invalid_args', issue.path.join('.'), issue.message)),
    refs: compiled.refs.map((reference) => ({ ...reference, path: under(reference.path) })),
  };
}

/** False where an expression decides whether the issue will be one. */
function isCertain(issue: z.core.$ZodIssue, { expressionPaths }: CompiledValue): boolean {
  const path = issue.path.join('.');
  if (expressionPaths.some((text) => text === path || path.startsWith(`${text}.`) || text === '')) return false;
  const isAboutParts = issue.code === 'invalid_union' || issue.code === 'custom';
  return !isAboutParts || !expressionPaths.some((text) => path === '' || text.startsWith(`${path}.`));
}

function unknownApp(appId: string): FieldError {
  const near = nearestNames(appId, layerModules.keys());
  const known = (near.length > 0 ? near : [...layerModules.keys()]).join(', ');
  const message =
    near.length > 0 ? `there is no such module; did you mean ${known}?` : `there is no such module; there are ${known}`;
  return { path: 'appId', code: 'unknown_app', message };
}

function fault(code: string, path: string, message: string): FieldError {
  return { path: under(path), code, message };
}

function under(path: string): string {
  return path === '' ? 'args' : `args.${path}`;
}
