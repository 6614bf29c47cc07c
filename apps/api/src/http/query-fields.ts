/** As `fields.ts`, for query parameters: each is one text that is read into its kind before it is checked. */
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsBoolean,
  IsDate,
  IsIn,
  IsInt,
  IsString,
  Length,
  Matches,
  Max,
  Min,
  ValidateIf,
} from 'class-validator';
import { expectedValue } from '@weft/kernel';
import { expects, field, NameListField } from './fields.js';
import { readTime } from './iso-time.js';

/** A parameter as OpenAPI describes it, and how its text is read. */
interface Param {
  readonly shape: Shape;
  readonly read: (text: string) => unknown;
}

const PARAMS = Symbol('query parameters');
const REPEATED = Symbol('repeated parameters');

/** As long as the longest text of a parameter. */
const MAX_TEXT = 255;
/** Refuses NUL: no stored name contains it, and the database refuses to search for it. */
const WITHOUT_NUL = /^[^\x00]*$/;

export function TextParam(description: string, max = 200): PropertyDecorator {
  return param(textShape(description, max), (text) => text, ...textChecks(max));
}

/** A text that must be given. */
export function NeededTextParam(description: string, max = 200): PropertyDecorator {
  return param({ ...textShape(description, max), required: true }, (text) => text, ...textChecks(max));
}

function textShape(description: string, max: number) {
  return { type: 'string', minLength: 1, maxLength: max, pattern: WITHOUT_NUL.source, description };
}

function textChecks(max: number): PropertyDecorator[] {
  const says = '$property must not contain the character NUL';
  const length = expects({ type: 'string', minLength: 1, maxLength: max });
  return [IsString(length), Length(1, max, length), Matches(WITHOUT_NUL, { message: says })];
}

export function FlagParam(description: string): PropertyDecorator {
  return param(
    { type: 'boolean', description },
    (text) => ({ true: true, false: false })[text] ?? text,
    IsBoolean(expects({ type: 'boolean' })),
  );
}

export function IntParam(description: string, min: number, max: number, fallback?: number): PropertyDecorator {
  const says = expects({ type: 'integer', minimum: min, maximum: max });
  return param(
    { type: 'integer', minimum: min, maximum: max, description, ...(fallback !== undefined && { default: fallback }) },
    (text) => (/^\d{1,15}$/.test(text) ? Number(text) : text),
    IsInt(says),
    Min(min, says),
    Max(max, says),
  );
}

export function TimeParam(description: string): PropertyDecorator {
  return param(
    { type: 'string', format: 'date-time', description },
    (text) => readTime(text) ?? text,
    IsDate({ message: '$property must be a time that exists, in ISO 8601 with its zone' }),
  );
}

/** One of `of`. */
export function ChoiceParam(description: string, of: readonly string[]): PropertyDecorator {
  const says = expects({ enum: of });
  return param({ type: 'string', enum: [...of], description }, (text) => text, IsIn([...of], says));
}

/** Several of `of` with commas between them, or in several parameters of this name. */
export function ChoicesParam(description: string, of: readonly string[]): PropertyDecorator {
  return param(
    {
      type: 'array',
      items: { type: 'string', enum: [...of] },
      minItems: 1,
      description: `${description} Several with commas between them, or in several parameters of this name.`,
    },
    (text) => [...new Set(text.split(','))],
    IsIn([...of], {
      each: true,
      message: ({ property }) =>
        `${property} must be ${expectedValue({ enum: of }, property)}; several with commas between them`,
    }),
  );
}

/** Texts that fit the pattern, each in a parameter of its own of this name. */
export function RepeatedParam(description: string, max: number, pattern: RegExp): PropertyDecorator {
  const items = { type: 'string', pattern: pattern.source };
  const checks = [ArrayMaxSize(max), Matches(pattern, { each: true })];
  const one = param({ type: 'array', items, minItems: 1, maxItems: max, description }, (text) => [text], ...checks);
  return (target, property) => {
    const repeated = [...repeatedOf(target.constructor), String(property)];
    Reflect.defineMetadata(REPEATED, new Set(repeated), target.constructor);
    one(target, property);
  };
}

/** Names of the parameters that may be given several times. */
export function repeatedOf(queryClass: object): ReadonlySet<string> {
  return (Reflect.getMetadata(REPEATED, queryClass) as ReadonlySet<string> | undefined) ?? new Set();
}

/** The parameters of a query class, by name. */
export function paramsOf(queryClass: object): Readonly<Record<string, Param>> {
  return (Reflect.getMetadata(PARAMS, queryClass) as Record<string, Param> | undefined) ?? {};
}

/** The parameters of a query class as fields of a body: each is the same text, and a repeated one a list. `readQuery` judges them. */
export function textsOf<Query extends object>(queryClass: new () => Query): new () => TextsOf<Query> {
  const Texts = class {};
  const repeated = repeatedOf(queryClass);
  for (const [name, { shape }] of Object.entries(paramsOf(queryClass))) {
    const { description, items, maxItems: max = 0, ...one } = shape;
    const options = { description, optional: true };
    const anyText = { type: 'string', minLength: 0, maxLength: MAX_TEXT };
    const asField = repeated.has(name)
      ? NameListField({ ...options, max, pattern: new RegExp(items?.pattern ?? '') })
      : field(
          options,
          one.type === 'array' ? anyText : one,
          IsString(expects(anyText)),
          Length(0, MAX_TEXT, expects(anyText)),
        );
    asField(Texts.prototype, name);
  }
  return Texts;
}

type TextsOf<Query> = { readonly [Name in keyof Query]?: string | readonly string[] };

interface Shape {
  readonly description: string;
  readonly required?: boolean;
  readonly items?: { readonly pattern?: string; readonly [word: string]: unknown };
  readonly maxItems?: number;
  readonly [word: string]: unknown;
}

function param(shape: Shape, read: Param['read'], ...checks: PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    const params = { ...paramsOf(target.constructor), [property]: { shape, read } };
    Reflect.defineMetadata(PARAMS, params, target.constructor);
    applyDecorators(
      ValidateIf((_object, value) => shape.required === true || value !== undefined),
      ...checks,
      ApiProperty({ required: false, ...shape }),
    )(target, property);
  };
}

/** Of a list that takes no parameters. */
export class NoQuery {}
