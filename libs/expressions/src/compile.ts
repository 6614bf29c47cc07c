import { ExpressionSyntaxError, type SyntaxFault } from './errors.js';
import { MAX_DEPTH, MAX_TEMPLATE_BYTES, type Expression } from './expression.js';
import { parseExpression } from './parse-expression.js';
import { ScanFault, Scanner } from './scan.js';

/** One place where an expression reads a layer's output. */
export interface LayerReference {
  /** Where in the value, in dots; '' for the value itself. */
  readonly path: string;
  readonly expression: string;
  readonly ref: string;
  /** What of the output it reads: fields and positions; empty = all of it. */
  readonly steps: readonly (string | number)[];
}

/** A JSON value with its expressions parsed. Immutable; compile once, evaluate often. */
export interface CompiledValue {
  /** True when there is nothing to evaluate: the value is its own result. */
  readonly constant: boolean;
  readonly refs: readonly LayerReference[];
  /** Where in the value the texts with expressions stand, in dots. */
  readonly expressionPaths: readonly string[];
  /** Where in the value `$item` or `$index` is read, in dots. */
  readonly itemPaths: readonly string[];
  readonly node: CompiledNode;
}

export type CompiledNode =
  | { readonly kind: 'constant'; readonly value: unknown }
  | { readonly kind: 'expression'; readonly expression: Expression }
  | { readonly kind: 'text'; readonly parts: readonly (string | Expression)[] }
  | { readonly kind: 'list'; readonly items: readonly CompiledNode[] }
  | { readonly kind: 'object'; readonly keys: readonly string[]; readonly values: readonly CompiledNode[] };

interface Findings {
  readonly faults: SyntaxFault[];
  readonly refs: LayerReference[];
  readonly expressionPaths: string[];
  readonly itemPaths: string[];
}

/**
 * Finds and parses the expressions in the texts of a JSON value, at any depth. Keys are never evaluated.
 * Throws ExpressionSyntaxError with every fault.
 */
export function compile(value: unknown): CompiledValue {
  const findings: Findings = { faults: [], refs: [], expressionPaths: [], itemPaths: [] };
  const node = compileNode(value, '', 0, findings);
  if (findings.faults.length > 0) throw new ExpressionSyntaxError(findings.faults);
  return {
    constant: node.kind === 'constant',
    refs: findings.refs,
    expressionPaths: findings.expressionPaths,
    itemPaths: findings.itemPaths,
    node,
  };
}

function compileNode(value: unknown, path: string, depth: number, findings: Findings): CompiledNode {
  if (typeof value === 'string') return compileText(value, path, findings);
  if (typeof value !== 'object' || value === null) return { kind: 'constant', value };
  if (depth >= MAX_DEPTH) {
    findings.faults.push({ path, message: `objects and lists may lie ${MAX_DEPTH} deep` });
    return { kind: 'constant', value };
  }
  if (Array.isArray(value)) {
    const items = value.map((item, i) => compileNode(item, join(path, String(i)), depth + 1, findings));
    return items.every(isConstant) ? { kind: 'constant', value } : { kind: 'list', items };
  }
  const keys = Object.keys(value);
  const record = value as Readonly<Record<string, unknown>>;
  const values = keys.map((key) => compileNode(record[key], join(path, key), depth + 1, findings));
  return values.every(isConstant) ? { kind: 'constant', value } : { kind: 'object', keys, values };
}

function compileText(text: string, path: string, findings: Findings): CompiledNode {
  let open = text.indexOf('{{');
  if (open === -1) return { kind: 'constant', value: text };
  findings.expressionPaths.push(path);
  if (isTooLong(text)) {
    findings.faults.push({ path, message: `a text with expressions has at most ${MAX_TEMPLATE_BYTES} bytes` });
    return { kind: 'constant', value: text };
  }
  const parts: (string | Expression)[] = [];
  let done = 0;
  while (open !== -1) {
    if (open > done) parts.push(text.slice(done, open));
    const scanner = new Scanner(text, open + 2);
    try {
      const expression = parseExpression(scanner, path);
      parts.push(expression);
      note(expression, path, findings);
    } catch (fault) {
      if (!(fault instanceof ScanFault)) throw fault;
      // One fault a text: what follows a misread expression can only be guessed.
      findings.faults.push({ path, message: `${fault.message} (character ${scanner.position + 1})` });
      return { kind: 'constant', value: text };
    }
    done = scanner.position;
    open = text.indexOf('{{', done);
  }
  if (done < text.length) parts.push(text.slice(done));
  const only = parts.length === 1 ? parts[0] : undefined;
  return typeof only === 'object' ? { kind: 'expression', expression: only } : { kind: 'text', parts };
}

function note(expression: Expression, path: string, { refs, itemPaths }: Findings): void {
  if (expression.kind !== 'path') return;
  const { root, source, ref, steps } = expression;
  if (root === 'layer') refs.push({ path, expression: source, ref, steps });
  if ((root === 'item' || root === 'index') && itemPaths.at(-1) !== path) itemPaths.push(path);
}

function isConstant(node: CompiledNode): boolean {
  return node.kind === 'constant';
}

/** No text of fewer than a third of the limit's characters can have more bytes: most are never encoded. */
function isTooLong(text: string): boolean {
  return text.length * 3 > MAX_TEMPLATE_BYTES && new TextEncoder().encode(text).byteLength > MAX_TEMPLATE_BYTES;
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
