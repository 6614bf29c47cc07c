import { UnresolvedExpression } from './errors.js';
import type { PathExpression, RichExpression, RichRead } from './expression.js';
import { nearestNames } from './nearest-names.js';
import { ReadValues } from './read-values.js';

/**
 * What expressions can read. All values are JSON data; they are read by own properties only and never copied, so a result may
 * share objects with the scope: treat both as frozen.
 */
export interface Scope {
  /** Outputs by ref, of layers that ran (`ReadValues` of those that are not at hand as a whole); null for a layer that was skipped, filtered or left without output. */
  readonly layers: ReadonlyMap<string, unknown>;
  /** The run's arguments. */
  readonly args: unknown;
  /** Blueprint variables by name. */
  readonly blueprint: unknown;
  readonly play: { readonly id: string; readonly approvals?: Readonly<Record<string, ApprovalLinksOf>> };
  readonly flow: { readonly name: string };
  readonly company: { readonly name: string };
  /** Inside `forEach` only. */
  readonly item?: unknown;
  readonly index?: number;
  /** What the richer expressions of the value give; undefined for one that leads to nothing. */
  readonly computed?: ReadonlyMap<RichExpression, unknown>;
}

/** Where a person decides an approval of the play, also before the play waits for it. */
export interface ApprovalLinksOf {
  readonly url: string;
  /** Of each approver that the layer names by id: who decides with it decides as that one. */
  readonly for: Readonly<Record<string, string>>;
}

/** Stands for "leads to nothing", which null does not. */
export const NOTHING: unique symbol = Symbol('nothing');

/** Walks a path. Null where the layer was skipped, whatever field of it is asked for; NOTHING where a part is missing. */
export function resolve(path: PathExpression, scope: Scope): unknown {
  let value = start(path, scope);
  if (value === null && path.root === 'layer') return null;
  if (value instanceof ReadValues) {
    const read = value.at(path.steps);
    return read === undefined ? NOTHING : read;
  }
  for (const step of path.steps) {
    if (value === NOTHING) return NOTHING;
    value = field(value, step);
  }
  return value;
}

/** What a path starts from; NOTHING where there is no such thing. */
export function start(path: Pick<PathExpression, 'root' | 'ref'>, scope: Scope): unknown {
  switch (path.root) {
    case 'layer': {
      const out = scope.layers.get(path.ref);
      return out === undefined ? NOTHING : out;
    }
    case 'args':
      return scope.args ?? NOTHING;
    case 'blueprint':
      return scope.blueprint ?? NOTHING;
    case 'play':
      return scope.play;
    case 'flow':
      return scope.flow;
    case 'company':
      return scope.company;
    case 'item':
      return scope.item === undefined ? NOTHING : scope.item;
    case 'index':
      return scope.index ?? NOTHING;
  }
}

/** Own fields of objects, positions and `length` of lists, and nothing of anything else: texts and numbers have no fields. */
function field(value: unknown, step: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return NOTHING;
  const found = (value as Readonly<Record<string | number, unknown>>)[step];
  return found === undefined ? NOTHING : found;
}

/** Walks once more to tell where it ends, and what is there instead. */
export function unresolved(path: PathExpression, scope: Scope): UnresolvedExpression {
  const where = path.at === '' ? '' : ` in ${path.at}`;
  const fail = (reason: string, nearest: readonly string[] = []): UnresolvedExpression =>
    new UnresolvedExpression(`${path.source}${where} leads to nothing: ${reason}`, path.source, path.at, nearest);

  let value = start(path, scope);
  if (value === NOTHING) {
    if (path.root === 'layer') {
      const refs = [...scope.layers.keys()];
      return fail(
        `no earlier layer has the ref ${quote(path.ref)}${instead(path.ref, refs)}`,
        nearestNames(path.ref, refs),
      );
    }
    return fail(
      path.root === 'item' || path.root === 'index' ? `$${path.root} exists inside forEach only` : 'there are none',
    );
  }
  if (value instanceof ReadValues) return fail(`the output of ${quote(path.ref)} has nothing there`);
  let owner = path.root === 'layer' ? path.ref : path.root === 'args' ? 'args' : `$${path.root}`;
  for (const step of path.steps) {
    const next = field(value, step);
    if (next === NOTHING) {
      const names = namesOf(value);
      const name = String(step);
      const missing = typeof step === 'number' ? `no position ${step}` : `no field ${quote(name)}`;
      const kind = names === null ? `${owner} is ${describe(value)}` : `${owner} has ${missing}`;
      return fail(`${kind}${instead(name, names ?? [])}`, nearestNames(name, names ?? []));
    }
    owner = typeof step === 'number' ? `${owner}[${step}]` : `${owner}.${shorten(step)}`;
    value = next;
  }
  return fail('it has no value');
}

/** Names the first path in it that leads nowhere, where there is one. */
export function unresolvedRich(expression: RichExpression, scope: Scope): UnresolvedExpression {
  const { source, at, reads } = expression;
  for (const read of reads) {
    const path: PathExpression = { kind: 'path', source: pathText(read), at, ...read };
    if (holdsNoList(path, scope) && resolve(path, scope) === NOTHING) return unresolved(path, scope);
  }
  const where = at === '' ? '' : ` in ${at}`;
  return new UnresolvedExpression(`${shorten(source)}${where} leads to nothing`, source, at, []);
}

function pathText({ root, ref, steps }: RichRead): string {
  return [root === 'layer' ? `.${ref}` : root === 'args' ? '$prev.args' : `$${root}`, ...steps].join('.');
}

/** In JSONata a field of a list is that of each of its items. */
function holdsNoList(path: PathExpression, scope: Scope): boolean {
  return path.steps.every((_, i) => !Array.isArray(resolve({ ...path, steps: path.steps.slice(0, i) }, scope)));
}

function namesOf(value: unknown): readonly string[] | null {
  if (typeof value !== 'object' || value === null) return null;
  return Array.isArray(value) ? [] : Object.keys(value);
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'string' ? 'a text and has no fields' : `a ${typeof value} and has no fields`;
}

const MAX_LISTED = 10;

function instead(name: string, names: readonly string[]): string {
  const near = nearestNames(name, names);
  if (near.length > 0) return `; did you mean ${near.map(quote).join(' or ')}?`;
  if (names.length === 0) return '';
  const listed = names.slice(0, MAX_LISTED).map(quote).join(', ');
  return `; there ${names.length === 1 ? 'is' : 'are'} ${listed}${names.length > MAX_LISTED ? ' and others' : ''}`;
}

function quote(name: string): string {
  return `"${shorten(name)}"`;
}

function shorten(name: string): string {
  return name.length > 64 ? `${name.slice(0, 63)}…` : name;
}
