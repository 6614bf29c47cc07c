/** Says what a schema refuses in words that people can act on: which value, what is expected there, and what was meant. */
import { Suggestions } from '@weft/expressions';
import { expectedValue, type ExpectedShape } from '@weft/kernel';
import type { z } from 'zod';
import { publishedSchema } from './published-schema.js';

export interface IssueText {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  /** A key that the schema does not know. */
  readonly isUnknown: boolean;
}

export interface IssueSubject {
  readonly schema: z.ZodType;
  readonly value: unknown;
  /** The name of the value itself, at the beginning of each message: `args`; empty: paths only. */
  readonly root: string;
}

type Shape = ExpectedShape & {
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly additionalProperties?: Shape | boolean;
  readonly oneOf?: readonly Shape[];
};

/** Unknown keys of one object that are listed; further ones are not said. */
const MAX_KEYS = 50;
const MAX_LISTED = 20;
const MAX_KEY_CHARS = 64;
/** How zod begins its own messages; others are those of the module's author. */
const OF_ZOD = /^(?:Invalid|Too big|Too small|Unrecognized|Expected|Required)\b/;
/** How a message begins that goes on after the name of its field. */
const OF_FIELD = /^(?:must|has) /;

const PUBLISHED = new WeakMap<z.ZodType, Shape>();

/** One text for each issue; several for one that names several unknown keys. */
export function issueTexts(issue: z.core.$ZodIssue, subject: IssueSubject): readonly IssueText[] {
  const { path } = issue;
  if (issue.code === 'unrecognized_keys') return unknownKeys(issue.keys, path, subject);
  return [{ path, message: messageOf(issue, subject), isUnknown: false }];
}

function messageOf(issue: z.core.$ZodIssue, subject: IssueSubject): string {
  const { path } = issue;
  const where = nameOf(path, subject.root);
  const value = valueAt(subject.value, path);
  if (value === undefined && path.length > 0) return `${where} is required${meantInstead(path, subject)}`;
  if (!OF_ZOD.test(issue.message)) return `${where}${OF_FIELD.test(issue.message) ? ' ' : ': '}${issue.message}`;
  const shape = shapeAt(shapeOf(subject.schema), path) ?? {};
  // a text of the right length that is written wrongly: only zod knows how it should be
  if (issue.code === 'invalid_format' && shape.format === undefined) return `${where}: ${issue.message}`;
  const expected = expectedValue(shape, String(path.at(-1) ?? ''));
  return expected === '' ? `${where}: ${issue.message}` : `${where} must be ${expected}${insteadOf(issue, value)}`;
}

/** A key that the schema does not know and that is near the missing one. */
function meantInstead(path: readonly PropertyKey[], { schema, value }: IssueSubject): string {
  const around = valueAt(value, path.slice(0, -1));
  const name = path.at(-1);
  if (typeof name !== 'string' || typeof around !== 'object' || around === null || Array.isArray(around)) return '';
  const known = propertiesOf(shapeAt(shapeOf(schema), path.slice(0, -1)));
  const strangers = Object.keys(around).filter((key) => !Object.hasOwn(known, key));
  const [near] = new Suggestions(strangers).for(name);
  return near === undefined ? '' : `; did you mean ${name} instead of ${shorten(near)}?`;
}

function unknownKeys(
  keys: readonly string[],
  path: readonly PropertyKey[],
  { schema, root }: IssueSubject,
): readonly IssueText[] {
  const known = Object.keys(propertiesOf(shapeAt(shapeOf(schema), path)));
  const suggestions = new Suggestions(known);
  const where = nameOf(path, root);
  return keys.slice(0, MAX_KEYS).map((key) => {
    const near = suggestions.for(key);
    const hint = near.length > 0 ? `did you mean ${near.join(' or ')}?` : `there are ${listed(known)}`;
    const message = `${where === '' ? '' : `${where}.`}${shorten(key)} does not exist; ${hint}`;
    return { path: [...path, key], message, isUnknown: true };
  });
}

function listed(names: readonly string[]): string {
  const more = names.length > MAX_LISTED ? ' and others' : '';
  return names.length === 0 ? 'no fields here' : `${names.slice(0, MAX_LISTED).join(', ')}${more}`;
}

/** Of a value of another kind, the kind that it has: values may be long, or nobody's business. */
function insteadOf({ code }: z.core.$ZodIssue, value: unknown): string {
  if (code !== 'invalid_type' && code !== 'invalid_union') return '';
  if (value === null) return ', not null';
  if (Array.isArray(value)) return ', not a list';
  if (typeof value === 'string') return ', not a text';
  const isShort = typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean';
  return isShort ? `, not ${value}` : ', not an object';
}

function shapeOf(schema: z.ZodType): Shape {
  let shape = PUBLISHED.get(schema);
  if (!shape) PUBLISHED.set(schema, (shape = publishedSchema(schema, 'input') as Shape));
  return shape;
}

function shapeAt(shape: Shape, path: readonly PropertyKey[]): Shape | undefined {
  return path.reduce<Shape | undefined>((at, step) => at && within(at, step), shape);
}

function within(shape: Shape, step: PropertyKey): Shape | undefined {
  const { properties, additionalProperties, items } = shape;
  if (typeof step === 'string' && properties && Object.hasOwn(properties, step)) return properties[step];
  if (typeof step === 'number' && items) return items;
  if (typeof additionalProperties === 'object') return additionalProperties;
  const variants = (shape.anyOf ?? shape.oneOf ?? []) as readonly Shape[];
  return variants.map((each) => within(each, step)).find((each) => each !== undefined);
}

/** Of an object that may also be null, too. */
function propertiesOf(shape: Shape | undefined): Readonly<Record<string, Shape>> {
  const variants = (shape?.anyOf ?? shape?.oneOf ?? []) as readonly Shape[];
  return Object.assign({}, ...variants.map(propertiesOf), shape?.properties) as Readonly<Record<string, Shape>>;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, step) => {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    return (at as Readonly<Record<PropertyKey, unknown>>)[step];
  }, value);
}

function nameOf(path: readonly PropertyKey[], root: string): string {
  return [...(root === '' ? [] : [root]), ...path.map(String).map(shorten)].join('.');
}

function shorten(name: string): string {
  return name.length > MAX_KEY_CHARS ? `${name.slice(0, MAX_KEY_CHARS - 1)}…` : name;
}
