import type { SyntaxNode } from './jsonata-tree.js';

/**
 * How an expression gives a JSONata sequence: several values are a list, one is given as itself, without a value there is nothing. `path`: along
 * a path, for which the data decides; `filter`: by a filter, or another operator that takes values from a list.
 */
export type Sequence = 'filter' | 'path';

/** Functions whose results are sequences. */
const GIVING: ReadonlySet<string> = new Set(['filter', 'map', 'each', 'keys', 'match', 'spread', 'lookup']);
const TAKING: ReadonlySet<string> = new Set(['sort', 'wildcard', 'descendant', 'parent', 'block']);

/** Null: it gives the same kind of value whatever the data are. */
export function givesSequence(node: unknown): Sequence | null {
  const { type, steps, expressions, procedure, then, predicate, keepArray, ...rest } = node as Node;
  if (keepArray) return null;
  if (predicate && type !== 'path') return ofFilters(predicate);
  switch (type) {
    case 'path':
      return ofPath(node as Node, steps ?? []);
    case 'function':
      return procedure?.type === 'variable' && GIVING.has(String(procedure.value)) ? 'filter' : null;
    case 'apply':
    case 'bind':
      return givesSequence(rest.rhs);
    case 'condition':
      return either(givesSequence(then), rest.else === undefined ? null : givesSequence(rest.else));
    case 'block':
      return givesSequence(expressions?.at(-1) ?? {});
    case 'wildcard':
    case 'descendant':
      return 'filter';
    default:
      return null;
  }
}

type Node = SyntaxNode & {
  readonly keepSingletonArray?: boolean;
  readonly keepArray?: boolean;
  readonly expr?: SyntaxNode;
  readonly expressions?: readonly unknown[];
  readonly then?: unknown;
  readonly else?: unknown;
  readonly rhs?: unknown;
};

/** The last of its operators decides: `[0]` after a filter gives one value. */
function ofPath(path: Node, steps: readonly SyntaxNode[]): Sequence | null {
  if (path.keepSingletonArray || path.group) return null;
  return steps.reduce<Sequence>((before, step, i) => {
    const own = (i > 0 && TAKING.has(step.type)) || givesFromCall(step) ? 'filter' : before;
    const filters = [...(step.predicate ?? []), ...(step.stages ?? [])];
    return filters.length > 0 ? ofFilters(filters) : own;
  }, 'path');
}

function givesFromCall(step: SyntaxNode): boolean {
  return step.type === 'function' && givesSequence(step) !== null;
}

function ofFilters(filters: readonly SyntaxNode[]): Sequence {
  const last: Node | undefined = filters.findLast(({ type }) => type === 'filter');
  return last?.expr?.type === 'number' || last === undefined ? 'path' : 'filter';
}

function either(one: Sequence | null, other: Sequence | null): Sequence | null {
  return one === 'filter' || other === 'filter' ? 'filter' : (one ?? other);
}
