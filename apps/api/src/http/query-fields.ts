/** As `fields.ts`, for query parameters: each is one text that is read into its kind before it is checked. */
import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsBoolean, IsDate, IsIn, IsInt, IsString, Length, Matches, Max, Min, ValidateIf } from 'class-validator';
import { readTime } from './iso-time.js';

type Read = (text: string) => unknown;

const READERS = Symbol('query readers');

/** NUL is no character that anything stored has in a name, and a search for it is one that the database refuses. */
const WITHOUT_NUL = /^[^\0]*$/;

export function TextParam(description: string, max = 200): PropertyDecorator {
  return param(
    { type: 'string', maxLength: max, description },
    (text) => text,
    IsString(),
    Length(1, max),
    Matches(WITHOUT_NUL, { message: '$property must not contain the character NUL' }),
  );
}

export function FlagParam(description: string): PropertyDecorator {
  return param({ type: 'boolean', description }, (text) => ({ true: true, false: false })[text] ?? text, IsBoolean());
}

export function IntParam(description: string, min: number, max: number, fallback?: number): PropertyDecorator {
  return param(
    { type: 'integer', minimum: min, maximum: max, description, ...(fallback !== undefined && { default: fallback }) },
    (text) => (/^\d{1,15}$/.test(text) ? Number(text) : text),
    IsInt(),
    Min(min),
    Max(max),
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
  return param({ type: 'string', enum: [...of], description }, (text) => text, IsIn([...of]));
}

/** Several of `of` with commas between them. */
export function ChoicesParam(description: string, of: readonly string[]): PropertyDecorator {
  return param(
    { type: 'string', description: `${description} One of ${of.join(', ')}; several with commas between them.` },
    (text) => [...new Set(text.split(','))],
    IsIn([...of], { each: true }),
  );
}

/** How the texts of a query class are read, by name. */
export function readersOf(queryClass: object): Readonly<Record<string, Read>> {
  return (Reflect.getMetadata(READERS, queryClass) as Record<string, Read> | undefined) ?? {};
}

function param(shape: object, read: Read, ...checks: PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    Reflect.defineMetadata(READERS, { ...readersOf(target.constructor), [property]: read }, target.constructor);
    applyDecorators(
      ValidateIf((_object, value) => value !== undefined),
      ...checks,
      ApiProperty({ ...shape, required: false }),
    )(target, property);
  };
}

/** Of a list that takes no parameters. */
export class NoQuery {}
