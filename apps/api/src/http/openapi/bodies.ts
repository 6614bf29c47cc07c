import type { OpenAPIObject } from '@nestjs/swagger';
import type { Schema } from '../schema.js';
import { exampleOf } from './examples.js';
import type { Operation } from './operations.js';

interface BodySchema {
  readonly $ref?: string;
  readonly required?: readonly string[];
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
  if (media) media.example = exampleOf(schema as Schema, schemas);
}
