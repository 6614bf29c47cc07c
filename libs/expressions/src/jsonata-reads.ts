/** Finds what a JSONata expression reads of our variables, and refuses what can have no meaning. */
import { MAX_PATH_PARTS, type RichRead } from './expression.js';
import type { JsonataFault } from './scan-jsonata.js';
import { JSONATA_FUNCTIONS } from './jsonata-functions.js';
import { childrenOf, type SyntaxNode } from './jsonata-tree.js';
import { checkVariable, unknownFunction, unknownVariable } from './variables.js';

export interface ReadingOf {
  /** The JSONata text. */
  readonly text: string;
  /** Whether names at the start of a path read the input; without an input they read nothing. */
  readonly hasInput: boolean;
  /** That can be read. */
  readonly variables: readonly string[];
  readonly fault: (message: string, position: number) => JsonataFault;
  /** Throws when a regular expression cannot be used. */
  readonly assertPattern: (pattern: RegExp) => void;
}

/** @throws JsonataFault */
export function readsOf(tree: SyntaxNode, of: ReadingOf): RichRead[] {
  const bound = new Set<string>();
  collectBound(tree, bound, of);
  const walk = new Walk(of, bound);
  walk.visit(tree, true);
  return walk.reads;
}

/** Names that the expression binds itself. */
function collectBound(node: SyntaxNode, bound: Set<string>, of: ReadingOf): void {
  const bind = (name: unknown): void => {
    if (typeof name !== 'string') return;
    if (of.variables.includes(name) && name !== 'item' && name !== 'index') {
      throw of.fault(`$${name} cannot be given another meaning`, startOf(node));
    }
    bound.add(name);
  };
  if (node.type === 'bind') bind((node.lhs as SyntaxNode).value);
  if (node.type === 'lambda') for (const parameter of node.arguments ?? []) bind(parameter.value);
  bind(node.focus);
  if (node.type === 'index') bind(node.value);
  bind(node.index);
  for (const child of childrenOf(node)) collectBound(child, bound, of);
}

class Walk {
  readonly reads: RichRead[] = [];
  private guarded = 0;

  constructor(
    private readonly of: ReadingOf,
    private readonly bound: ReadonlySet<string>,
  ) {}

  /** @param atRoot names here begin at the input, not at the items of a path */
  visit(node: SyntaxNode, atRoot: boolean): void {
    const { fault, assertPattern } = this.of;
    if (node.type === 'path') return this.visitPath(node, atRoot);
    if (node.type === 'variable') return this.visitVariable(node, [], atRoot);
    if (node.type === 'regex') {
      try {
        return assertPattern(node.value as RegExp);
      } catch (error) {
        throw fault(`${(error as Error).message}: patterns have no look-around and no back references`, startOf(node));
      }
    }
    if (atRoot && !this.of.hasInput && ['wildcard', 'descendant'].includes(node.type)) {
      throw fault('there is nothing here that it could mean the fields of', startOf(node));
    }
    if (node.type === 'function' || node.type === 'partial') return this.visitCall(node, atRoot);
    const own = node.type !== 'transform';
    for (const child of childrenOf(node)) this.visit(child, atRoot && own && !isPerItem(child, node));
  }

  private visitCall(node: SyntaxNode, atRoot: boolean): void {
    const { procedure } = node;
    this.refuseBareCall(node);
    this.refuseUnknownFunction(node);
    if (procedure) this.visit(procedure, atRoot);
    const guards = procedure?.type === 'variable' && procedure.value === 'exists';
    if (guards) this.guarded += 1;
    for (const child of childrenOf(node)) {
      if (child !== procedure) this.visit(child, atRoot && !isPerItem(child, node));
    }
    if (guards) this.guarded -= 1;
  }

  private refuseUnknownFunction({ procedure }: SyntaxNode): void {
    if (procedure?.type !== 'variable') return;
    const name = String(procedure.value);
    if (name === '' || name === '$' || this.bound.has(name) || this.of.variables.includes(name)) return;
    if (JSONATA_FUNCTIONS.includes(name)) return;
    throw this.of.fault(unknownFunction(name, JSONATA_FUNCTIONS), startOf(procedure));
  }

  private refuseBareCall({ procedure }: SyntaxNode): void {
    const last = procedure?.type === 'path' ? procedure.steps?.at(-1) : undefined;
    if (last?.type !== 'name') return;
    throw this.of.fault(`${String(last.value)} is no function: names of functions begin with $`, startOf(last));
  }

  private visitPath(path: SyntaxNode, atRoot: boolean): void {
    const steps = path.steps ?? [];
    if (steps.length > MAX_PATH_PARTS) {
      throw this.of.fault(`a path has at most ${MAX_PATH_PARTS} parts`, startOf(steps[MAX_PATH_PARTS] as SyntaxNode));
    }
    for (const step of steps) this.refuseBareCall(step);
    steps.forEach((step, i) => {
      if (i === 0 && step.type === 'variable') this.visitVariable(step, steps.slice(1), atRoot);
      else if (i === 0 && step.type === 'name') this.visitName(step, atRoot);
      else if (step.type !== 'name' && step.type !== 'sort') this.visit(step, atRoot && i === 0);
      else for (const child of childrenOf(step)) this.visit(child, false);
    });
    for (const child of childrenOf(path)) if (!steps.includes(child)) this.visit(child, false);
  }

  private visitName(step: SyntaxNode, atRoot: boolean): void {
    const { text, hasInput, fault } = this.of;
    if (atRoot && !hasInput) {
      const name = String(step.value);
      const start = startOf(step);
      const isHyphened = text[start - 1] === '-' && /[\p{L}\p{N}_`]/u.test(text[start - 2] ?? '');
      const hint = isHyphened
        ? `if - is no minus here, write the name in backticks: \`…-${name}\``
        : `a path begins with a dot or with $: write .${name}, or $prev.${name}`;
      throw fault(hint, start);
    }
    for (const child of childrenOf(step)) this.visit(child, false);
  }

  private visitVariable(variable: SyntaxNode, rest: readonly SyntaxNode[], atRoot: boolean): void {
    const name = String(variable.value);
    for (const child of childrenOf(variable)) {
      this.refuseName(child);
      this.visit(child, false);
    }
    const names = namesFrom(variable, rest);
    for (const step of rest) for (const stage of step.stages ?? []) this.refuseName(stage);
    if (this.bound.has(name) || name === '$') return;
    if (name === '') {
      if (atRoot && !this.of.hasInput && rest.length === 0) {
        throw this.of.fault('$ stands for the item of a path, and there is none here', startOf(variable));
      }
      return;
    }
    if (!this.of.variables.includes(name)) {
      if (JSONATA_FUNCTIONS.includes(name)) return;
      throw this.of.fault(unknownVariable(name, this.of.variables, JSONATA_FUNCTIONS), startOf(variable));
    }
    const refusal = checkVariable(name, names, rest.length);
    if (refusal !== null) throw this.of.fault(refusal, startOf(variable));
    this.note(name, names);
  }

  private note(name: string, steps: readonly string[]): void {
    const guarded = this.guarded > 0;
    if (name === 'errors') this.reads.push({ root: name, ref: steps[0] as string, steps: steps.slice(1), guarded });
    else if (name !== 'prev') this.reads.push({ root: name as RichRead['root'], ref: '', steps, guarded });
    else if (steps[0] === 'args') this.reads.push({ root: 'args', ref: '', steps: steps.slice(1), guarded });
    else this.reads.push({ root: 'layer', ref: steps[0] as string, steps: steps.slice(1), guarded });
  }

  /** `.a["b"]` is a field in a plain path, but always true in JSONata. */
  private refuseName(stage: SyntaxNode): void {
    const [inside] = childrenOf(stage);
    if (stage.type !== 'filter' || inside?.type !== 'string') return;
    const name = String(inside.value);
    throw this.of.fault(`["${name}"] is no field in an expression like this: write .\`${name}\``, startOf(inside));
  }
}

/** The plain names after a variable: it reads nothing outside of that path. */
function namesFrom(variable: SyntaxNode, rest: readonly SyntaxNode[]): string[] {
  const names: string[] = [];
  if (isMore(variable)) return names;
  for (const step of rest) {
    if (step.type !== 'name') break;
    names.push(String(step.value));
    if (isMore(step)) break;
  }
  return names;
}

function isMore({ stages, predicate, group, focus, index }: SyntaxNode): boolean {
  return [stages, predicate, group, focus, index].some((part) => part !== undefined);
}

/** Whether it is evaluated for each item of what precedes it. */
function isPerItem(child: SyntaxNode, { predicate, stages, group }: SyntaxNode): boolean {
  return [...(predicate ?? []), ...(stages ?? []), ...(group?.lhs.flat() ?? [])].includes(child);
}

/** Where the node's first token begins: JSONata gives the position of its end. */
function startOf({ position = 0, value, type }: SyntaxNode): number {
  const length = typeof value === 'string' ? value.length + (type === 'variable' ? 1 : 0) : 1;
  return Math.max(0, position - length);
}
