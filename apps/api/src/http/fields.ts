/**
 * One decorator for each kind of field that a request can have: what class-validator checks and what OpenAPI shows, said
 * once. A field is required unless `optional`; `null` is refused unless `nullable`.
 */
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsDefined,
  IsIn,
  IsInt,
  IsObject,
  IsString,
  Length,
  Matches,
  Max,
  Min,
  ValidateBy,
  ValidateIf,
  ValidateNested,
  type ValidationArguments,
} from 'class-validator';
import { expectedValue, type ExpectedShape } from '@weft/kernel';
import { SEEN, SEEN_SAYS } from '@weft/shapes';
import { FREE_KEY } from './json-body.js';
import { anything } from './schema.js';

export interface FieldOptions {
  readonly description: string;
  readonly optional?: boolean;
  readonly nullable?: boolean;
  readonly example?: unknown;
}

type FieldDecorator = PropertyDecorator;

export function TextField(
  options: FieldOptions & { min?: number; max: number; pattern?: RegExp; patternSays?: string },
): FieldDecorator {
  const { min = 0, max, pattern, patternSays } = options;
  const shape = { type: 'string', minLength: min, maxLength: max, ...(pattern && { pattern: pattern.source }) };
  const says = expects(shape);
  return field(
    options,
    shape,
    IsString(says),
    Length(min, max, says),
    ...(pattern ? [Matches(pattern, { message: patternSays ?? `$property must match ${pattern.source}` })] : []),
  );
}

/** What people call something: in one line, and not only of blanks or of what nobody sees. */
export function NameField(options: FieldOptions & { max?: number }): FieldDecorator {
  return TextField({ min: 1, max: 200, ...options, pattern: SEEN, patternSays: `$property ${SEEN_SAYS}` });
}

export function FlagField(options: FieldOptions): FieldDecorator {
  return field(options, { type: 'boolean' }, IsBoolean(expects({ type: 'boolean' })));
}

/** @param options `unit` of a number whose name does not end in it (`…Ms`) */
export function IntField(options: FieldOptions & { min: number; max: number; unit?: string }): FieldDecorator {
  const { min, max, unit } = options;
  const shape = { type: 'integer', minimum: min, maximum: max };
  const says = expects(shape, unit);
  return field(options, shape, IsInt(says), Min(min, says), Max(max, says));
}

/** One or more whole numbers. */
export function IntListField(options: FieldOptions & { max: number; min: number; largest: number }): FieldDecorator {
  const { max, min, largest } = options;
  return listField(
    options,
    max,
    { type: 'array', items: { type: 'integer', minimum: min, maximum: largest }, minItems: 1, maxItems: max },
    ArrayMinSize(1),
    IsInt({ each: true }),
    Min(min, { each: true }),
    Max(largest, { each: true }),
  );
}

export function ChoiceField(options: FieldOptions & { of: readonly string[] }): FieldDecorator {
  const shape = { type: 'string', enum: [...options.of] };
  return field(options, shape, IsIn([...options.of], expects(shape)));
}

/** One or more of `of`, each once. */
export function ChoiceListField(options: FieldOptions & { of: readonly string[] }): FieldDecorator {
  const of = [...options.of];
  return listField(
    options,
    of.length,
    { type: 'array', items: { type: 'string', enum: of }, minItems: 1, maxItems: of.length, uniqueItems: true },
    ArrayMinSize(1),
    IsIn(of, { each: true }),
    AreDifferent(),
  );
}

/** An object with arbitrary content of the user. @param shape what the description says of it besides, and something else checks */
export function FreeObjectField(options: FieldOptions, shape: object = {}): FieldDecorator {
  const free = { type: 'object', additionalProperties: anything, propertyNames: { pattern: FREE_KEY } };
  return field(options, { ...free, ...shape }, IsObject(expects({ type: 'object' })));
}

/** Stands for "no type" until the document is put together: left out, it would be taken from the class, as an object. */
export const ANY_TYPE = 'any';

/** Any JSON value, the user's own. */
export function AnyField(options: FieldOptions): FieldDecorator {
  return field(options, { type: ANY_TYPE }, IsDefined());
}

/** An object of texts under names of the user's own. */
export function TextMapField(options: FieldOptions & { maxEntries: number; maxLength: number }): FieldDecorator {
  const { maxEntries, maxLength } = options;
  return field(
    options,
    { type: 'object', additionalProperties: { type: 'string', maxLength }, maxProperties: maxEntries },
    IsObject(),
    ValidateBy({
      name: 'isTextMap',
      validator: {
        validate: (value) => {
          const texts = Object.values((value ?? {}) as object);
          return (
            texts.length <= maxEntries && texts.every((each) => typeof each === 'string' && each.length <= maxLength)
          );
        },
        defaultMessage: () =>
          `$property has at most ${maxEntries} entries, each a text of at most ${maxLength} characters`,
      },
    }),
  );
}

export function IdListField(options: FieldOptions & { max: number }): FieldDecorator {
  const { max } = options;
  return listField(
    options,
    max,
    { type: 'array', items: { type: 'string' }, maxItems: max, uniqueItems: true },
    IsString({ each: true }),
    AreDifferent(),
  );
}

/** Different names, each of which fits the pattern. @param options `patternSays` where the pattern says too little to a reader */
export function NameListField(
  options: FieldOptions & { max: number; pattern: RegExp; patternSays?: string },
): FieldDecorator {
  const { max, pattern, patternSays } = options;
  return listField(
    options,
    max,
    { type: 'array', items: { type: 'string', pattern: pattern.source }, maxItems: max, uniqueItems: true },
    Matches(pattern, { each: true, ...(patternSays !== undefined && { message: patternSays }) }),
    AreDifferent(),
  );
}

/** A list whose items the handler validates one by one, each with its own errors; `type` is only for the description. */
export function RawListField(
  type: new () => object,
  options: FieldOptions & { min: number; max: number },
): FieldDecorator {
  const { min, max } = options;
  return listField(options, max, { type: () => [type], minItems: min, maxItems: max }, ArrayMinSize(min));
}

const NESTED = Symbol('nested');

/** An object with fields of its own: unknown ones in it are refused, too. `suchAs` is shown to who gives something else. */
export function NestedField(
  type: new () => object,
  options: FieldOptions & { readonly suchAs?: object },
): FieldDecorator {
  const suchAs = options.suchAs ?? options.example;
  const example = suchAs ? ` such as ${JSON.stringify(suchAs, null, 1).replaceAll(/\s+/g, ' ')}` : '';
  const says = { message: `$property must be an object${example}` };
  return (target, property) => {
    const nested = nestedOf(target.constructor);
    Reflect.defineMetadata(NESTED, { ...nested, [property]: type }, target.constructor);
    field(options, { type: () => type }, IsObject(says), ValidateNested(says))(target, property);
  };
}

/** A list of such objects. */
export function NestedListField(
  type: new () => object,
  options: FieldOptions & { min?: number; max: number },
): FieldDecorator {
  const { min = 0, max } = options;
  return (target, property) => {
    const nested = nestedOf(target.constructor);
    Reflect.defineMetadata(NESTED, { ...nested, [property]: type }, target.constructor);
    const shape = { type: () => [type], minItems: min, maxItems: max };
    const checks = [ArrayMinSize(min), IsObject({ each: true }), ValidateNested({ each: true })];
    listField(options, max, shape, ...checks)(target, property);
  };
}

/** The classes of a DTO's nested fields, by field. */
export function nestedOf(dto: object): Readonly<Record<string, new () => object>> {
  return (Reflect.getMetadata(NESTED, dto) as Record<string, new () => object> | undefined) ?? {};
}

const LONGEST = Symbol('longest');

/** How many items the lists of a DTO may have, by field: longer ones are refused before anything looks into them. */
export function longestOf(dto: object): Readonly<Record<string, number>> {
  return (Reflect.getMetadata(LONGEST, dto) as Record<string, number> | undefined) ?? {};
}

function listField(options: FieldOptions, max: number, shape: object, ...checks: FieldDecorator[]): FieldDecorator {
  return (target, property) => {
    Reflect.defineMetadata(LONGEST, { ...longestOf(target.constructor), [property]: max }, target.constructor);
    const says = expects({ type: 'array', maxItems: max });
    field(options, shape, IsArray(says), ArrayMaxSize(max, says), ...checks)(target, property);
  };
}

/** As `ArrayUnique`, in one pass. */
function AreDifferent(): FieldDecorator {
  return ValidateBy({
    name: 'areDifferent',
    validator: {
      validate: (value) => Array.isArray(value) && new Set(value).size === value.length,
      defaultMessage: () => "All $property's elements must be unique",
    },
  });
}

/** What is said of every value that does not fit the shape. */
export function expects(
  shape: ExpectedShape,
  unit?: string,
): { readonly message: (args: ValidationArguments) => string } {
  return { message: ({ property }) => `${property} must be ${expectedValue(shape, property, unit)}` };
}

export function field(options: FieldOptions, shape: object, ...checks: FieldDecorator[]): FieldDecorator {
  const { description, optional = false, nullable = false, example } = options;
  return applyDecorators(
    ValidateIf((_object, value) => !(optional && value === undefined) && !(nullable && value === null)),
    ...checks,
    ApiProperty({
      ...shape,
      description,
      required: !optional,
      ...(nullable && { nullable }),
      ...(example !== undefined && { example }),
    }),
  );
}
