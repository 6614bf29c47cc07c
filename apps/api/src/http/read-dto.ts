import { isDeepStrictEqual } from 'node:util';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import { MAX_ERRORS, type FieldError } from '@weft/kernel';
import { FieldHints, fieldMeant } from './field-names.js';
import { longestOf, nestedOf } from './fields.js';

export type DtoClass<T extends object = object> = new () => T;

export type ReadDto<T> =
  | { readonly ok: true; readonly dto: T }
  | {
      readonly ok: false;
      /** The first of them. */
      readonly errors: FieldError[];
      /** How many there are. */
      readonly found: number;
    };

/** `code` of a field that the class does not declare. */
export const UNKNOWN_FIELD = 'unknown_field';

/**
 * Reads plain JSON into a request class. Only declared fields are taken over, one by one, so that no key of the input can
 * reach a prototype; a name in the other spelling (`flow_id`, `flowId`) is read as the declared one; free objects are neither copied nor changed. A list that is too long is not looked into.
 */
export function readDto<T extends object>(dtoClass: DtoClass<T>, input: unknown): ReadDto<T> {
  if (input === null || typeof input !== 'object' || Array.isArray(input)) {
    return { ok: false, errors: [{ path: '', code: 'invalid', message: 'must be an object' }], found: 1 };
  }
  const faults = new Faults();
  const dto = instantiate(dtoClass, input as Record<string, unknown>, '', faults);
  const judged = validateSync(dto, { forbidUnknownValues: false, stopAtFirstError: true });
  addFaults(judged, '', faults);
  const { errors, found } = faults;
  return found > 0 ? { ok: false, errors, found } : { ok: true, dto };
}

/** The errors of a request: all are counted, and those that the answer lists are kept. */
class Faults {
  readonly errors: FieldError[] = [];
  found = 0;
  /** Of lists whose length is all that is said about them. */
  readonly overlong = new Set<string>();

  /** @param tell says it in words: of most that are too many nobody reads them, so they are not put together */
  add(parent: string, name: string, code: string, tell: (path: string) => string): void {
    this.found += 1;
    if (this.errors.length >= MAX_ERRORS) return;
    const path = parent + name;
    this.errors.push({ path, code, message: tell(path) });
  }
}

function instantiate<T extends object>(
  dtoClass: DtoClass<T>,
  input: Readonly<Record<string, unknown>>,
  path: string,
  faults: Faults,
): T {
  const known = fieldsOf(dtoClass);
  const nested = nestedOf(dtoClass);
  const longest = longestOf(dtoClass);
  const hints = new FieldHints(known);
  const dto = new dtoClass() as Record<string, unknown>;
  for (const name of Object.keys(input)) {
    const value = input[name];
    const key = fieldMeant(name, known);
    if (key === undefined) {
      faults.add(path, name, UNKNOWN_FIELD, (it) => `${it} is not a field of this operation${hints.for(name)}`);
      continue;
    }
    if (key !== name && Object.hasOwn(input, key)) {
      if (isDeepStrictEqual(value, input[key])) continue;
      faults.add(path, name, 'invalid', () => `${name} and ${key} are the same field, and differ: give one of them`);
      continue;
    }
    const max = Object.hasOwn(longest, key) ? longest[key] : undefined;
    if (max !== undefined && Array.isArray(value) && value.length > max) {
      faults.add(path, key, 'invalid', () => `${key} must contain no more than ${max} elements`);
      faults.overlong.add(path + key);
      continue;
    }
    const inner = Object.hasOwn(nested, key) ? nested[key] : undefined;
    dto[key] = inner ? instantiateNested(inner, value, `${path}${key}.`, faults) : value;
  }
  return dto as T;
}

/** An object or a list of objects; whatever else it is stays, to be refused by the field's own checks. */
function instantiateNested(dtoClass: DtoClass, value: unknown, path: string, faults: Faults): unknown {
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    // an item of another kind leaves a hole: it is refused here, and the other items are judged all the same
    items.length = value.length;
    value.forEach((each: unknown, index) => {
      const isItem = each !== null && typeof each === 'object' && !Array.isArray(each);
      if (isItem) items[index] = instantiateNested(dtoClass, each, `${path}${index}.`, faults);
      else faults.add(path, String(index), 'invalid', (it) => `${it} must be an object`);
    });
    return items;
  }
  return value !== null && typeof value === 'object'
    ? instantiate(dtoClass, value as Record<string, unknown>, path, faults)
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

function addFaults(judged: readonly ValidationError[], path: string, faults: Faults): void {
  for (const { property, value, constraints, children } of judged) {
    const here = path + property;
    if (faults.overlong.has(here)) continue;
    const [own] = Object.values(constraints ?? {});
    const isMissing = value === undefined;
    if (own !== undefined) {
      faults.add(path, property, isMissing ? 'required' : 'invalid', () =>
        isMissing ? `${property} is required` : own,
      );
    }
    addFaults(children ?? [], `${here}.`, faults);
  }
}
