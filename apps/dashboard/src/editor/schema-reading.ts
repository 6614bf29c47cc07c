/** JSON Schema as forms and completion read it: references followed, parts merged, alternatives told apart. Pure. */
import { isBranch } from '../values/tree-model';

export type Schema = Readonly<Record<string, unknown>>;

/** What a schema is in one place: a value fits one of `options`, or is null. */
export interface Alternatives {
  readonly options: readonly Option[];
  readonly isNullable: boolean;
}

interface Option {
  /** The name that the schema gives it; empty: none. */
  readonly title: string;
  /** Without `$ref`, `allOf`, `anyOf` and `oneOf`, and of one type at most. */
  readonly schema: Schema;
}

/** Schemas that one place is made of. More are not read: definitions may refer to each other again and again. */
const MAX_PARTS = 200;
const MAX_OPTIONS = 50;

interface Reading {
  readonly defs: unknown;
  left: number;
}

/** @param defs `$defs` of the schema that this one is a part of */
export function alternativesOf(schema: Schema, defs: unknown): Alternatives {
  const reading = { defs, left: MAX_PARTS };
  const all = optionsOf(schema, '', reading).slice(0, MAX_OPTIONS);
  const options = all.filter(({ schema: { type } }) => type !== 'null');
  return { options, isNullable: options.length < all.length || options.some((each) => allowsNull(each.schema)) };
}

/** The same for places where alternatives do not count: the first one that is not null. */
export function plainSchema(schema: Schema, defs: unknown): Schema {
  return alternativesOf(schema, defs).options[0]?.schema ?? {};
}

/** What the schema says of the names of an object, in any of its alternatives. */
export function propertiesOf(schema: Schema, defs: unknown): Readonly<Record<string, Schema>> {
  const all = alternativesOf(schema, defs).options.flatMap((each) => Object.entries(objectOf(each.schema.properties)));
  const first = new Map<string, Schema>();
  for (const [name, each] of all) if (!first.has(name)) first.set(name, objectOf(each));
  return Object.fromEntries(first);
}

/** The schema of what is at a path; undefined where the schema says nothing of it. */
export function schemaAt(schema: Schema, path: readonly (string | number)[]): Schema | undefined {
  const { $defs } = schema;
  let at: Schema | undefined = schema;
  for (const step of path) {
    if (at === undefined) return undefined;
    at = typeof step === 'number' ? itemOf(at, $defs) : memberOf(at, step, $defs);
  }
  return at;
}

function memberOf(schema: Schema, name: string, defs: unknown): Schema | undefined {
  const known = propertiesOf(schema, defs);
  if (Object.hasOwn(known, name)) return known[name];
  return alternativesOf(schema, defs)
    .options.map((each) => each.schema.additionalProperties)
    .find(isSchema);
}

function itemOf(schema: Schema, defs: unknown): Schema | undefined {
  return alternativesOf(schema, defs)
    .options.map((each) => each.schema.items)
    .find(isSchema);
}

function optionsOf(schema: Schema, title: string, reading: Reading): readonly Option[] {
  const { anyOf, oneOf, ...rest } = merged(schema, reading);
  const name = typeof schema.title === 'string' ? schema.title : nameOfRef(schema) || title;
  const choices = [listOf(anyOf), listOf(oneOf)].find((each) => each.length > 0);
  if (choices) return choices.flatMap((each) => optionsOf(both(shapeOf(rest), each), nameOfRef(each), reading));
  const { type } = rest;
  if (!Array.isArray(type)) return [{ title: name, schema: rest }];
  return type.map((each: unknown) => ({ title: '', schema: { ...rest, type: each } }));
}

/** Without what is said of all alternatives together. */
function shapeOf({
  title: _title,
  description: _description,
  default: _default,
  examples: _,
  ...shape
}: Schema): Schema {
  return shape;
}

/** One schema that says what all parts of this one say. */
function merged({ $ref, allOf, ...own }: Schema, reading: Reading): Schema {
  reading.left -= 1;
  if (reading.left < 0) return own;
  const parts = [...(typeof $ref === 'string' ? [definitionNamed($ref, reading.defs)] : []), ...listOf(allOf)];
  return parts.reduceRight((all: Schema, part) => both(merged(part, reading), all), own);
}

/** What `second` says counts where both say something of one thing; a field of both is both. */
function both(first: Schema, second: Schema): Schema {
  const [before, after] = [objectOf(first.properties), objectOf(second.properties)];
  const shared = Object.keys(after).filter((name) => Object.hasOwn(before, name));
  const properties = {
    ...before,
    ...after,
    ...Object.fromEntries(shared.map((name) => [name, { allOf: [before[name], after[name]] }])),
  };
  const required = [...new Set([...listed(first.required), ...listed(second.required)])];
  return {
    ...first,
    ...second,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

function definitionNamed(ref: string, defs: unknown): Schema {
  const name = ref
    .replace(/^#\/\$defs\//, '')
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');
  return isBranch(defs) && Object.hasOwn(defs, name) ? objectOf((defs as Schema)[name]) : {};
}

function nameOfRef({ $ref }: Schema): string {
  return typeof $ref === 'string' ? ($ref.split('/').at(-1) ?? '') : '';
}

function allowsNull({ enum: values }: Schema): boolean {
  return Array.isArray(values) && values.includes(null);
}

export function objectOf(value: unknown): Schema {
  return isSchema(value) ? value : {};
}

function isSchema(value: unknown): value is Schema {
  return isBranch(value) && !Array.isArray(value);
}

function listOf(value: unknown): readonly Schema[] {
  return listed(value).map(objectOf);
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}
