import { z } from 'zod';

/** Control characters in a pattern with the flag `u`, in the form that every JSON Schema implementation knows. */
const CONTROL = '\\p{Cc}';
const CONTROL_RANGES = '\\u0000-\\u001f\\u007f-\\u009f';

/** A module's schema as JSON Schema (draft 2020-12), for people and for forms that validate with it. */
export function publishedSchema(schema: z.ZodType, io: 'input' | 'output'): z.core.JSONSchema.BaseSchema {
  return z.toJSONSchema(schema, {
    io,
    override: ({ jsonSchema }) => {
      if (typeof jsonSchema.pattern === 'string') {
        jsonSchema.pattern = jsonSchema.pattern.replaceAll(CONTROL, CONTROL_RANGES);
      }
    },
  });
}
