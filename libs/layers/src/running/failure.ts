import { EvaluationError } from '@weft/expressions';
import type { z } from 'zod';
import { LayerFailure } from '../layer-module.js';

/** A call that is not made, or ends, because another worker may have the play now. */
export function goesOnElsewhere(): never {
  throw new LayerFailure('cancelled', 'The play does not go on here.');
}

export function asFailure(error: unknown): LayerFailure {
  if (error instanceof LayerFailure) return error;
  if (error instanceof EvaluationError) return new LayerFailure(error.code, error.message);
  const message = error instanceof Error ? error.message : String(error);
  return new LayerFailure('internal', message, undefined, { cause: error });
}

/** Arguments that do not fit their module once their expressions have values: each fault with its place, in one line. */
export function invalidArgs({ issues }: z.ZodError): LayerFailure {
  const faults = issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`));
  return new LayerFailure('invalid_args', faults.join('; '));
}
