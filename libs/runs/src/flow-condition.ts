import {
  compileCondition,
  evaluate,
  ExpressionSyntaxError,
  isTruthy,
  type CompiledValue,
  type ExpressionScope,
} from '@weft/expressions';
import { WeftError, type FieldError } from '@weft/kernel';
import type { FlowDocument } from '@weft/persistence';
import { SandboxFailure } from '@weft/sandbox';
import { withComputed, type ComputingDeps } from './compute-expressions.js';

/**
 * The faults of a flow's `when`. It is evaluated when a run is accepted, before any layer: it can read the run's args, blueprint
 * variables and the flow's name, and nothing else.
 */
export function conditionFaults(when: string | null): FieldError[] {
  if (when === null) return [];
  const fault = (message: string): FieldError => ({ path: 'when', code: 'invalid_expression', message });
  try {
    const { node } = compileCondition(when);
    if (node.kind !== 'expression' || node.expression.kind === 'literal') return [];
    const { expression } = node;
    const reads = expression.kind === 'rich' ? expression.reads : [expression];
    const unreadable = reads.find(({ root }) => !READABLE_ROOTS.includes(root));
    if (!unreadable) return [];
    const what = unreadable.root === 'layer' ? `.${unreadable.ref}` : `$${unreadable.root}`;
    const read = expression.kind === 'path' ? expression.source : what;
    return [
      fault(`when is judged before any layer and cannot read ${read}: it reads $prev.args, $blueprint and $flow`),
    ];
  } catch (error) {
    if (!(error instanceof ExpressionSyntaxError)) throw error;
    return error.faults.map(({ message }) => fault(message));
  }
}

const READABLE_ROOTS: readonly string[] = ['args', 'blueprint', 'flow'];

/** @throws WeftError `invalid_expression` */
export function assertCondition(when: string | null): void {
  const errors = conditionFaults(when);
  if (errors[0]) throw new WeftError('invalid_expression', `${errors[0].message}.`, { errors });
}

type Conditional = Pick<FlowDocument, 'when' | 'name' | 'key' | 'version' | 'blueprintVars'> &
  (Pick<FlowDocument, '_id' | 'company_id'> | { readonly companyId: string; readonly id: string } | VersionOf);
type VersionOf = { readonly companyId: string; readonly flowId: string };

/** Compiled conditions by flow object: the flows of the run path stay in its cache, so that each is compiled once. */
const COMPILED = new WeakMap<Conditional, CompiledValue>();

/**
 * Whether a run with these args takes place; otherwise its play ends in SKIP at once. A missing value is null, and makes the
 * condition false. A promise only when the condition is more than a path.
 *
 * @throws WeftError `invalid_expression` of a condition that this version of Weft cannot read, `condition_failed`
 */
export function conditionHolds(
  flow: Conditional,
  args: Readonly<Record<string, unknown>>,
  deps: ComputingDeps,
): boolean | Promise<boolean> {
  if (flow.when === null) return true;
  let compiled = COMPILED.get(flow);
  if (!compiled) {
    assertCondition(flow.when);
    COMPILED.set(flow, (compiled = compileCondition(flow.when)));
  }
  const unread = { layers: new Map<string, unknown>(), play: { id: '' }, company: { name: '' } };
  const scope: ExpressionScope = { ...unread, args, blueprint: flow.blueprintVars ?? {}, flow: flowFacts(flow) };
  if (compiled.rich.length === 0) return isTruthy(evaluate(compiled, scope, { onMissing: 'null' }));
  const companyId = 'companyId' in flow ? flow.companyId : flow.company_id;
  return computedCondition(compiled, scope, companyId, deps).then(isTruthy);
}

function flowFacts(flow: Conditional): ExpressionScope['flow'] {
  const id = '_id' in flow ? flow._id : 'id' in flow ? flow.id : flow.flowId;
  return { id, name: flow.name, key: flow.key ?? null, version: flow.version };
}

/** @throws WeftError `condition_failed` */
async function computedCondition(
  condition: CompiledValue,
  scope: ExpressionScope,
  companyId: string,
  deps: ComputingDeps,
): Promise<unknown> {
  try {
    return evaluate(condition, await withComputed(condition, scope, companyId, deps), { onMissing: 'null' });
  } catch (cause) {
    if (!(cause instanceof SandboxFailure)) throw cause;
    throw new WeftError('condition_failed', `The flow's condition cannot be judged for these args: ${cause.message}`, {
      cause,
    });
  }
}
