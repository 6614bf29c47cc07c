import { compile, ExpressionSyntaxError, nearestNames, type CompiledValue } from '@weft/expressions';
import type { FieldError } from '@weft/kernel';
import type { z } from 'zod';
import { layerModules, moduleOf } from './registry.js';

/**
 * Checks the arguments of a layer that is being saved: what is not an expression must fit the module. Values that hold
 * expressions are known at run time only and are checked then. Codes `unknown_app` (path `appId`) and `invalid_args`
 * (paths `args…`); of expressions that cannot be read, `readLayer` tells.
 */
export function validateArgs(appId: string, args: unknown): FieldError[] {
  const module = moduleOf(appId);
  if (!module) return [unknownApp(appId)];
  const compiled = compiledOf(args);
  const parsed = module.argsSchema.safeParse(args);
  if (!compiled || parsed.success) return [];
  return parsed.error.issues
    .filter((issue) => isCertain(issue, compiled))
    .map((issue) => ({ path: ['args', ...issue.path].join('.'), code: 'invalid_args', message: issue.message }));
}

function compiledOf(args: unknown): CompiledValue | null {
  try {
    return compile(args);
  } catch (error) {
    if (error instanceof ExpressionSyntaxError) return null;
    throw error;
  }
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
