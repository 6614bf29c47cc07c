import type { OpenAPIObject } from '@nestjs/swagger';
import type { Operation } from './operations.js';

interface BodySchema {
  readonly $ref?: string;
  readonly required?: readonly string[];
}

/** A missing body is `{}` (contract §1): only who needs a field of it needs a body. */
export function needBodyWhereNeeded(operation: Operation, document: OpenAPIObject): void {
  const body = operation.requestBody;
  if (!body || !('content' in body)) return;
  const schema = (body.content['application/json']?.schema ?? {}) as BodySchema;
  const named = document.components?.schemas?.[schema.$ref?.split('/').at(-1) ?? ''];
  body.required = ((named ?? schema) as BodySchema).required !== undefined;
}
