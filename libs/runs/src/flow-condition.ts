import {
  compileCondition,
  evaluate,
  ExpressionSyntaxError,
  isTruthy,
  type CompiledValue,
  type ExpressionScope,
} from '@weft/expressions';
import { WeftError, type FieldError } from '@weft/kernel';
import type { FlowDocument } from '@weft/records';
import { SandboxFailure } from '@weft/sandbox';
import { companyOf, expressionsIn, scopeOfRun, unreadableIn, type FlowOfRun } from './acceptance-expressions.js';
import { withComputed, type ComputingDeps } from './compute-expressions.js';

/**
 * The faults of a flow's `when`. It is evaluated when a run is accepted, before any layer: it can read the run's args, blueprint
 * variables and the flow's name, and nothing else.
 */
export function conditionFaults(when: string | null): FieldError[] {
  if (when === null) return [];
  const fault = (message: string): FieldError => ({ path: 'when', code: 'invalid_expression', message });
  try {
    const [read] = expressionsIn(compileCondition(when).node).flatMap((one) => unreadableIn(one) ?? []);
    if (read === undefined) return [];
    return [
      fault(`when is judged before any layer and cannot read ${read}: it reads $prev.args, $blueprint and $flow`),
    ];
  } catch (error) {
    if (!(error instanceof ExpressionSyntaxError)) throw error;
    return error.faults.map(({ message }) => fault(message));
  }
}

/** @throws WeftError `invalid_expression` */
export function assertCondition(when: string | null): void {
  const errors = conditionFaults(when);
  if (errors[0]) throw new WeftError('invalid_expression', `${errors[0].message}.`, { errors });
}

type Conditional = Pick<FlowDocument, 'when'> & FlowOfRun;

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
  const scope = scopeOfRun(flow, args);
  if (compiled.rich.length === 0) return isTruthy(evaluate(compiled, scope, { onMissing: 'null' }));
  return computedCondition(compiled, scope, companyOf(flow), deps).then(isTruthy);
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
