import { UnresolvedExpression } from './errors.js';
import type { PathExpression, RichExpression, RichRead } from './expression.js';
import { nearestNames } from './nearest-names.js';
import { ReadValues } from './read-values.js';
import type { LinkField } from './variables.js';

/**
 * What expressions can read. All values are JSON data; only own properties are read and nothing is copied, so a result
 * may share objects with the scope: treat both as frozen.
 */
export interface ExpressionScope {
  /**
   * Outputs by ref, of layers that ran (`ReadValues` for outputs that are not loaded whole); null for a layer that was
   * skipped, filtered or has no output.
   */
  readonly layers: ReadonlyMap<string, unknown>;
  /** Failures by ref, of the layers of `layers` that failed and were not the end of the play. */
  readonly errors?: ReadonlyMap<string, LayerError>;
  /** The run's arguments. */
  readonly args: unknown;
  /** Blueprint variables by name. */
  readonly blueprint: unknown;
  readonly play: PlayFacts;
  readonly flow: FlowFacts;
  readonly company: { readonly name: string };
  /** Only inside `forEach`. */
  readonly item?: unknown;
  readonly index?: number;
  /** Only where a module decides whether an answer has another page: the page before. */
  readonly page?: unknown;
  /** Only in a layer that repeats: the round and the output of the round before. */
  readonly repeat?: unknown;
  /** Of the layer's integration link: what stands for each field until the request is sent, never the field itself. */
  readonly link?: Readonly<Record<LinkField, string>>;
  /** Only in a trigger: the delivery. */
  readonly hook?: unknown;
  /** What a source gave: of triggers that read queues. */
  readonly message?: unknown;
  /** The values of the richer expressions; undefined for one that has no value. */
  readonly computed?: ReadonlyMap<RichExpression, unknown>;
}

/** What expressions read of the play; of a retry, what the play had that was retried first. */
export interface PlayFacts {
  readonly id: string;
  /** How it was started; null when that is not known any more. */
  readonly trigger?: string | null;
  readonly idempotencyKey?: string | null;
  /** The slot of the schedule that started it, in ISO 8601. */
  readonly scheduledFor?: string | null;
  /** In ISO 8601: the time of `$now()`. */
  readonly acceptedAt?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly approvals?: Readonly<Record<string, ApprovalLinksOf>>;
  /** By ref of a layer that waits for an event. */
  readonly events?: Readonly<Record<string, { readonly url: string }>>;
}

/** What expressions read of the version of the flow that runs. */
export interface FlowFacts {
  readonly id: string;
  readonly name: string;
  /** The users' own name for the flow, as it was when the version was saved. */
  readonly key: string | null;
  readonly version: number;
}

/** What a failed layer left. */
export interface LayerError {
  readonly code: string;
  readonly message: string;
  /** Calls that were made. */
  readonly attempts: number;
  /** Of the answer that was refused; null when it failed without one. */
  readonly statusCode: number | null;
  /** Of a loop: the position of the item that failed, from 0. */
  readonly item: number | null;
}

/** The link where a person decides an approval of the play, also before the play waits for it. */
export interface ApprovalLinksOf {
  readonly url: string;
  /** For each approver that the layer names by id: a decision made with this link counts as that person's. */
  readonly for: Readonly<Record<string, string>>;
}

/** Marks a missing value, which null does not. */
export const MISSING: unique symbol = Symbol('nothing');

/**
 * Follows a path. Null when the layer was skipped, whatever field of it is read, likewise for the error of a layer that
 * did not fail; MISSING when a part does not exist.
 */
export function resolve(path: PathExpression, scope: ExpressionScope): unknown {
  let value = start(path, scope);
  if (value === null && isOfLayer(path)) return null;
  if (value instanceof ReadValues) {
    const read = value.at(path.steps);
    return read === undefined ? MISSING : read;
  }
  for (const step of path.steps) {
    if (value === MISSING) return MISSING;
    value = field(value, step);
  }
  return value;
}

/** The value that a path starts from; MISSING when it does not exist. */
export function start(path: Pick<PathExpression, 'root' | 'ref'>, scope: ExpressionScope): unknown {
  switch (path.root) {
    case 'layer': {
      const out = scope.layers.get(path.ref);
      return out === undefined ? MISSING : out;
    }
    case 'errors':
      return scope.errors?.get(path.ref) ?? (scope.layers.has(path.ref) ? null : MISSING);
    case 'args':
      return scope.args ?? MISSING;
    case 'blueprint':
      return scope.blueprint ?? MISSING;
    case 'play':
      return scope.play;
    case 'flow':
      return scope.flow;
    case 'company':
      return scope.company;
    case 'item':
      return scope.item === undefined ? MISSING : scope.item;
    case 'index':
      return scope.index ?? MISSING;
    case 'page':
      return scope.page ?? MISSING;
    case 'repeat':
      return scope.repeat ?? MISSING;
    case 'link':
      return scope.link ?? MISSING;
    case 'hook':
      return scope.hook ?? MISSING;
    case 'message':
      return scope.message ?? MISSING;
  }
}

/** Whether it reads what a layer left. */
export function isOfLayer({ root }: Pick<PathExpression, 'root'>): boolean {
  return root === 'layer' || root === 'errors';
}

/** Own fields of objects, positions and `length` of lists; texts and numbers have no fields. */
function field(value: unknown, step: string | number): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return MISSING;
  const found = (value as Readonly<Record<string | number, unknown>>)[step];
  return found === undefined ? MISSING : found;
}

/** Follows the path again to report where it ends, and which names exist there. */
export function unresolved(path: PathExpression, scope: ExpressionScope): UnresolvedExpression {
  const where = path.at === '' ? '' : ` in ${path.at}`;
  const fail = (reason: string, nearest: readonly string[] = []): UnresolvedExpression =>
    new UnresolvedExpression(`${path.source}${where} leads to nothing: ${reason}`, path.source, path.at, nearest);

  let value = start(path, scope);
  if (value === MISSING) {
    if (isOfLayer(path)) {
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
  let owner =
    path.root === 'layer'
      ? path.ref
      : path.root === 'args'
        ? 'args'
        : path.root === 'errors'
          ? `$errors.${path.ref}`
          : `$${path.root}`;
  for (const step of path.steps) {
    const next = field(value, step);
    if (next === MISSING) {
      const names = namesOf(value);
      const name = String(step);
      const missing = typeof step === 'number' ? `no position ${step}` : `no field ${quote(name)}`;
      if (Array.isArray(value) && typeof step === 'string') {
        return fail(`${owner} is a list and has ${missing}; [${path.source}] is the list of those of its entries`);
      }
      const kind = names === null ? `${owner} is ${describe(value)}` : `${owner} has ${missing}`;
      return fail(`${kind}${instead(name, names ?? [])}`, nearestNames(name, names ?? []));
    }
    owner = typeof step === 'number' ? `${owner}[${step}]` : `${owner}.${shorten(step)}`;
    value = next;
  }
  return fail('it has no value');
}

/** Reports the first path in the expression that has no value, if there is one. */
export function unresolvedRich(expression: RichExpression, scope: ExpressionScope): UnresolvedExpression {
  const { source, at, reads } = expression;
  for (const read of reads) {
    const path: PathExpression = { kind: 'path', source: pathText(read), at, ...read };
    if (holdsNoList(path, scope) && resolve(path, scope) === MISSING) return unresolved(path, scope);
  }
  const where = at === '' ? '' : ` in ${at}`;
  return new UnresolvedExpression(`${shorten(source)}${where} leads to nothing`, source, at, []);
}

function pathText({ root, ref, steps }: RichRead): string {
  const from = { layer: `.${ref}`, errors: `$errors.${ref}`, args: '$prev.args' } as Partial<Record<string, string>>;
  return [from[root] ?? `$${root}`, ...steps].join('.');
}

/** In JSONata a field of a list is that of each of its items. */
function holdsNoList(path: PathExpression, scope: ExpressionScope): boolean {
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
