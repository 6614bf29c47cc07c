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
import { expects } from './fields.js';
import { readTime } from './iso-time.js';

type Read = (text: string) => unknown;

const READERS = Symbol('query readers');
const REPEATED = Symbol('repeated parameters');

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

/** Several of `of` with commas between them. */
export function ChoicesParam(description: string, of: readonly string[]): PropertyDecorator {
  return param(
    {
      type: 'array',
      items: { type: 'string', enum: [...of] },
      minItems: 1,
      description: `${description} Several with commas between them.`,
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

/** How the texts of a query class are read, by name. */
export function readersOf(queryClass: object): Readonly<Record<string, Read>> {
  return (Reflect.getMetadata(READERS, queryClass) as Record<string, Read> | undefined) ?? {};
}

interface Shape {
  readonly required?: boolean;
  readonly [word: string]: unknown;
}

function param(shape: Shape, read: Read, ...checks: PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    Reflect.defineMetadata(READERS, { ...readersOf(target.constructor), [property]: read }, target.constructor);
    applyDecorators(
      ValidateIf((_object, value) => shape.required === true || value !== undefined),
      ...checks,
      ApiProperty({ required: false, ...shape }),
    )(target, property);
  };
}

/** Of a list that takes no parameters. */
export class NoQuery {}
