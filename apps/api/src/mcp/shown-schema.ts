import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';

type Fields = Record<string, unknown>;

/**
 * A schema that a user wrote: clients see it, and it is not executed, because a pattern in it could hold up the process. The
 * flow itself decides what it accepts.
 */
export function shownSchema(schema: Readonly<Fields>): StandardSchemaWithJSON<Fields> {
  const json = () => ({ ...schema });
  return {
    '~standard': {
      version: 1,
      vendor: 'weft',
      validate: (value) =>
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? { value: value as Fields }
          : { issues: [{ message: 'must be an object' }] },
      jsonSchema: { input: json, output: json },
    },
  };
}
