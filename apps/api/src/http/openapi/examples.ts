import type { OpenAPIObject } from '@nestjs/swagger';
import type { Schema } from '../schema.js';

export type Schemas = NonNullable<OpenAPIObject['components']>['schemas'];

/**
 * A body as a client might send it, made from the examples of its fields: the required ones, and optional ones that have an
 * example.
 *
 * @returns undefined where a field that is needed has no example, or none has one
 */
export function exampleOf(schema: Schema, schemas: Schemas): unknown {
  if (schema.example !== undefined) return schema.example;
  const inner = innerOf(schema, schemas);
  if (inner) return exampleOf(inner, schemas);
  if (Array.isArray(schema.enum)) return schema.enum[0] as unknown;
  if (schema.items !== undefined) {
    const item = exampleOf(schema.items as Schema, schemas);
    return item === undefined ? undefined : [item];
  }
  return schema.properties === undefined ? undefined : objectOf(schema, schemas);
}

function objectOf(schema: Schema, schemas: Schemas): object | undefined {
  const needed = new Set((schema.required ?? []) as string[]);
  const fields = Object.entries(schema.properties as Record<string, Schema>).map(([name, field]) => ({
    name,
    isNeeded: needed.has(name),
    example: needed.has(name) ? exampleOf(field, schemas) : field.example,
  }));
  if (fields.some(({ isNeeded, example }) => isNeeded && example === undefined)) return undefined;
  const shown = fields.filter(({ example }) => example !== undefined);
  return shown.length === 0 ? undefined : Object.fromEntries(shown.map(({ name, example }) => [name, example]));
}

function innerOf(schema: Schema, schemas: Schemas): Schema | undefined {
  if (typeof schema.$ref === 'string') return schemas?.[schema.$ref.split('/').at(-1) ?? ''] as Schema | undefined;
  return ((schema.allOf ?? schema.anyOf) as Schema[] | undefined)?.[0];
}
