/** A JSON Schema as an outline: what is in a place, and what is below it. Pure. */
import { alternativesOf, objectOf, propertiesOf, type Schema } from '../editor/schema-reading';

export interface Place {
  readonly name: string;
  readonly schema: Schema;
  /** `text`, `list of numbers`, `"a" or "b"`, `text or null`. */
  readonly type: string;
  readonly description: string;
  /** In each of its alternatives. */
  readonly isRequired: boolean;
}

const WORDS: Readonly<Record<string, string>> = { string: 'text', boolean: 'true or false', array: 'list' };
const MOST_CHOICES = 8;
const MOST_TYPES = 4;
const MOST_LISTS = 4;

/** What is directly below a schema; of a list what is in its elements. @param defs `$defs` of the whole schema */
export function placesIn(schema: Schema, defs: unknown, depth = 0): readonly Place[] {
  const { options } = alternativesOf(schema, defs);
  const named = Object.entries(propertiesOf(schema, defs)).map(([name, each]) => {
    const isRequired = options.every(({ schema: { required } }) => Array.isArray(required) && required.includes(name));
    return { ...placeOf(name, each, defs), isRequired };
  });
  const rest = options.map((each) => objectOf(each.schema.additionalProperties)).find(isSaid);
  if (rest) named.push(placeOf(named.length > 0 ? 'any other name' : 'any name', rest, defs));
  if (named.length > 0 || depth === MOST_LISTS) return named;
  const items = options.map((each) => objectOf(each.schema.items)).find(isSaid);
  return items ? placesIn(items, defs, depth + 1) : [];
}

function placeOf(name: string, schema: Schema, defs: unknown): Place {
  const [first] = alternativesOf(schema, defs).options;
  const description = [schema.description, first?.schema.description].find((each) => typeof each === 'string') ?? '';
  return { name, schema, type: typeIn(schema, defs), description: String(description), isRequired: false };
}

/** In words. @param defs `$defs` of the whole schema */
export function typeIn(schema: Schema, defs: unknown, depth = 0): string {
  const { options, isNullable } = alternativesOf(schema, defs);
  const all = [...new Set(options.map(({ schema: each, title }) => oneType(each, title, defs, depth)))];
  const shown = all.length > MOST_TYPES ? [...all.slice(0, MOST_TYPES), 'others'] : all;
  return [...shown, ...(isNullable && !shown.includes('null') ? ['null'] : [])].join(' or ');
}

function oneType(schema: Schema, title: string, defs: unknown, depth: number): string {
  const { type, format, items } = schema;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) {
    const choices = (schema.enum as readonly unknown[]).filter((each) => each !== null);
    const more = choices.length > MOST_CHOICES ? ['others'] : [];
    return [...choices.slice(0, MOST_CHOICES).map((each) => JSON.stringify(each)), ...more].join(' or ');
  }
  if (type === 'array') {
    const item = objectOf(items);
    return isSaid(item) && depth < MOST_LISTS ? `list of ${typeIn(item, defs, depth + 1)}` : 'list';
  }
  if (type === 'object' || 'properties' in schema) return title === '' ? 'object' : title;
  if (typeof type !== 'string') return 'any value';
  const word = WORDS[type] ?? type;
  return typeof format === 'string' ? `${word} (${format})` : word;
}

function isSaid(schema: Schema): boolean {
  return Object.keys(schema).length > 0;
}
