import { EgressError } from '@weft/egress';
import { EvaluationError } from '@weft/expressions';
import type { z } from 'zod';
import { issueTexts } from '../issue-text.js';
import { LayerFailure } from '../layer-module.js';

/** Error code of a layer that would call a service and has no fixture. It never leaves the dry run. */
export const MISSING_FIXTURE = 'missing_fixture';

/** Of an error message: a play stores it with the layer, in its log, and at its end. */
export const MAX_MESSAGE_BYTES = 4 * 1024;

/** Ends or prevents a call because another worker may have the play now. */
export function throwPlayLost(): never {
  throw new LayerFailure('cancelled', 'The play does not go on here.');
}

export function toLayerFailure(error: unknown): LayerFailure {
  if (error instanceof LayerFailure) return error;
  if (error instanceof EvaluationError) return new LayerFailure(error.code, error.message);
  return new LayerFailure('internal', 'The layer stopped at a fault that is not its own.', undefined, { cause: error });
}

/** What a module throws for a call that the egress client refused or ended; other errors stay what they are. */
export function ofEgress(error: unknown): unknown {
  return error instanceof EgressError
    ? new LayerFailure(error.code, error.message, undefined, { cause: error })
    : error;
}

/** The fault of this process that made the layer fail, if there is one. */
export function internalCause(failure: LayerFailure): unknown {
  if (failure.code !== 'internal') return undefined;
  const { cause } = failure;
  return cause instanceof LayerFailure ? internalCause(cause) : cause;
}

/** Faults that are listed; the others are counted. */
const MAX_FAULTS = 10;
const MAX_FAULT_CHARS = 300;

/**
 * Arguments that do not match their module's schema once their expressions have values: each fault with its path, in
 * one line.
 */
export function invalidArgs({ issues }: z.ZodError, schema: z.ZodType, value: unknown): LayerFailure {
  const subject = { schema, value, root: '' };
  const faults = issues.slice(0, MAX_FAULTS).flatMap((issue) =>
    issueTexts(issue, subject).map(({ message }) => {
      return message.length > MAX_FAULT_CHARS ? `${message.slice(0, MAX_FAULT_CHARS)}…` : message;
    }),
  );
  const listed = faults.slice(0, MAX_FAULTS);
  const left = Math.max(issues.length, faults.length) - listed.length;
  return new LayerFailure('invalid_args', [...listed, ...(left > 0 ? [`and ${left} more`] : [])].join('; '));
}
