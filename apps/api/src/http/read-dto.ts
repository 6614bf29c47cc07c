import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import type { FieldError } from '@weft/kernel';
import { nestedOf } from './fields.js';

export type DtoClass<T extends object = object> = new () => T;

export type ReadDto<T> = { readonly ok: true; readonly dto: T } | { readonly ok: false; readonly errors: FieldError[] };

/** `code` of a field that the class does not declare. */
export const UNKNOWN_FIELD = 'unknown_field';

/**
 * Reads plain JSON into a request class. Only declared fields are taken over, one by one, so that no key of the input can
 * reach a prototype; free objects are neither copied nor changed.
 */
export function readDto<T extends object>(dtoClass: DtoClass<T>, input: unknown): ReadDto<T> {
  if (input === null || typeof input !== 'object' || Array.isArray(input)) {
    return { ok: false, errors: [{ path: '', code: 'invalid', message: 'must be an object' }] };
  }
  const unknown: FieldError[] = [];
  const dto = instantiate(dtoClass, input as Record<string, unknown>, '', unknown);
  const errors = unknown.concat(flatten(validateSync(dto, { forbidUnknownValues: false }), ''));
  return errors.length > 0 ? { ok: false, errors } : { ok: true, dto };
}

function instantiate<T extends object>(
  dtoClass: DtoClass<T>,
  input: Readonly<Record<string, unknown>>,
  path: string,
  unknown: FieldError[],
): T {
  const known = fieldsOf(dtoClass);
  const nested = nestedOf(dtoClass);
  const dto = new dtoClass() as Record<string, unknown>;
  for (const key of Object.keys(input)) {
    const value = input[key];
    if (!known.has(key)) {
      unknown.push({
        path: path + key,
        code: UNKNOWN_FIELD,
        message: `${path + key} is not a field of this operation`,
      });
      continue;
    }
    const inner = Object.hasOwn(nested, key) ? nested[key] : undefined;
    dto[key] = inner ? instantiateNested(inner, value, `${path}${key}.`, unknown) : value;
  }
  return dto as T;
}

/** An object or a list of objects; whatever else it is stays, to be refused by the field's own checks. */
function instantiateNested(dtoClass: DtoClass, value: unknown, path: string, unknown: FieldError[]): unknown {
  if (Array.isArray(value)) {
    return value.map((each, index) =>
      Array.isArray(each) ? each : instantiateNested(dtoClass, each, `${path}${index}.`, unknown),
    );
  }
  return value !== null && typeof value === 'object'
    ? instantiate(dtoClass, value as Record<string, unknown>, path, unknown)
    : value;
}

const FIELDS = new WeakMap<object, ReadonlySet<string>>();

/** The names of the fields that a request class declares. */
export function fieldsOf(dtoClass: DtoClass): ReadonlySet<string> {
  let fields = FIELDS.get(dtoClass);
  if (!fields) {
    const declared = getMetadataStorage().getTargetValidationMetadatas(dtoClass, '', false, false);
    fields = new Set(declared.map((each) => each.propertyName));
    FIELDS.set(dtoClass, fields);
  }
  return fields;
}

function flatten(faults: readonly ValidationError[], path: string): FieldError[] {
  return faults.flatMap((fault) => {
    const here = path + fault.property;
    const missing = fault.value === undefined;
    const own = Object.values(fault.constraints ?? {}).slice(0, 1);
    const message = missing ? `${fault.property} is required` : own[0];
    return [
      ...(own.length > 0 && message ? [{ path: here, code: missing ? 'required' : 'invalid', message }] : []),
      ...flatten(fault.children ?? [], `${here}.`),
    ];
  });
}
