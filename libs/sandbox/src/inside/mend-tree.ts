/** What the mended trees call: no names that an expression can say. */
export const IS_THERE = 'is there';
export const OWN_CLONE = 'own clone';
export const OF_CLONE = 'of the clone';

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
 * Makes three things of the tree right. `a ?? b` gives b for an `a` that is null, too, as it does in plain paths: JSONata's parser
 * makes `$exists(a) ? a : b` of it, with a variable that stands nowhere in the text. And it copies that `a` (of `?:` likewise)
 * as JSON, where patterns are lost. And a transform writes onto whatever its pattern gives.
 */
export function mend(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  if (Array.isArray(node)) return node.forEach(mend);
  const { type, value, position, condition, then } = node as SyntaxNode;
  if (type === 'variable' && value === 'exists' && position === undefined) Object.assign(node, { value: IS_THERE });
  if (type === 'condition') for (const copy of [condition, condition?.arguments?.[0]]) restorePatterns(copy, then);
  for (const [key, child] of Object.entries(node)) if (!isElsewhere(key)) mend(child);
  if (type === 'transform') boundTransform(node);
}

/** `|pattern|…|` becomes `($clone := <the real one>; |<no more than what is in the clone>(pattern, $)|…|)`. */
function boundTransform(node: SyntaxNode): void {
  const { position, pattern } = node;
  const variable = (name: string): object => ({ type: 'variable', value: name, position });
  const call = { type: 'function', value: '(', position, procedure: variable(OF_CLONE) };
  const transform = { ...node, pattern: { ...call, arguments: [pattern, variable('')] } };
  const clone = { type: 'bind', value: ':=', position, lhs: variable('clone'), rhs: variable(OWN_CLONE) };
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
    if (!isElsewhere(key)) restorePatterns(child, (from as Record<string, unknown>)[key]);
  }
}

/** Fields of a node that lead back to others. */
function isElsewhere(key: string): boolean {
  return key.startsWith('seeking') || key === 'ancestor' || key === 'slot';
}
