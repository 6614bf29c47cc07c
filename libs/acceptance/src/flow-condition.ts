import { compileCondition, evaluate, ExpressionSyntaxError, isTruthy, type CompiledValue } from '@weft/expressions';
import { WeftError, type FieldError } from '@weft/kernel';
import type { FlowDocument } from '@weft/persistence';

/**
 * What is wrong with a flow's `when`. It is judged when a run is accepted, before any layer and on the run path: it reads the
 * run's args, blueprint variables and the flow's name, and nothing else.
 */
export function conditionFaults(when: string | null): FieldError[] {
  if (when === null) return [];
  const fault = (message: string): FieldError => ({ path: 'when', code: 'invalid_expression', message });
  try {
    const { node } = compileCondition(when);
    if (node.kind !== 'expression' || node.expression.kind !== 'path') return [];
    const { root, source } = node.expression;
    if (READABLE.includes(root)) return [];
    return [
      fault(`when is judged before any layer and cannot read ${source}: it reads $prev.args, $blueprint and $flow`),
    ];
  } catch (error) {
    if (!(error instanceof ExpressionSyntaxError)) throw error;
    return error.faults.map(({ message }) => fault(message));
  }
}

const READABLE: readonly string[] = ['args', 'blueprint', 'flow'];

/** @throws WeftError `invalid_expression` */
export function assertCondition(when: string | null): void {
  const errors = conditionFaults(when);
  if (errors[0]) throw new WeftError('invalid_expression', `${errors[0].message}.`, { errors });
}

type Conditional = Pick<FlowDocument, 'when' | 'name' | 'blueprintVars'>;

/** By flow as it was read: those of the run path lie in its cache, and are asked for each run. */
const COMPILED = new WeakMap<Conditional, CompiledValue>();

/**
 * Whether a run with these args takes place; else it is SKIP at once. What the condition reads and is not there, is null: it
 * says no.
 *
 * @throws WeftError `invalid_expression` of a condition that this version of Weft cannot read
 */
export function conditionHolds(flow: Conditional, args: Readonly<Record<string, unknown>>): boolean {
  if (flow.when === null) return true;
  let compiled = COMPILED.get(flow);
  if (!compiled) {
    assertCondition(flow.when);
    COMPILED.set(flow, (compiled = compileCondition(flow.when)));
  }
  const unread = { layers: new Map<string, unknown>(), play: { id: '' }, company: { name: '' } };
  const scope = { ...unread, args, blueprint: flow.blueprintVars ?? {}, flow: { name: flow.name } };
  return isTruthy(evaluate(compiled, scope, { onMissing: 'null' }));
}
