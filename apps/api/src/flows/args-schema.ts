import { schemaFaults } from '@weft/json-schema';
import { WeftError } from '@weft/kernel';

/** @throws WeftError `invalid_options`, with the place of each fault */
export function assertArgsSchema(schema: Readonly<Record<string, unknown>> | null | undefined): void {
  const errors = schema ? schemaFaults(schema) : [];
  if (errors[0]) throw new WeftError('invalid_options', `${errors[0].path} ${errors[0].message}.`, { errors });
}
