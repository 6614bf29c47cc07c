import { ExpressionSyntaxError, nearestNames, type CompiledValue } from '@weft/expressions';
import type { FieldError } from '@weft/kernel';
import type { z } from 'zod';
import { compileArgs } from './compiled-args.js';
import type { LayerModule } from './layer-module.js';
import { layerModules, moduleOf } from './registry.js';

/**
 * Checks the arguments of a layer that is being saved: what is not an expression must fit the module. Values that hold
 * expressions are known at run time only and are checked then. Codes `unknown_app` (path `appId`) and `invalid_args`
 * (paths `args…`); of expressions that cannot be read, `readLayer` tells.
 */
export function validateArgs(appId: string, args: unknown): FieldError[] {
  const module = moduleOf(appId);
  if (!module) return [unknownApp(appId)];
  const compiled = compiledOf(module, args);
  const parsed = module.argsSchema.safeParse(args);
  if (!compiled) return [];
  if (parsed.success) return inspected(module, args);
  return parsed.error.issues
    .filter((issue) => isCertain(issue, compiled))
    .map((issue) => ({ path: ['args', ...issue.path].join('.'), code: 'invalid_args', message: issue.message }));
}

function inspected(module: LayerModule<unknown>, args: unknown): FieldError[] {
  const fault = module.inspect?.(args as Readonly<Record<string, unknown>>);
  return fault ? [{ path: `args.${fault.path}`, code: 'invalid_args', message: fault.message }] : [];
}

function compiledOf(module: LayerModule<unknown>, args: unknown): CompiledValue | null {
  try {
    return compileArgs(module, args);
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
