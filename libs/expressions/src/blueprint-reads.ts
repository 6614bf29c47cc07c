import type { CompiledNode, CompiledValue } from './compile.js';
import type { Expression, RichExpression } from './expression.js';

/** A place where an expression reads a blueprint variable. */
export interface BlueprintRead {
  readonly name: string;
  /** Path in the value, in dots; '' for the value itself. */
  readonly path: string;
  /** Has a `??`: without the variable there is still a value. */
  readonly hasFallback: boolean;
}

/** Every place of a value that reads `{{ $blueprint.<name> }}`, in the value's order. */
export function blueprintReads({ node }: CompiledValue): BlueprintRead[] {
  const reads: BlueprintRead[] = [];
  const open: CompiledNode[] = [node];
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.kind === 'expression') addRead(next.expression, reads);
    else if (next.kind === 'text') addReads(next.parts, reads);
    else if (next.kind === 'list') for (const item of next.items.toReversed()) open.push(item);
    else if (next.kind === 'object') for (const value of next.values.toReversed()) open.push(value);
  }
  return reads;
}

function addReads(parts: readonly (string | Expression)[], reads: BlueprintRead[]): void {
  for (const part of parts) if (typeof part === 'object') addRead(part, reads);
}

function addRead(expression: Expression, reads: BlueprintRead[]): void {
  if (expression.kind === 'rich') return addRichReads(expression, reads);
  if (expression.kind !== 'path' || expression.root !== 'blueprint') return;
  const [name] = expression.steps;
  if (name === undefined) return; // reading all variables at once requires none in particular
  reads.push({ name: String(name), path: expression.at, hasFallback: expression.fallback !== undefined });
}

/** An expression that tests whether a variable exists (also by `??`) works without it. */
function addRichReads({ reads: all, at }: RichExpression, reads: BlueprintRead[]): void {
  const named = all.flatMap(({ root, steps: [name], guarded }) =>
    root === 'blueprint' && name !== undefined ? [{ name, guarded }] : [],
  );
  const optional = new Set(named.flatMap(({ name, guarded }) => (guarded ? [name] : [])));
  for (const name of new Set(named.map((read) => read.name))) {
    reads.push({ name, path: at, hasFallback: optional.has(name) });
  }
}

/** Those of the text of a program (the `expression` of a transform). */
export function blueprintReadsOf(program: RichExpression): BlueprintRead[] {
  const reads: BlueprintRead[] = [];
  addRichReads(program, reads);
  return reads;
}
