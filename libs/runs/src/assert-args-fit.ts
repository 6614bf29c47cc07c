import { valueFaults, type JsonSchema } from '@weft/json-schema';
import { WeftError } from '@weft/kernel';

/** @throws WeftError `invalid_args`, with the path of each fault */
export function assertArgsFit(schema: JsonSchema | null | undefined, args: unknown): void {
  if (!schema) return;
  const errors = valueFaults(schema, args);
  const first = errors[0];
  if (first)
    throw new WeftError('invalid_args', `The args do not fit the flow: ${first.path}: ${first.message}.`, { errors });
}
