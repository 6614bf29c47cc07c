/** What a form shows for a JSON Schema of arguments, and what of a value it can show: the rest stays JSON. Pure. */
import { isBranch } from '../values/tree-model';

export type Schema = Readonly<Record<string, unknown>>;
export type Args = Readonly<Record<string, unknown>>;

interface Common {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** What counts when it is left out, as text; empty when the schema says nothing. */
  readonly fallback: string;
  /** What it begins with, where its kind does not say it. */
  readonly first?: unknown;
}

export type Field = Common &
  (
    | { readonly kind: 'text' | 'boolean' | 'any' }
    /** A program, or a plain word: no expression in braces is read in it. */
    | { readonly kind: 'program' | 'word' }
    | { readonly kind: 'number'; readonly min: number | null; readonly max: number | null; readonly isInteger: boolean }
    | { readonly kind: 'choice'; readonly options: readonly string[] }
    | { readonly kind: 'list'; readonly item: Field }
    | { readonly kind: 'object'; readonly fields: readonly Field[] }
    | { readonly kind: 'map'; readonly value: Field }
  );

/** `text`: an expression in the place of another value. */
export type Mode = 'form' | 'text' | 'json';

const PROGRAMS: Readonly<Record<string, string>> = { transform: 'expression', code: 'source' };

export function fieldsOfArgs(appId: string, schema: Schema): readonly Field[] {
  return fieldsOfObject(schema).map((field) =>
    field.name === PROGRAMS[appId] ? { ...pick(field), kind: 'program' } : field,
  );
}

function pick({ name, description, isRequired, fallback }: Common): Common {
  return { name, description, isRequired, fallback };
}

function fieldsOfObject(schema: Schema): readonly Field[] {
  const required = Array.isArray(schema.required) ? (schema.required as readonly unknown[]) : [];
  return Object.entries(objectOf(schema.properties)).map(([name, each]) =>
    fieldOf(name, objectOf(each), required.includes(name)),
  );
}

export function fieldOf(name: string, schema: Schema, isRequired = false): Field {
  const common: Common = {
    name,
    isRequired,
    description: typeof schema.description === 'string' ? schema.description : '',
    fallback: schema.default === undefined ? '' : fallbackText(schema.default),
  };
  if (Array.isArray(schema.enum) && schema.enum.every((each) => typeof each === 'string')) {
    return { ...common, kind: 'choice', options: schema.enum };
  }
  switch (schema.type) {
    case 'string':
      return { ...common, kind: 'text' };
    case 'boolean':
      return { ...common, kind: 'boolean' };
    case 'number':
    case 'integer':
      return {
        ...common,
        kind: 'number',
        isInteger: schema.type === 'integer',
        min: numberOf(schema.minimum),
        max: numberOf(schema.maximum),
      };
    case 'array':
      return { ...common, kind: 'list', item: fieldOf('', objectOf(schema.items)) };
    case 'object':
      return schema.properties !== undefined
        ? { ...common, kind: 'object', fields: fieldsOfObject(schema) }
        : { ...common, kind: 'map', value: fieldOf('', objectOf(schema.additionalProperties)) };
    default:
      return { ...common, kind: 'any' };
  }
}

/** How a value is shown at first. */
export function modeOf(field: Field, value: unknown): Mode {
  if (value === undefined) return 'form';
  if (canShow(field, value)) return 'form';
  return typeof value === 'string' ? 'text' : 'json';
}

export function canShow(field: Field, value: unknown): boolean {
  switch (field.kind) {
    case 'number':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'choice':
      return typeof value === 'string' && field.options.includes(value);
    case 'list':
      return Array.isArray(value);
    case 'object':
    case 'map':
      return isBranch(value) && !Array.isArray(value);
    default:
      return typeof value === 'string';
  }
}

/** What a new layer begins with: what it must have. */
export function firstValue(field: Field): unknown {
  if (field.first !== undefined) return field.first;
  switch (field.kind) {
    case 'number':
      return field.min ?? 0;
    case 'boolean':
      return false;
    case 'choice':
      return field.options[0] ?? '';
    case 'list':
      return [];
    case 'object':
      return firstArgs(field.fields);
    case 'map':
      return {};
    default:
      return '';
  }
}

export function firstArgs(fields: readonly Field[]): Args {
  return Object.fromEntries(fields.filter(({ isRequired }) => isRequired).map((each) => [each.name, firstValue(each)]));
}

/** @param value undefined takes the field away */
export function withField(args: Args, name: string, value: unknown): Args {
  if (value !== undefined) return { ...args, [name]: value };
  return Object.fromEntries(Object.entries(args).filter(([key]) => key !== name));
}

/** Names in the arguments that the schema does not know: a form of the schema alone would hide them. */
export function unknownNames(fields: readonly Field[], args: Args): readonly string[] {
  const known = new Set(fields.map(({ name }) => name));
  return Object.keys(args).filter((name) => !known.has(name));
}

function objectOf(value: unknown): Schema {
  return isBranch(value) && !Array.isArray(value) ? (value as Schema) : {};
}

const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : null;

function fallbackText(value: unknown): string {
  if (isBranch(value) && Object.keys(value).length === 0) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
