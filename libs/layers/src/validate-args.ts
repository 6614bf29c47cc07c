import { nearestNames } from '@weft/expressions';
import type { FieldError } from '@weft/kernel';
import type { z } from 'zod';
import type { LayerReading, LayerTexts } from './layer-reading.js';
import type { LayerModule } from './layer-module.js';
import { layerModules, moduleOf } from './registry.js';

/**
 * Checks the arguments of a layer that is being saved: what is not an expression must fit the module. Values that hold
 * expressions are known at run time only and are checked then. Codes `unknown_app` (path `appId`) and `invalid_args`
 * (paths `args…`); of expressions that cannot be read, `readLayer` tells.
 */
export function validateArgs({ appId, args }: LayerTexts, { expressionPaths }: LayerReading): FieldError[] {
  const module = moduleOf(appId);
  if (!module) return [unknownApp(appId)];
  if (!expressionPaths) return [];
  const parsed = module.argsSchema.safeParse(args);
  if (parsed.success) return inspected(module, args);
  const isCertain = certainty(expressionPaths);
  const errors: FieldError[] = [];
  for (const issue of parsed.error.issues.slice(0, MAX_ISSUES)) {
    if (errors.length >= MAX_ERRORS) break;
    if (!isCertain(issue)) continue;
    errors.push({ path: ['args', ...issue.path].join('.'), code: 'invalid_args', message: issue.message });
  }
  return errors;
}

/** More of them are not named; the layer is told of them when it runs. */
const MAX_ERRORS = 50;
const MAX_ISSUES = 500;

function inspected(module: LayerModule<unknown>, args: unknown): FieldError[] {
  const fault = module.inspect?.(args as Readonly<Record<string, unknown>>);
  return fault ? [{ path: `args.${fault.path}`, code: 'invalid_args', message: fault.message }] : [];
}

/** Says no of issues where an expression decides whether there is one. */
function certainty(expressionPaths: readonly string[]): (issue: z.core.$ZodIssue) => boolean {
  const expressions = new Set(expressionPaths);
  const around = new Set(expressionPaths.flatMap(pathsAround));
  return ({ path: parts, code }) => {
    const path = parts.join('.');
    if (expressions.has(path) || pathsAround(path).some((each) => expressions.has(each))) return false;
    return (code !== 'invalid_union' && code !== 'custom') || !around.has(path);
  };
}

/** `a.b.c` → `''`, `a`, `a.b`. */
function pathsAround(path: string): string[] {
  const around = path === '' ? [] : [''];
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) around.push(path.slice(0, dot));
  return around;
}

function unknownApp(appId: string): FieldError {
  const near = nearestNames(appId, layerModules.keys());
  const known = (near.length > 0 ? near : [...layerModules.keys()]).join(', ');
  const message =
    near.length > 0 ? `there is no such module; did you mean ${known}?` : `there is no such module; there are ${known}`;
  return { path: 'appId', code: 'unknown_app', message };
}
