import { z } from 'zod';

/** Control characters as a pattern says them that is read with the flag `u`, and as every reader of JSON Schema knows them. */
const CONTROL = '\\p{Cc}';
const CONTROL_RANGES = '\\u0000-\\u001f\\u007f-\\u009f';

/** A schema of a module as JSON Schema (draft 2020-12), for people and forms that check by it what a module will take. */
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
