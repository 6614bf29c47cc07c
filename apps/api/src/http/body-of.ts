/**
 * A request class whose fields are those of a shape. class-validator judges them and Nest describes them, as it does fields with
 * decorators of their own; both read what the shape says.
 */
import { applyDecorators } from '@nestjs/common';
import { labelsShape, type Plain } from '@weft/shapes';
import { ValidateBy } from 'class-validator';
import { z } from 'zod';
import {
  ChoiceField,
  ChoiceListField,
  expects,
  field as describedField,
  FlagField,
  FreeObjectField,
  IdListField,
  IntField,
  IntListField,
  NameListField,
  NestedField,
  TextField,
  TextMapField,
  type FieldOptions,
} from './fields.js';
import { LabelsField } from './labels.js';

/** The part of a field's JSON Schema that is read here. */
interface Described {
  readonly type?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly anyOf?: readonly Described[];
  readonly enum?: readonly string[];
  readonly properties?: object;
  readonly items?: Described;
  readonly additionalProperties?: Described;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
}

/**
 * `class CreateLayerBody extends bodyOf(layerShape) {}`
 *
 * @param base a class with further fields
 */
export function bodyOf<Shape extends z.ZodObject, Base extends object = object>(
  shape: Shape,
  base: new () => Base = Object as unknown as new () => Base,
): new () => Plain<z.input<Shape>> & Base {
  const Body = class extends (base as new () => object) {};
  for (const [name, field] of Object.entries<z.ZodType>(shape.shape)) fieldOf(name, field)(Body.prototype, name);
  return Body as unknown as new () => Plain<z.input<Shape>> & Base;
}

/** @throws Error for a kind of field that no body has yet */
function fieldOf(name: string, field: z.ZodType): PropertyDecorator {
  const outer = z.toJSONSchema(field, { io: 'input' }) as Described;
  const inner = outer.anyOf?.find(({ type }) => type !== 'null') ?? outer;
  const [example] = outer.examples ?? inner.examples ?? [];
  const options: FieldOptions = {
    description: outer.description ?? '',
    optional: field.safeParse(undefined).success,
    nullable: field.safeParse(null).success,
    example,
  };
  if (bare(field) === labelsShape) return LabelsField(options.description);
  if (inner.enum) return ChoiceField({ ...options, of: inner.enum });
  if (inner.anyOf) return oneOfSeveral(bare(field), inner.anyOf, options);
  switch (inner.type) {
    case 'string':
      return applyDecorators(
        TextField({ ...options, ...lengthOf(inner), ...patternOf(bare(field)) }),
        fits(bare(field), inner),
      );
    case 'integer':
      return IntField({ ...options, ...boundsOf(inner) });
    case 'boolean':
      return FlagField(options);
    case 'array':
      return listOf(bare(field) as z.ZodArray<z.ZodType>, inner, options);
    case 'object': {
      const { additionalProperties: { type, maxLength = Infinity } = {}, maxProperties = Infinity } = inner;
      if (type === 'string') return TextMapField({ ...options, maxEntries: maxProperties, maxLength });
      if (!inner.properties) return FreeObjectField(options);
      return NestedField(nestedBody(name, field), options);
    }
    default:
      throw new Error(`There is no decorator for the field ${name}: add its kind to body-of.ts`);
  }
}

function listOf(
  { element }: z.ZodArray<z.ZodType>,
  { items = {}, maxItems: max = Infinity }: Described,
  options: FieldOptions,
): PropertyDecorator {
  if (items.enum) return ChoiceListField({ ...options, of: items.enum });
  if (items.type === 'integer') {
    const { min, max: largest } = boundsOf(items);
    return IntListField({ ...options, max, min, largest });
  }
  const { pattern, patternSays } = patternOf(element, 'each of ');
  if (!pattern) return IdListField({ ...options, max });
  return NameListField({ ...options, max, pattern, ...(patternSays !== undefined && { patternSays }) });
}

function boundsOf({ minimum: min = Number.MIN_SAFE_INTEGER, maximum: max = Number.MAX_SAFE_INTEGER }: Described) {
  return { min, max };
}

/** A field that may have several forms: its shape judges it, and says what it may be. */
function oneOfSeveral(forms: z.ZodType, oneOf: readonly Described[], options: FieldOptions): PropertyDecorator {
  const says = forms.safeParse(undefined).error?.issues[0]?.message;
  const check = { name: 'shape', validator: { validate: (value: unknown) => forms.safeParse(value).success } };
  // Nest asks for a type where no class tells one, and leaves it out where there is `oneOf`
  return describedField(options, { oneOf, type: Object }, ValidateBy(check, { message: `$property ${says}` }));
}

/** class-validator does not count variation selectors, and a shape does: what the shape refuses is not let in. */
function fits(text: z.ZodType, { type, minLength, maxLength }: Described): PropertyDecorator {
  const check = { name: 'shape', validator: { validate: (value: unknown) => text.safeParse(value).success } };
  return ValidateBy(check, expects({ type, minLength, maxLength }));
}

function lengthOf({ minLength: min = 0, maxLength: max = Infinity }: Described) {
  return { min, max };
}

/** The pattern of a text, and what its shape says where it does not match. @param of before the name of the field */
function patternOf(text: z.ZodType, of = ''): { readonly pattern?: RegExp; readonly patternSays?: string } {
  const checks = (text._zod.def.checks ?? []).map(({ _zod }) => _zod.def as z.core.$ZodCheckRegexDef);
  const check = checks.find((each) => each.check === 'string_format');
  if (!check) return {};
  const says = check.error?.({} as never);
  return { pattern: check.pattern, ...(typeof says === 'string' && { patternSays: `${of}$property ${says}` }) };
}

/** `retry` → `RetryBody`, where its shape has no title: the name that its schema has in the OpenAPI document. */
function nestedBody(name: string, field: z.ZodType): new () => object {
  const shape = bare(field) as z.ZodObject;
  const { title = `${name.charAt(0).toUpperCase()}${name.slice(1)}` } = shape.meta() ?? {};
  const body = bodyOf(shape);
  Object.defineProperty(body, 'name', { value: `${title}Body` });
  return body;
}

const WRAPPERS = [z.ZodOptional, z.ZodNullable, z.ZodDefault, z.ZodPrefault];

/** What somebody writes, without that it may be left out or be null, and without what is made of it. */
function bare(field: z.ZodType): z.ZodType {
  if (field instanceof z.ZodPipe) return bare(field.in as z.ZodType);
  return WRAPPERS.some((wrapper) => field instanceof wrapper)
    ? bare((field as z.ZodOptional).unwrap() as z.ZodType)
    : field;
}
