/** Names of functions that repaired trees call. No expression can contain them: they have spaces. */
export const EXISTS_FUNCTION = 'is there';
export const CLONE_FUNCTION = 'own clone';
export const WITHIN_CLONE_FUNCTION = 'of the clone';

interface SyntaxNode {
  readonly type?: unknown;
  readonly value?: unknown;
  readonly position?: number;
  readonly pattern?: SyntaxNode;
  readonly condition?: SyntaxNode;
  readonly then?: SyntaxNode;
  readonly arguments?: readonly SyntaxNode[];
}

/**
 * Repairs three faults of JSONata's syntax tree:
 * - `a ?? b` must give b also when `a` is null, as in plain paths. JSONata's parser turns it into `$exists(a) ? a : b`, with a
 *   variable that does not occur in the text.
 * - The parser copies that `a` (and that of `?:`) as JSON, which loses regular expressions.
 * - A transform writes to whatever its pattern finds, also outside of its copy.
 */
export function repairTree(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node)) return node.forEach(repairTree);
  const { type, value, position, condition, then } = node as SyntaxNode;
  if (type === 'variable' && value === 'exists' && position === undefined)
    Object.assign(node, { value: EXISTS_FUNCTION });
  if (type === 'condition') for (const copy of [condition, condition?.arguments?.[0]]) restorePatterns(copy, then);
  for (const [key, child] of Object.entries(node)) if (!isBackReference(key)) repairTree(child);
  if (type === 'transform') confineTransform(node);
}

/** `|pattern|…|` becomes `($clone := <the built-in one>; |<only objects within the clone>(pattern, $)|…|)`. */
function confineTransform(node: SyntaxNode): void {
  const { position, pattern } = node;
  const variable = (name: string): object => ({ type: 'variable', value: name, position });
  const call = { type: 'function', value: '(', position, procedure: variable(WITHIN_CLONE_FUNCTION) };
  const transform = { ...node, pattern: { ...call, arguments: [pattern, variable('')] } };
  const clone = { type: 'bind', value: ':=', position, lhs: variable('clone'), rhs: variable(CLONE_FUNCTION) };
  for (const key of Object.keys(node)) Reflect.deleteProperty(node, key);
  Object.assign(node, { type: 'block', position, expressions: [clone, transform] });
}

function restorePatterns(copy: unknown, original: unknown): void {
  if (typeof copy !== 'object' || copy === null || typeof original !== 'object' || original === null) return;
  const [from, to] = [original as SyntaxNode, copy as SyntaxNode];
  if (from.type !== to.type) return;
  if (to.type === 'regex') {
    if (!(to.value instanceof RegExp)) Object.assign(to, { value: from.value });
    return;
  }
  for (const [key, child] of Object.entries(to)) {
    if (!isBackReference(key)) restorePatterns(child, (from as Record<string, unknown>)[key]);
  }
}

/** Fields of a node that refer back to other nodes. */
function isBackReference(key: string): boolean {
  return key.startsWith('seeking') || key === 'ancestor' || key === 'slot';
}
