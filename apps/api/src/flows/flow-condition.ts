import { compileCondition, evaluate, ExpressionSyntaxError, isTruthy } from '@weft/expressions';
import { WeftError, type FieldError } from '@weft/kernel';
import type { FlowDocument } from '@weft/persistence';

/**
 * What is wrong with a flow's `when`. It is judged when a run is accepted, before any layer: it reads the run's args and
 * blueprint variables, but no output.
 */
export function conditionFaults(when: string | null): FieldError[] {
  if (when === null) return [];
  const fault = (message: string): FieldError => ({ path: 'when', code: 'invalid_expression', message });
  try {
    const { refs, itemPaths } = compileCondition(when);
    if (itemPaths.length > 0) return [fault('$item and $index exist in the args of a layer with forEach only')];
    return refs.map(({ ref }) => fault(`when is judged before any layer: it cannot read the output of "${ref}"`));
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

/** Whether a run with these args takes place. What the condition reads and is not there, is null: it says no. */
export function conditionHolds(
  { when, name, blueprintVars }: Pick<FlowDocument, 'when' | 'name' | 'blueprintVars'>,
  args: Readonly<Record<string, unknown>>,
  companyName: string,
): boolean {
  if (when === null) return true;
  const scope = {
    layers: new Map(),
    args,
    blueprint: blueprintVars ?? {},
    play: { id: '' },
    flow: { name },
    company: { name: companyName },
  };
  return isTruthy(evaluate(compileCondition(when), scope, { onMissing: 'null' }));
}
