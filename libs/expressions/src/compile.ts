import { ExpressionSyntaxError, type SyntaxFault } from './errors.js';
import { MAX_DEPTH, MAX_PATH_CHARS, MAX_TEMPLATE_BYTES, type Expression, type RichExpression } from './expression.js';
import { parseExpression } from './parse-expression.js';
import { parseRich } from './parse-jsonata.js';
import { RichBudget } from './rich-budget.js';
import { JsonataFault } from './scan-jsonata.js';
import { ScanFault, Scanner } from './scan.js';
import { LINK, VARIABLES } from './variables.js';

/** A place where an expression reads a layer's output, or its error. */
export interface LayerReference {
  /** Path in the value, in dots; '' for the value itself. */
  readonly path: string;
  readonly expression: string;
  readonly ref: string;
  /**
   * The part of the output that a plain path reads: fields and positions; empty: all of it. Richer expressions have
   * `reads` instead.
   */
  readonly steps?: readonly (string | number)[];
  /** It reads the layer's error, and nothing of its output. */
  readonly ofError?: true;
}

/** A JSON value with its expressions parsed. Immutable; compile it once, evaluate it often. */
export interface CompiledValue {
  /** True when there is nothing to evaluate: the value is its own result. */
  readonly constant: boolean;
  readonly refs: readonly LayerReference[];
  /** Paths of the texts with expressions, in dots. */
  readonly expressionPaths: readonly string[];
  /** Paths where `$item` or `$index` is read, in dots. */
  readonly itemPaths: readonly string[];
  /** Paths of values that are a list only when a filter finds several, in dots. */
  readonly sequencePaths: readonly string[];
  /** Expressions that must be evaluated before the value is; usually none. */
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
  readonly sequencePaths: string[];
  readonly rich: RichExpression[];
  readonly literal: readonly string[];
  readonly budget: RichBudget;
  readonly variables: readonly string[];
  readonly linkPlaces: readonly string[];
}

/**
 * Finds and parses the expressions in the texts of a JSON value, at any depth. Keys are never evaluated. Throws
 * ExpressionSyntaxError with all faults, up to a number that is more than people read.
 *
 * @param literal fields of the value that are taken as they are, braces included: names, or paths in dots with `*` for any position
 * @param budget of a layer, which its values share
 * @param variables that can be read
 * @param linkPlaces fields of the value within which plain paths may read `$link`
 */
export function compile(
  value: unknown,
  literal: readonly string[] = [],
  budget: RichBudget = new RichBudget(),
  variables: readonly string[] = VARIABLES,
  linkPlaces: readonly string[] = [],
): CompiledValue {
  const findings: Findings = {
    faults: [],
    refs: [],
    expressionPaths: [],
    itemPaths: [],
    sequencePaths: [],
    rich: [],
    literal,
    budget,
    variables,
    linkPlaces,
  };
  const node = compileNode(value, '', 0, findings);
  if (findings.faults.length > 0) throw new ExpressionSyntaxError(findings.faults);
  return {
    constant: node.kind === 'constant',
    refs: findings.refs,
    expressionPaths: findings.expressionPaths,
    itemPaths: findings.itemPaths,
    sequencePaths: findings.sequencePaths,
    rich: findings.rich,
    node,
  };
}

function compileNode(value: unknown, path: string, depth: number, findings: Findings): CompiledNode {
  if (typeof value === 'string') return compileText(value, path, findings);
  if (typeof value !== 'object' || value === null) return { kind: 'constant', value };
  if (depth >= MAX_DEPTH) {
    addFault(findings, path, `objects and lists may lie ${MAX_DEPTH} deep`);
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
  if (open === -1 || isWithin(path, findings.literal)) return { kind: 'constant', value: text };
  if (path.length > MAX_PATH_CHARS) {
    addFault(
      findings,
      `${path.slice(0, MAX_PATH_CHARS)}…`,
      `the names that lead to an expression have at most ${MAX_PATH_CHARS} characters`,
    );
    return { kind: 'constant', value: text };
  }
  findings.expressionPaths.push(path);
  if (isTooLong(text)) {
    addFault(findings, path, `a text with expressions has at most ${MAX_TEMPLATE_BYTES} bytes`);
    return { kind: 'constant', value: text };
  }
  const parts: (string | Expression)[] = [];
  let done = 0;
  while (open !== -1) {
    if (open > done) parts.push(text.slice(done, open));
    const read = readExpression(text, open + 2, path, findings);
    if ('fault' in read) {
      // one fault a text: what follows a misread expression can only be guessed
      addFault(findings, path, `${read.fault} (character ${read.position + 1})`);
      return { kind: 'constant', value: text };
    }
    parts.push(read.expression);
    note(read.expression, path, findings);
    done = read.end;
    open = text.indexOf('{{', done);
  }
  if (done < text.length) parts.push(text.slice(done));
  const only = parts.length === 1 ? parts[0] : undefined;
  if (typeof only !== 'object') return { kind: 'text', parts };
  if (only.kind === 'rich' && only.sequence === 'filter') findings.sequencePaths.push(path);
  return { kind: 'expression', expression: only };
}

/** The search for faults stops after this many. */
const MAX_FAULTS = 50;

/** @throws ExpressionSyntaxError when there are too many */
function addFault({ faults }: Findings, path: string, message: string): void {
  faults.push({ path, message });
  if (faults.length >= MAX_FAULTS) throw new ExpressionSyntaxError(faults);
}

type Read =
  { readonly expression: Expression; readonly end: number } | { readonly fault: string; readonly position: number };

/**
 * An expression that is not a plain path is richer; when neither can be parsed, the parser that got further gives the
 * fault.
 */
function readExpression(text: string, start: number, at: string, findings: Findings): Read {
  const scanner = new Scanner(text, start);
  const isForLink = findings.linkPlaces.some((place) => at.startsWith(`${place}.`));
  try {
    const expression = parseExpression(scanner, at, isForLink ? [...findings.variables, LINK] : findings.variables);
    return { expression, end: scanner.position };
  } catch (fault) {
    if (!(fault instanceof ScanFault)) throw fault;
    if (fault.isMeant) return { fault: fault.message, position: scanner.position };
    try {
      return parseRich(text, start, at, (chars) => findings.budget.charge(chars, start), findings.variables);
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
  const known = new Set<string>();
  const readError = new Set<string>();
  for (const { root, ref, steps } of reads) {
    if (root === 'layer' && !known.has(ref)) {
      known.add(ref);
      refs.push({ path, expression: expression.source, ref, ...(expression.kind === 'path' && { steps }) });
    }
    if (root === 'errors' && !readError.has(ref)) {
      readError.add(ref);
      refs.push({ path, expression: expression.source, ref, ofError: true });
    }
    if ((root === 'item' || root === 'index') && itemPaths.at(-1) !== path) itemPaths.push(path);
  }
}

function isWithin(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    if (!pattern.includes('*')) return false;
    const [steps, wanted] = [path.split('.'), pattern.split('.')];
    return steps.length === wanted.length && wanted.every((name, at) => name === steps[at] || name === '*');
  });
}

function isConstant(node: CompiledNode): boolean {
  return node.kind === 'constant';
}

/** A text with fewer than a third of the limit's characters cannot have more bytes: most texts are never encoded. */
function isTooLong(text: string): boolean {
  return text.length * 3 > MAX_TEMPLATE_BYTES && new TextEncoder().encode(text).byteLength > MAX_TEMPLATE_BYTES;
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
