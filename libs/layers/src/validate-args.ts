import { nearestNames } from '@weft/expressions';
import type { FieldError } from '@weft/kernel';
import type { z } from 'zod';
import { issueTexts } from './issue-text.js';
import type { LayerReading, LayerTexts } from './layer-reading.js';
import type { LayerModule } from './layer-module.js';
import { layerModules, moduleOf } from './registry.js';

/**
 * Validates the arguments of a layer that is being saved: what is not an expression must match the module's schema.
 * Values that contain expressions are known and checked only at run time. Codes `unknown_app` (path `appId`) and
 * `invalid_args` (paths `args…`); `readLayer` reports expressions that cannot be parsed.
 */
export function validateArgs({ appId, args }: LayerTexts, { expressionPaths }: LayerReading): FieldError[] {
  const module = moduleOf(appId);
  if (!module) return [unknownApp(appId)];
  if (!expressionPaths) return [];
  const parsed = module.argsSchema.safeParse(args);
  if (parsed.success) return inspected(module, args);
  const isCertain = certainty(expressionPaths);
  const subject = { schema: module.argsSchema, value: args, root: 'args' };
  const errors: FieldError[] = [];
  for (const issue of parsed.error.issues.slice(0, MAX_ISSUES)) {
    if (errors.length >= MAX_ERRORS) break;
    if (!isCertain(issue)) continue;
    for (const { path, message } of issueTexts(issue, subject)) {
      errors.push({ path: ['args', ...path].join('.'), code: 'invalid_args', message });
    }
  }
  return errors.length > 0 ? errors.slice(0, MAX_ERRORS) : inspected(module, args);
}

/** Further faults are not listed; they are reported when the layer runs. */
const MAX_ERRORS = 50;
const MAX_ISSUES = 500;

function inspected(module: LayerModule<unknown>, args: unknown): FieldError[] {
  if (typeof args !== 'object' || args === null) return [];
  const fault = module.inspect?.(args as Readonly<Record<string, unknown>>);
  return fault ? [{ path: `args.${fault.path}`, code: 'invalid_args', message: fault.message }] : [];
}

/** False for issues that depend on the value of an expression. */
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
