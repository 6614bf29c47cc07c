import { isDeepStrictEqual } from 'node:util';
import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { boundedErrors, WeftError, type FieldError } from '@weft/kernel';
import { FieldHints, fieldMeant } from './field-names.js';
import { fieldsOf, readDto, UNKNOWN_FIELD, type DtoClass } from './read-dto.js';
import { paramsOf, repeatedOf } from './query-fields.js';

/** Gives handlers their `@Body()` and `@Query()` as checked instances of the declared class; everything else passes. */
@Injectable()
export class DtoPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (metatype === undefined || metatype === Object) return value;
    if (type === 'body') return readBody(metatype as DtoClass, value);
    if (type === 'query') return readQuery(metatype as DtoClass, (value ?? {}) as Record<string, unknown>);
    return value;
  }
}

/** Of the body as a whole. */
const NOT_AN_OBJECT = 'the body must be a JSON object';

/**
 * No body counts as an empty one; so does null where none is taken.
 *
 * @throws WeftError `unknown_field`, `invalid_body`
 */
export function readBody<T extends object>(dtoClass: DtoClass<T>, body: unknown): T {
  const isNone = body === undefined || (body === null && fieldsOf(dtoClass).size === 0);
  const read = readDto(dtoClass, isNone ? {} : body);
  if (read.ok) return read.dto;
  const { found } = read;
  const errors = read.errors.map((error) => (error.path === '' ? { ...error, message: NOT_AN_OBJECT } : error));
  const code = errors.some((error) => error.code === UNKNOWN_FIELD) ? 'unknown_field' : 'invalid_body';
  throw new WeftError(code, summary(errors, found), { errors: boundedErrors(errors, found) });
}

/** @throws WeftError `invalid_query` */
export function readQuery<T extends object>(queryClass: DtoClass<T>, query: Readonly<Record<string, unknown>>): T {
  const params = paramsOf(queryClass);
  const input: Record<string, unknown> = {};
  const errors: FieldError[] = [];
  const known = fieldsOf(queryClass);
  const hints = new FieldHints(known);
  for (const given of Object.keys(query)) {
    const text = query[given];
    const path = `query.${given}`;
    const name = fieldMeant(given, known);
    if (name === undefined) {
      const message = `${given} is not a parameter of this operation${hints.for(given)}`;
      errors.push({ path, code: 'unknown_parameter', message });
    } else if (name !== given && query[name] !== undefined) {
      if (isDeepStrictEqual(text, query[name])) continue;
      const message = `${given} and ${name} are the same parameter, and differ: give one of them`;
      errors.push({ path, code: 'invalid', message });
    } else if (Array.isArray(text) && repeatedOf(queryClass).has(name)) {
      input[name] = text;
    } else if (Array.isArray(text) && Array.isArray(params[name]?.read(''))) {
      // several choices: with commas as described, or repeated as most clients write lists
      input[name] = params[name].read(text.join(','));
    } else if (typeof text !== 'string') {
      errors.push({ path, code: 'repeated', message: `${given} must be given once` });
    } else {
      input[name] = params[name]?.read(text) ?? text;
    }
  }
  const read = readDto(queryClass, input);
  if (!read.ok) errors.push(...read.errors.map((error) => ({ ...error, path: `query.${error.path}` })));
  if (errors.length > 0 || !read.ok) throw new WeftError('invalid_query', summary(errors), { errors });
  return read.dto;
}

function summary(errors: readonly FieldError[], found = errors.length): string {
  const first = errors[0]?.message ?? 'it has another shape';
  const more = found > 1 ? ` (and ${found - 1} more)` : '';
  return `${first}${more}.`;
}
