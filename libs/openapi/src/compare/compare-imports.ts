import { canonicalJson } from '../json.js';
import type { Operation, OperationPlan } from '../operations/plan.js';
import { compareSchemas, type Change } from './compare-schemas.js';

export interface OperationDifference {
  readonly operation: string;
  /** `changed`: a flow that uses it goes on as before; `breaking`: it may not. An operation without a difference is not listed. */
  readonly result: 'added' | 'removed' | 'changed' | 'breaking';
  readonly changes: readonly Change[];
}

/** Parts of a plan of which another one may be refused by the link or the server. */
const BREAKING = ['servers', 'security'] as const;
/** Weft sends args in the new way: what a flow says of them stays. */
const HARMLESS = ['method', 'path', 'params'] as const;

/** What differs between two imports of one document, by the names of operations. */
export function compareImports(
  before: Iterable<Operation>,
  after: Iterable<Operation>,
): readonly OperationDifference[] {
  const was = new Map(Array.from(before, (each) => [each.name, each]));
  const is = new Map(Array.from(after, (each) => [each.name, each]));
  const removed = [...was.keys()].filter((name) => !is.has(name));
  const differences = [...is.values()].flatMap((now) => {
    const old = was.get(now.name);
    if (!old) return [{ operation: now.name, result: 'added' as const, changes: [] }];
    return old.digest === now.digest ? [] : [differenceOf(old, now)];
  });
  return [...removed.map((operation) => ({ operation, result: 'removed' as const, changes: [] })), ...differences];
}

function differenceOf(old: Operation, now: Operation): OperationDifference {
  const changes = [
    ...planChanges(old.plan, now.plan),
    ...compareSchemas('args', old.argsSchema, now.argsSchema),
    ...compareSchemas('out', old.outSchema, now.outSchema),
  ];
  return { operation: now.name, result: changes.some(({ breaks }) => breaks) ? 'breaking' : 'changed', changes };
}

function planChanges(old: OperationPlan, now: OperationPlan): readonly Change[] {
  const [was, is] = [withoutTexts(old), withoutTexts(now)];
  const changed = (name: keyof OperationPlan): boolean => canonicalJson(was[name]) !== canonicalJson(is[name]);
  const types = (now.body?.types ?? []).map(({ type }) => type);
  const goneTypes = (old.body?.types ?? []).filter(({ type }) => !types.includes(type));
  return [
    ...BREAKING.filter(changed).map((path) => ({ place: 'plan', path, what: 'values', breaks: true }) as const),
    ...HARMLESS.filter(changed).map((path) => ({ place: 'plan', path, what: 'values', breaks: false }) as const),
    ...goneTypes.map(({ type }) => ({ place: 'plan', path: `body.${type}`, what: 'removed', breaks: true }) as const),
  ];
}

function withoutTexts(plan: OperationPlan): OperationPlan {
  return { ...plan, servers: plan.servers.map(({ description: _, ...server }) => server) };
}
