/** A schema as the judge reads it: its keywords once, in one shape for all schemas, since values are judged by it again and again. */
import { countValues } from '@weft/kernel';
import { isObject, type JsonSchema } from './definitions.js';

const NO_NAMES: readonly string[] = [];
const NO_FIELDS: ReadonlyMap<string, unknown> = new Map();

/** What a value is, as bits: an integer is a number, too. */
const KINDS = { string: 1, number: 2, integer: 4, boolean: 8, array: 16, null: 32, object: 64 } as const;

export interface ReadSchema {
  /** How much it compares a value with. */
  readonly size: number;
  /** Bits of `KINDS`, and how a fault names them; null: any. */
  readonly types: { readonly bits: number; readonly shown: string } | null;
  readonly choices: readonly unknown[] | null;
  readonly only: { readonly value: unknown } | null;
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly exclusiveMinimum: number | undefined;
  readonly exclusiveMaximum: number | undefined;
  readonly minLength: number | undefined;
  readonly maxLength: number | undefined;
  readonly pattern: string | undefined;
  readonly minItems: number | undefined;
  readonly maxItems: number | undefined;
  readonly items: JsonSchema | undefined;
  readonly required: readonly string[];
  /** Schemas of fields; false: there may be none. */
  readonly properties: ReadonlyMap<string, unknown>;
  /** The same of all other fields. */
  readonly others: unknown;
  readonly ref: string | undefined;
  /** What `ref` was found to refer to among the definitions of the schema that was judged last. */
  referred: { readonly definitions: unknown; readonly schema: JsonSchema | undefined } | null;
  readonly allOf: readonly JsonSchema[] | null;
  readonly anyOf: readonly JsonSchema[] | null;
  readonly oneOf: readonly JsonSchema[] | null;
}

const READ = new WeakMap<JsonSchema, ReadSchema>();

export function readSchema(schema: JsonSchema): ReadSchema {
  let read = READ.get(schema);
  if (read === undefined) READ.set(schema, (read = reading(schema)));
  return read;
}

function reading(schema: JsonSchema): ReadSchema {
  const { type, items, properties, additionalProperties, required, $ref } = schema;
  const numbers = schema as Record<string, number | undefined>;
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = numbers;
  const { minLength, maxLength, minItems, maxItems } = numbers;
  const compared = [type, required, schema.enum, schema.const];
  return {
    size: compared.reduce<number>((sum, each) => sum + (each === undefined ? 0 : countValues(each)), 0),
    types: type === undefined ? null : { bits: bitsOf(type), shown: [type].flat().map(String).join(' or ') },
    choices: Array.isArray(schema.enum) ? (schema.enum as readonly unknown[]) : null,
    only: Object.hasOwn(schema, 'const') ? { value: schema.const } : null,
    ...{ minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength, maxLength, minItems, maxItems },
    pattern: typeof schema.pattern === 'string' ? schema.pattern : undefined,
    items: isObject(items) ? items : undefined,
    required: (required as readonly string[] | undefined) ?? NO_NAMES,
    properties: isObject(properties) ? new Map(Object.entries(properties)) : NO_FIELDS,
    others: additionalProperties,
    ref: typeof $ref === 'string' ? $ref : undefined,
    referred: null,
    allOf: listOf(schema.allOf),
    anyOf: listOf(schema.anyOf),
    oneOf: listOf(schema.oneOf),
  };
}

export function kindOf(value: unknown): number {
  switch (typeof value) {
    case 'string':
      return KINDS.string;
    case 'number':
      return Number.isInteger(value) ? KINDS.number | KINDS.integer : KINDS.number;
    case 'bigint':
      return KINDS.number | KINDS.integer;
    case 'boolean':
      return KINDS.boolean;
    case 'object':
      if (value === null) return KINDS.null;
      return Array.isArray(value) ? KINDS.array : KINDS.object;
    default:
      return 0;
  }
}

function bitsOf(types: unknown): number {
  return [types]
    .flat()
    .reduce<number>(
      (bits, type) => bits | (Object.hasOwn(KINDS, String(type)) ? KINDS[type as keyof typeof KINDS] : 0),
      0,
    );
}

function listOf(schemas: unknown): readonly JsonSchema[] | null {
  if (schemas === undefined) return null;
  return Array.isArray(schemas) ? (schemas as readonly JsonSchema[]) : [];
}
