/** What a form shows for a JSON Schema of arguments, and what of a value it can show: the rest stays JSON. Pure. */
import { isBranch } from '../values/tree-model';
import { alternativesOf, objectOf, plainSchema, type Alternatives, type Schema } from './schema-reading';

export type { Schema };
export type Args = Readonly<Record<string, unknown>>;
export type Scalar = string | number | boolean;

interface Common {
  readonly name: string;
  /** What people call it, where that is not its name. */
  readonly label?: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** It is there also without a value: what holds then is in its place. */
  readonly isShown?: boolean;
  /** It may be null. */
  readonly isNullable: boolean;
  /** What counts when it is left out, as text; empty when the schema says nothing. */
  readonly fallback: string;
  /** The same as a value, if it is one of the field. */
  readonly preset?: unknown;
  /** What it begins with, where its kind does not say it. */
  readonly first?: unknown;
}

/** Fields within a field are made when they are asked for: a schema may refer to itself. */
export type Field = Common &
  (
    | { readonly kind: 'text' | 'boolean' | 'any' }
    /** A program, or a plain word: no expression in braces is read in it. */
    | { readonly kind: 'program' | 'word' }
    | { readonly kind: 'number'; readonly min: number | null; readonly max: number | null; readonly isInteger: boolean }
    | {
        readonly kind: 'choice';
        readonly options: readonly Scalar[];
        /** What people call them. */
        readonly words?: Readonly<Record<string, string>>;
      }
    | { readonly kind: 'list'; readonly item: Field }
    /** `rest`: of names that are not in `fields`; null: there are no others. */
    | { readonly kind: 'object'; readonly fields: readonly Field[]; readonly rest: Field | null }
    | { readonly kind: 'map'; readonly value: Field }
    /** The value is one of several, which have fields of their own. */
    | { readonly kind: 'variant'; readonly variants: readonly Variant[] }
  );

export interface Variant {
  readonly label: string;
  readonly field: Field;
}

/** `text`: an expression in the place of another value. */
export type Mode = 'form' | 'text' | 'json';

const PROGRAMS: Readonly<Record<string, string>> = { transform: 'expression', code: 'source' };

/** What a text of a format looks like. */
const FORMATS: Readonly<Record<string, string>> = {
  'date-time': 'A time, like 2026-11-30T12:00:00Z.',
  date: 'A day, like 2026-11-30.',
  time: 'A time of day, like 12:00:00Z.',
  duration: 'A duration, like PT5M.',
  email: 'An email address.',
  uri: 'An address.',
  url: 'An address.',
  uuid: 'A UUID.',
  byte: 'Base64.',
  binary: 'A file: {{ .ref.body }} of a layer that fetched one, or as JSON { "content": "…" }, { "base64": "…" }.',
};

export function fieldsOfArgs(appId: string, schema: Schema): readonly Field[] {
  return fieldsOfSchema(schema).map((field) =>
    field.name === PROGRAMS[appId] ? { ...pick(field), kind: 'program' } : field,
  );
}

/** The fields of an object that a whole schema describes, with its own `$defs`. */
export function fieldsOfSchema(schema: Schema): readonly Field[] {
  return fieldsOfObject(plainSchema(schema, schema.$defs), schema.$defs);
}

function pick({ name, description, isRequired, isNullable, fallback }: Common): Common {
  return { name, description, isRequired, isNullable, fallback };
}

function fieldsOfObject(schema: Schema, defs: unknown): readonly Field[] {
  const required = Array.isArray(schema.required) ? (schema.required as readonly unknown[]) : [];
  return Object.entries(objectOf(schema.properties)).flatMap(([name, each]) => {
    const property = objectOf(each);
    const isRead = alternativesOf(property, defs).options.some((option) => option.schema.readOnly === true);
    return isRead ? [] : [fieldOf(name, property, required.includes(name), defs)];
  });
}

/** @param defs `$defs` of the schema that this one is a part of */
export function fieldOf(name: string, schema: Schema, isRequired = false, defs: unknown = schema.$defs): Field {
  const { options, isNullable } = alternativesOf(schema, defs);
  const [only] = options;
  const plain = only?.schema ?? {};
  const fallback = schema.default ?? (options.length === 1 ? plain.default : undefined) ?? undefined;
  const common: Common = {
    name,
    isRequired,
    isNullable,
    description: descriptionOf(schema, plain),
    fallback: fallback === undefined ? '' : fallbackText(fallback),
    ...(fallback !== undefined && { preset: fallback }),
  };
  const constants = options.map((each) => constantsOf(each.schema));
  if (only && constants.every((each) => each !== null)) {
    const all = constants.flatMap((each) => each ?? []);
    return { ...common, kind: 'choice', options: [...new Set(all)] };
  }
  if (options.length <= 1 || plain.format === 'binary') return fieldOfPlain(common, plain, defs);
  // a text line takes any of them, and JSON is one click away
  if (!options.some((each) => hasFields(each.schema))) return { ...common, kind: 'any' };
  const variants = once(() => options.map((each, i) => variantOf(each, i, defs)));
  return {
    ...common,
    kind: 'variant',
    get variants() {
      return variants();
    },
  };
}

function fieldOfPlain(common: Common, schema: Schema, defs: unknown): Field {
  if (schema.format === 'binary') return { ...common, kind: 'any' };
  switch (schema.type ?? (schema.properties === undefined ? undefined : 'object')) {
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
    case 'array': {
      const item = once(() => fieldOf('', objectOf(schema.items), false, defs));
      return {
        ...common,
        kind: 'list',
        get item() {
          return item();
        },
      };
    }
    case 'object':
      return fieldOfObject(common, schema, defs);
    default:
      return { ...common, kind: 'any' };
  }
}

function fieldOfObject(common: Common, schema: Schema, defs: unknown): Field {
  const rest = once(() => fieldOf('', objectOf(schema.additionalProperties), false, defs));
  if (Object.keys(objectOf(schema.properties)).length === 0) {
    return {
      ...common,
      kind: 'map',
      get value() {
        return rest();
      },
    };
  }
  const fields = once(() => fieldsOfObject(schema, defs));
  const hasRest = isBranch(schema.additionalProperties);
  return {
    ...common,
    kind: 'object',
    get fields() {
      return fields();
    },
    get rest() {
      return hasRest ? rest() : null;
    },
  };
}

function variantOf({ title, schema }: Alternatives['options'][number], at: number, defs: unknown): Variant {
  const field = once(() => fieldOf('', schema, false, defs));
  return {
    label: title || markOf(schema) || `${typeof schema.type === 'string' ? schema.type : 'value'} ${at + 1}`,
    get field() {
      return field();
    },
  };
}

/** The value by which a variant is told from others: `type: "card"`. */
function markOf({ properties }: Schema): string {
  const marks = Object.values(objectOf(properties)).map((each) => constantsOf(objectOf(each)));
  const [mark] = marks.find((each) => each?.length === 1) ?? [];
  return mark === undefined ? '' : String(mark);
}

function hasFields({ properties, items, additionalProperties }: Schema): boolean {
  const item = objectOf(items);
  return [properties, item.properties, item.$ref].some((each) => each !== undefined) || isBranch(additionalProperties);
}

/** The values of a choice; null: it is not one. */
function constantsOf(schema: Schema): readonly Scalar[] | null {
  const values = Object.hasOwn(schema, 'const') ? [schema.const] : schema.enum;
  if (!Array.isArray(values)) return null;
  const some = (values as readonly unknown[]).filter((each) => each !== null);
  return some.every(isScalar) ? some : null;
}

export function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** What a text means that is written where an expression may stand: the value of the field if it is one to its last digit, else the text. */
export function valueOfText(field: Field, text: string): Scalar {
  switch (field.kind) {
    case 'number':
      return String(Number(text)) === text && Number.isFinite(Number(text)) ? Number(text) : text;
    case 'boolean':
      return text === 'true' || (text !== 'false' && text);
    case 'choice':
      return field.options.find((each) => String(each) === text) ?? text;
    default:
      return text;
  }
}

function descriptionOf(schema: Schema, plain: Schema): string {
  const [own, general, title] = [schema.description, plain.description, plain.title].map((each) =>
    typeof each === 'string' ? each : '',
  );
  const format = typeof plain.format === 'string' && Object.hasOwn(FORMATS, plain.format) ? FORMATS[plain.format] : '';
  return [own || general || title, format].filter(Boolean).join(' ');
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
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
      return isScalar(value) && field.options.includes(value);
    case 'list':
      return Array.isArray(value);
    case 'object':
    case 'map':
      return isBranch(value) && !Array.isArray(value);
    case 'variant':
      return field.variants.some((each) => canShow(each.field, value));
    default:
      return typeof value === 'string';
  }
}

/** The place of the variant that a value is, or is most like. */
export function variantAt(variants: readonly Variant[], value: unknown): number {
  const likeness = variants.map(({ field }) => likenessOf(field, value));
  return likeness.indexOf(Math.max(...likeness));
}

/** 0: it is not shown by this field. */
function likenessOf(field: Field, value: unknown): number {
  if (!canShow(field, value)) return 0;
  if (field.kind !== 'object') return 1;
  const has = (value ?? {}) as Args;
  const isOther = field.fields.some(
    (each) => each.kind === 'choice' && Object.hasOwn(has, each.name) && !canShow(each, has[each.name]),
  );
  const known = field.fields.filter(({ name }) => Object.hasOwn(has, name)).length;
  const missing = field.fields.filter(({ name, isRequired }) => isRequired && !Object.hasOwn(has, name)).length;
  return isOther ? 0.5 : 1 + (1 + known) / (1 + missing);
}

/** What counts anyway; undefined: the schema does not say it, or says what does not fit. */
export function presetOf(field: Field): unknown {
  return canShow(field, field.preset) ? field.preset : undefined;
}

/** Required fields within required fields, of a schema that refers to itself. */
const MAX_FIRST_DEPTH = 6;

/** What a new layer begins with: what it must have. */
export function firstValue(field: Field, depth = 0): unknown {
  if (field.first !== undefined) return field.first;
  if (field.isNullable && depth >= MAX_FIRST_DEPTH) return null;
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
      return depth < MAX_FIRST_DEPTH ? firstArgs(field.fields, depth + 1) : {};
    case 'variant':
      return field.variants[0] ? firstValue(field.variants[0].field, depth + 1) : null;
    case 'map':
      return {};
    default:
      return '';
  }
}

export function firstArgs(fields: readonly Field[], depth = 0): Args {
  const required = fields.filter(({ isRequired }) => isRequired);
  return Object.fromEntries(required.map((each) => [each.name, presetOf(each) ?? firstValue(each, depth)]));
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

const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : null;

function fallbackText(value: unknown): string {
  if (isBranch(value) && Object.keys(value).length === 0) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
