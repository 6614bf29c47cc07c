import { ExpressionSyntaxError, type SyntaxFault } from './errors.js';
import { MAX_DEPTH, MAX_TEMPLATE_BYTES, type Expression, type RichExpression } from './expression.js';
import { parseExpression } from './parse-expression.js';
import { parseRich } from './parse-jsonata.js';
import { JsonataFault } from './scan-jsonata.js';
import { ScanFault, Scanner } from './scan.js';

/** One place where an expression reads a layer's output. */
export interface LayerReference {
  /** Where in the value, in dots; '' for the value itself. */
  readonly path: string;
  readonly expression: string;
  readonly ref: string;
  /** What of the output a plain path reads: fields and positions; empty = all of it. For richer ones see their own reads. */
  readonly steps?: readonly (string | number)[];
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
  /** Those that have to be evaluated before the value is; mostly none. */
  readonly rich: readonly RichExpression[];
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
  readonly rich: RichExpression[];
  readonly literal: readonly string[];
  /** Of richer expressions, with what JSONata's parser makes of them. */
  richChars: number;
}

/**
 * Finds and parses the expressions in the texts of a JSON value, at any depth. Keys are never evaluated.
 * Throws ExpressionSyntaxError with every fault.
 *
 * @param literal fields of the value that are taken as they are, braces and all
 */
export function compile(value: unknown, literal: readonly string[] = []): CompiledValue {
  const findings: Findings = {
    faults: [],
    refs: [],
    expressionPaths: [],
    itemPaths: [],
    rich: [],
    literal,
    richChars: 0,
  };
  const node = compileNode(value, '', 0, findings);
  if (findings.faults.length > 0) throw new ExpressionSyntaxError(findings.faults);
  return {
    constant: node.kind === 'constant',
    refs: findings.refs,
    expressionPaths: findings.expressionPaths,
    itemPaths: findings.itemPaths,
    rich: findings.rich,
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
  const isLiteral = (key: string): boolean => depth === 0 && findings.literal.includes(key);
  const values = keys.map((key): CompiledNode => {
    if (isLiteral(key)) return { kind: 'constant', value: record[key] };
    return compileNode(record[key], join(path, key), depth + 1, findings);
  });
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
    const read = readExpression(text, open + 2, path, findings);
    if ('fault' in read) {
      // One fault a text: what follows a misread expression can only be guessed.
      findings.faults.push({ path, message: `${read.fault} (character ${read.position + 1})` });
      return { kind: 'constant', value: text };
    }
    parts.push(read.expression);
    note(read.expression, path, findings);
    done = read.end;
    open = text.indexOf('{{', done);
  }
  if (done < text.length) parts.push(text.slice(done));
  const only = parts.length === 1 ? parts[0] : undefined;
  return typeof only === 'object' ? { kind: 'expression', expression: only } : { kind: 'text', parts };
}

/**
 * Of the expressions of one value that are more than paths. They are parsed where the process can do nothing else meanwhile: a
 * request may not hold it for long.
 */
const MAX_RICH_CHARS = 131_072;
/** The smallest takes as long as so many characters of a large one. */
const CHARS_OF_ANY = 50;

function charge(findings: Findings, chars: number, position: number): void {
  findings.richChars += chars + CHARS_OF_ANY;
  if (findings.richChars <= MAX_RICH_CHARS) return;
  const message = `what is more than paths in one layer has at most ${MAX_RICH_CHARS} characters, with what ?? and ?: repeat of it`;
  throw new JsonataFault(message, position, true);
}

type Read =
  { readonly expression: Expression; readonly end: number } | { readonly fault: string; readonly position: number };

/** What is no plain path is richer; where neither can be read, the reading that came further tells why. */
function readExpression(text: string, start: number, at: string, findings: Findings): Read {
  const scanner = new Scanner(text, start);
  try {
    const expression = parseExpression(scanner, at);
    return { expression, end: scanner.position };
  } catch (fault) {
    if (!(fault instanceof ScanFault)) throw fault;
    try {
      return parseRich(text, start, at, (chars) => charge(findings, chars, start));
    } catch (other) {
      if (!(other instanceof JsonataFault)) throw other;
      return other.isMeant || other.position > scanner.position
        ? { fault: other.message, position: other.position }
        : { fault: fault.message, position: scanner.position };
    }
  }
}

function note(expression: Expression, path: string, findings: Findings): void {
  if (expression.kind === 'literal') return;
  const { refs, itemPaths, rich } = findings;
  if (expression.kind === 'rich') rich.push(expression);
  const reads = expression.kind === 'rich' ? expression.reads : [expression];
  const refsBefore = refs.length;
  for (const { root, ref, steps } of reads) {
    const isNew = !refs.slice(refsBefore).some((known) => known.ref === ref);
    if (root === 'layer' && isNew) {
      refs.push({ path, expression: expression.source, ref, ...(expression.kind === 'path' && { steps }) });
    }
    if ((root === 'item' || root === 'index') && itemPaths.at(-1) !== path) itemPaths.push(path);
  }
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
