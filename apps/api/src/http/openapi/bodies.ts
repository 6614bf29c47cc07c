import type { OpenAPIObject } from '@nestjs/swagger';
import type { Schema } from '../schema.js';
import { exampleOf, type Schemas } from './examples.js';
import type { Operation } from './operations.js';

interface BodySchema {
  readonly $ref?: string;
  readonly required?: readonly string[];
}

/** Where a schema has others. */
interface Parts {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

/**
 * Gives a body its example, and says whether it is needed: a missing one is `{}` (docs/http-api.md §1.3), so only who needs a field of it
 * needs a body.
 */
export function describeBody(operation: Operation, document: OpenAPIObject): void {
  const body = operation.requestBody;
  if (!body || !('content' in body)) return;
  const media = body.content['application/json'];
  const schema = (media?.schema ?? {}) as BodySchema;
  const schemas = document.components?.schemas;
  const named = schemas?.[schema.$ref?.split('/').at(-1) ?? ''];
  body.required = ((named ?? schema) as BodySchema).required !== undefined;
  const form = body.content['multipart/form-data'];
  if (form) form.schema = formOf(form.schema as Schema);
  if (!media) return;
  media.example = exampleOf(schema as Schema, schemas);
  close(schema as Schema, schemas);
}

/** A file as the one part of a form. */
function formOf(file: Schema): Schema {
  return { type: 'object', properties: { file }, required: ['file'], additionalProperties: false };
}

/** A body has no other fields than those of its class (docs/http-api.md §1.3); free objects say that they take any. */
function close(schema: Schema, schemas: Schemas, closed = new Set<Schema>()): void {
  if (closed.has(schema)) return;
  closed.add(schema);
  const { $ref, properties = {}, items, allOf = [], anyOf = [] } = schema as Parts;
  const named = $ref === undefined ? undefined : (schemas?.[$ref.split('/').at(-1) ?? ''] as Schema | undefined);
  if (named && named.additionalProperties === undefined) close(named, schemas, closed);
  if (schema.properties !== undefined) Object.assign(schema, { additionalProperties: false });
  for (const inner of [...Object.values(properties), ...(items ? [items] : []), ...allOf, ...anyOf])
    close(inner, schemas, closed);
}
