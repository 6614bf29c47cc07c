/** The input of the sandbox for richer expressions: the part of the scope that they read. */
import type { RichExpression, RichRead } from './expression.js';
import { ReadValues } from './read-values.js';
import { start, type ExpressionScope } from './resolve.js';

/** Variables by name, as JSONata reads them: `prev` with `args` and outputs by ref, and the others that are read. */
export function variablesOf(expressions: readonly RichExpression[], scope: ExpressionScope): Record<string, unknown> {
  const variables = empty();
  const previous = empty();
  const errors = empty();
  for (const [key, reads] of grouped(expressions)) {
    const [{ root, ref } = { root: 'args' as const, ref: '' }] = reads;
    const value = start({ root, ref }, scope);
    if (typeof value === 'symbol') continue;
    const paths = reads.map(({ steps }) => steps);
    const named = value instanceof ReadValues ? value.pick(paths) : pick(value, paths);
    if (root === 'layer' || root === 'args') previous[root === 'args' ? 'args' : ref] = named;
    else if (root === 'errors') errors[ref] = named;
    else variables[key] = named;
  }
  if (Object.keys(errors).length > 0) variables.errors = errors;
  variables.prev = previous;
  return variables;
}

/** Reads grouped by variable; those of `$prev` and `$errors` by the name that follows. */
function grouped(expressions: readonly RichExpression[]): ReadonlyMap<string, RichRead[]> {
  return Map.groupBy(
    expressions.flatMap(({ reads }) => reads),
    ({ root, ref }) => (root === 'layer' ? `.${ref}` : root === 'errors' ? `!${ref}` : root),
  );
}

/**
 * The value with only those of its fields that these paths go through. A list stays whole: a path means all of its
 * items.
 */
function pick(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (paths.some((path) => path.length === 0)) return value;
  const picked = empty();
  for (const [field, through] of Map.groupBy(paths, ([first]) => first as string)) {
    if (!Object.hasOwn(value, field)) continue;
    picked[field] = pick(
      (value as Readonly<Record<string, unknown>>)[field],
      through.map((path) => path.slice(1)),
    );
  }
  return picked;
}

/** Without a prototype, so that a field called __proto__ is an ordinary field. */
function empty(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}
