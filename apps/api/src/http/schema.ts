/** Small words for the response schemas of the OpenAPI document, which is 3.1: null is a type of its own. */
import { ApiResponse } from '@nestjs/swagger';
import { ERRORS } from '@weft/kernel';
import { z } from 'zod';
import { headers, type HeaderName } from './openapi/headers.js';

export type Schema = Readonly<Record<string, unknown>>;

export const text: Schema = { type: 'string' };
export const textOrNull: Schema = { type: ['string', 'null'] };
export const time: Schema = { type: 'string', format: 'date-time' };
export const timeOrNull: Schema = { type: ['string', 'null'], format: 'date-time' };
export const flag: Schema = { type: 'boolean' };
export const integer: Schema = { type: 'integer' };
export const integerOrNull: Schema = { type: ['integer', 'null'] };
export const numberOrNull: Schema = { type: ['number', 'null'] };
export const freeObject: Schema = { type: 'object', additionalProperties: true };
/** A body as it is. */
export const bytes = { type: 'string', format: 'binary' } as const;
export const labels: Schema = { type: 'object', additionalProperties: { type: 'string' } };
/** Without a keyword that says more: generators of clients give up at a schema that refers to itself. */
export const anything: Schema = { description: 'Any JSON value.' };

export function oneOf(values: readonly string[]): Schema {
  return { type: 'string', enum: [...values] };
}

export function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

export function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { type: 'null' }] };
}

/** The schema of an answer's type: a field that the type has and the schema lacks does not compile. */
export function object<T>(
  fields: Readonly<Record<keyof T & string, Schema>>,
  optional: readonly (keyof T)[] = [],
): Schema {
  return {
    type: 'object',
    properties: fields,
    required: Object.keys(fields).filter((name) => !optional.includes(name as keyof T)),
  };
}

/** The fields of a shape as an answer has them: their types, without what only bounds a request. */
export function fieldsOf<Shape extends z.ZodObject>(shape: Shape): Record<keyof z.output<Shape> & string, Schema> {
  return typeOf(z.toJSONSchema(shape, { io: 'output' })).properties as never;
}

function typeOf({ type, enum: values, anyOf, items, properties, required }: Schema): Schema {
  if (Array.isArray(anyOf)) {
    const forms = (anyOf as Schema[]).map(typeOf);
    const [one, ...others] = forms.filter((each) => each.type !== 'null');
    if (!one || others.length > 0) return { anyOf: forms };
    if (forms.length === 1) return one;
    return typeof one.type === 'string' && Object.keys(one).length === 1 ? { type: [one.type, 'null'] } : orNull(one);
  }
  if (values !== undefined) return { type, enum: values };
  if (type === 'array') return listOf(typeOf(items as Schema));
  if (type !== 'object') return { type };
  if (properties === undefined) return freeObject;
  const fields = Object.entries(properties as Readonly<Record<string, Schema>>).map(
    ([name, field]) => [name, typeOf(field)] as const,
  );
  return { type, properties: Object.fromEntries(fields), required };
}

const NAMED = new Map<string, Schema>();

/** Puts a schema under a name into the document's components, and gives the reference to it. */
export function named(name: string, schema: Schema): Schema {
  NAMED.set(name, schema);
  return { $ref: `#/components/schemas/${name}` };
}

export function namedSchemas(): ReadonlyMap<string, Schema> {
  return NAMED;
}

export function pageOf(name: string, item: Schema): Schema {
  return named(
    `${name}Page`,
    object({
      items: listOf(item),
      page: integer,
      size: integer,
      total: { type: 'integer', description: 'Exact up to 10,000.' },
      totalCapped: { type: 'boolean', description: 'There are more than `total`.' },
      nextCursor: { ...textOrNull, description: 'Null on the last page.' },
    }),
  );
}

export const problem = named(
  'Problem',
  object({
    type: text,
    title: text,
    status: integer,
    detail: text,
    instance: text,
    // not `enum`: a generated client would fail to read a code of a later version
    code: { ...text, 'x-extensible-enum': Object.keys(ERRORS), description: 'Stable; what programs decide by.' },
    reason: textOrNull,
    retryable: flag,
    requestId: text,
    errors: listOf(object({ path: text, code: text, message: text })),
  }),
);

const JSON_TYPE = 'application/json';

/** What an operation answers when it succeeds. Refusals are problems, and added to every operation. */
export function Answers(
  status: 200 | 202,
  schema: Schema,
  description: string,
  ...more: readonly HeaderName[]
): MethodDecorator {
  return answersWith(JSON_TYPE, schema, description, more, status);
}

export function AnswersCreated(schema: Schema, description: string, ...more: readonly HeaderName[]): MethodDecorator {
  return answersWith(JSON_TYPE, schema, description, ['Location', ...more], 201);
}

export function AnswersNothing(description: string, ...more: readonly HeaderName[]): MethodDecorator {
  return ApiResponse({ status: 204, description, headers: headers('X-Request-Id', ...more) });
}

/** An answer that is not JSON: a page, a file, text. */
export function AnswersText(type: string, description: string, ...more: readonly HeaderName[]): MethodDecorator {
  return answersWith(type, text, description, more);
}

export function AnswersBytes(description: string, ...more: readonly HeaderName[]): MethodDecorator {
  return answersWith('application/octet-stream', bytes, description, more);
}

function answersWith(
  type: string,
  schema: Schema,
  description: string,
  more: readonly HeaderName[],
  status: 200 | 201 | 202 = 200,
): MethodDecorator {
  return ApiResponse({
    status,
    description,
    headers: headers('X-Request-Id', ...more),
    content: { [type]: { schema } },
  });
}

export function SendsElsewhere(description: string, ...more: readonly HeaderName[]): MethodDecorator {
  return ApiResponse({ status: 302, description, headers: headers('X-Request-Id', 'Location', ...more) });
}
