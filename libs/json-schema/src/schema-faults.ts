/**
 * What is wrong with a JSON Schema that a user wrote. Weft judges the keywords below and refuses all others, rather than ignoring
 * them: a schema that is saved holds.
 */
import { Suggestions } from '@weft/expressions';
import type { FieldError } from '@weft/kernel';
import { patternFault } from './bounded-pattern.js';
import { circleIn, definitionNamed, isObject, REF, type JsonSchema } from './definitions.js';

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
const MAX_CHARS = 32 * 1024;
const MAX_DEPTH = 12;
const MAX_SCHEMAS = 500;
const MAX_CHOICES = 20;

type Check = (value: unknown) => string | null;

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const count: Check = (value) => (isCount(value) ? null : 'must be a whole number from 0');
const number: Check = (value) => (typeof value === 'number' ? null : 'must be a number');
const text: Check = (value) => (typeof value === 'string' ? null : 'must be a text');
const anything: Check = () => null;
const flag: Check = (value) => (typeof value === 'boolean' ? null : 'must be true or false');
const texts: Check = (value) =>
  Array.isArray(value) && value.every((each) => typeof each === 'string') ? null : 'must be a list of texts';

/** Keywords that hold no schemas. */
const KEYWORDS: Readonly<Record<string, Check>> = {
  type: (value) =>
    [value].flat().length > 0 && [value].flat().every((each) => TYPES.includes(each as string))
      ? null
      : `must be one or several of ${TYPES.join(', ')}`,
  enum: (value) => (Array.isArray(value) && value.length > 0 ? null : 'must be a list of values'),
  const: anything,
  required: texts,
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  pattern: (value) => (typeof value === 'string' ? patternFault(value) : 'must be a text'),
  // for people and forms
  ...{ title: text, description: text, default: anything, examples: anything, format: text, deprecated: flag },
};

const WITH_SCHEMAS = ['properties', 'additionalProperties', 'items', 'anyOf', 'oneOf', 'allOf', '$ref', '$defs'];
const ALL = [...Object.keys(KEYWORDS), ...WITH_SCHEMAS];

/** All faults, with paths that begin with `argsSchema`. */
export function schemaFaults(schema: JsonSchema): FieldError[] {
  if (JSON.stringify(schema).length > MAX_CHARS) return [faultAt('argsSchema', 'has more than 32 KB')];
  const faults: FieldError[] = [];
  const suggestions = new Suggestions(ALL);
  let schemas = 0;

  const look = (value: unknown, path: string, depth: number): void => {
    schemas += 1;
    if (schemas > MAX_SCHEMAS || depth > MAX_DEPTH) {
      if (faults.length === 0) faults.push(faultAt(path, `is too much: ${MAX_SCHEMAS} schemas, ${MAX_DEPTH} deep`));
      return;
    }
    if (!isObject(value)) return void faults.push(faultAt(path, 'must be a schema, an object'));
    for (const [keyword, inner] of Object.entries(value)) lookAt(keyword, inner, `${path}.${keyword}`, depth);
  };

  const lookAt = (keyword: string, inner: unknown, path: string, depth: number): void => {
    if (keyword === '$ref') {
      if (typeof inner === 'string' && REF.test(inner) && definitionNamed(inner, schema.$defs)) return;
      faults.push(faultAt(path, 'must be "#/$defs/<name>", with a name of the $defs of this schema'));
    } else if (keyword === '$defs' && depth > 0) {
      faults.push(faultAt(path, 'must be at the top of the schema'));
    } else if (keyword === 'properties' || keyword === '$defs') {
      if (!isObject(inner)) return void faults.push(faultAt(path, 'must be an object of schemas'));
      for (const [name, each] of Object.entries(inner)) look(each, `${path}.${name}`, depth + 1);
    } else if (keyword === 'items' || (keyword === 'additionalProperties' && typeof inner !== 'boolean')) {
      look(inner, path, depth + 1);
    } else if (['anyOf', 'oneOf', 'allOf'].includes(keyword)) {
      const isList = Array.isArray(inner) && inner.length > 0 && inner.length <= MAX_CHOICES;
      if (!isList) return void faults.push(faultAt(path, `must be a list of 1 to ${MAX_CHOICES} schemas`));
      inner.forEach((each, i) => look(each, `${path}.${i}`, depth + 1));
    } else if (keyword !== 'additionalProperties') {
      const check = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
      const message = check ? check(inner) : unknown(keyword);
      if (message !== null) faults.push(faultAt(path, message));
    }
  };

  const unknown = (keyword: string): string => {
    const near = suggestions.for(keyword);
    const hint = near.length > 0 ? `; did you mean ${near.join(', ')}?` : `. There are ${ALL.join(', ')}`;
    return `is not a keyword that Weft judges${hint}`;
  };

  const { type } = schema;
  if (type !== undefined && type !== 'object')
    faults.push(faultAt('argsSchema.type', 'must be "object": args are one'));
  look(schema, 'argsSchema', 0);
  const circle = faults.length === 0 ? circleIn(schema) : null;
  if (circle !== null)
    faults.push(
      faultAt(circle, 'is a schema of itself, without a field or an item between: no value could be judged by it'),
    );
  return faults;
}

function faultAt(path: string, message: string): FieldError {
  return { path, code: 'invalid_options', message };
}
