import { compile, ExpressionSyntaxError } from '@weft/expressions';
import { WeftError, type FieldError } from '@weft/kernel';

/**
 * What is wrong with a flow's `when`. It is judged when a run is accepted, before any layer: it reads the run's args and
 * blueprint variables, but no output.
 */
export function conditionFaults(when: string | null): FieldError[] {
  if (when === null) return [];
  const fault = (message: string): FieldError => ({ path: 'when', code: 'invalid_expression', message });
  try {
    const { constant, refs } = compile(when);
    if (constant) return [fault('when holds no expression: write {{ $prev.args.<name> }}')];
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
