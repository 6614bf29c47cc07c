/** The part of JSONata's syntax tree that is read here. */
export interface SyntaxNode {
  readonly type: string;
  /** The text of names, variables and strings; the RegExp of a regular expression. */
  readonly value?: unknown;
  /** Position after the node's first token. */
  readonly position?: number;
  readonly steps?: readonly SyntaxNode[];
  readonly stages?: readonly SyntaxNode[];
  readonly predicate?: readonly SyntaxNode[];
  readonly group?: { readonly lhs: readonly (readonly SyntaxNode[])[] };
  /** Variables that a step binds (`@$v`, `#$i`). */
  readonly focus?: string;
  readonly index?: string;
  readonly procedure?: SyntaxNode;
  readonly arguments?: readonly SyntaxNode[];
  readonly lhs?: unknown;
}

/** The direct children, in order. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) collect(each);
    else if (isNode(value)) found.push(value);
    else if (isPlain(value)) for (const each of Object.values(value)) collect(each);
  };
  for (const [key, value] of Object.entries(node)) if (!NO_CHILDREN.includes(key)) collect(value);
  return found;
}

const NO_CHILDREN = ['value', 'slot', 'seekingParent', 'ancestor', 'signature', 'nextFunction'];

function isNode(value: unknown): value is SyntaxNode {
  return isPlain(value) && typeof value.type === 'string';
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof RegExp);
}
