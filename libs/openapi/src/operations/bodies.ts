import { Unusable } from '../document/document-fault.js';
import type { References } from '../document/references.js';
import { canonicalJson, entriesOf, isObject, own, textOf, type JsonObject } from '../json.js';
import type { KeptSchema, SchemaLibrary } from '../schema/schema-library.js';
import { STYLES, type BodyForm, type BodyType, type OperationPlan, type Writing } from './plan.js';

const MAX_TYPES = 10;
/** Parts of a schema in which fields are looked for. */
const MAX_PARTS = 100;
const TEXTS = /^(text\/.+|application\/(xml|javascript|graphql|yaml|x-yaml|x-ndjson|jsonl)|.+\+(xml|yaml))$/;
export const MEDIA_TYPE = /^[\w!#$&^.+*-]{1,100}\/[\w!#$&^.+*-]{1,100}(\s*;[\t\x20-\x7e]{0,200})?$/;

/** How a body, or an answer, of a media type is written. */
export function formOf(type: string): BodyForm {
  const name = (type.split(';')[0] ?? '').trim();
  if (/^(application|text)\/(.+\+)?json$/.test(name)) return 'json';
  if (name === 'application/x-www-form-urlencoded') return 'form';
  if (name === 'multipart/form-data') return 'multipart';
  return TEXTS.test(name) ? 'text' : 'binary';
}

export interface ReadBody {
  readonly body: OperationPlan['body'];
  readonly isRequired: boolean;
  /** The different schemas of its types. */
  readonly schemas: readonly KeptSchema[];
}

/** @throws Unusable */
export function readBody(
  written: unknown,
  path: string,
  { references, library }: { readonly references: References; readonly library: SchemaLibrary },
): ReadBody | null {
  if (written === undefined) return null;
  const { value: node } = references.follow(written);
  const contents = entriesOf(own(node, 'content'))
    .filter(([type]) => MEDIA_TYPE.test(type))
    .slice(0, MAX_TYPES);
  if (contents.length === 0) return null;
  const read = contents.map(([name, content]) => {
    const type = name.toLowerCase();
    const form = formOf(type);
    const at = `${path}/content/${name}/schema`;
    const schema = library.convert(own(content, 'schema') ?? true, at);
    return { type: typeOf(type, form, content, fieldsOf(own(content, 'schema'), references)), schema };
  });
  // JSON says most of what it has; otherwise the document's order counts
  read.sort((a, b) => Number(b.type.form === 'json') - Number(a.type.form === 'json'));
  const schemas = new Map(
    read.map(({ schema, type }) => {
      const kept = type.form === 'binary' ? FILE : schema;
      return [canonicalJson(kept.schema), kept] as const;
    }),
  );
  return {
    body: { types: read.map(({ type }) => type) },
    isRequired: node.required === true,
    schemas: [...schemas.values()],
  };
}

/** A whole body that is a file: what the module web-request takes for one. */
const FILE_SCHEMA = { type: ['object', 'string'], format: 'binary' };
const FILE: KeptSchema = { schema: FILE_SCHEMA, refs: new Set(), chars: JSON.stringify(FILE_SCHEMA).length };

function typeOf(type: string, form: BodyForm, content: unknown, fields: JsonObject): BodyType {
  if (form !== 'form' && form !== 'multipart') return { type, form };
  const encoding = entriesOf(own(content, 'encoding')).flatMap(([field, node]) => {
    const kept = writingOf(node);
    return Object.keys(kept).length > 0 ? [[field, kept] as const] : [];
  });
  const files = form === 'multipart' ? Object.keys(fields).filter((name) => isFile(fields[name])) : [];
  return {
    type,
    form,
    ...(encoding.length > 0 && { encoding: Object.fromEntries(encoding) }),
    ...(files.length > 0 && { files }),
  };
}

function writingOf(node: unknown): Partial<Writing> {
  const [style, explode, content] = [own(node, 'style'), own(node, 'explode'), textOf(node, 'contentType')];
  const known = STYLES.find((each) => each === style);
  return {
    ...(known && { style: known }),
    ...(typeof explode === 'boolean' && { explode }),
    ...(own(node, 'allowReserved') === true && { allowReserved: true as const }),
    ...(content !== undefined && { content: (content.split(',')[0] ?? '').trim().toLowerCase() }),
  };
}

/** The fields of a body, also of its parts and choices. */
function fieldsOf(schema: unknown, references: References): JsonObject {
  const fields: [string, unknown][] = [];
  const seen = new Set<unknown>();
  const look = (node: unknown): void => {
    if (!isObject(node) || seen.has(node) || seen.size >= MAX_PARTS) return;
    seen.add(node);
    if (typeof node.$ref === 'string') look(followed(node, references));
    for (const part of [node.allOf, node.oneOf, node.anyOf].flat()) look(part);
    fields.push(...entriesOf(node.properties));
  };
  look(schema);
  return Object.fromEntries(fields);
}

function followed(schema: JsonObject, references: References): unknown {
  try {
    return references.follow(schema).value;
  } catch (error) {
    if (error instanceof Unusable) return undefined;
    throw error;
  }
}

function isFile(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const one = isObject(schema.items) ? schema.items : schema;
  return one.format === 'binary' || (one.contentMediaType !== undefined && one.contentEncoding === undefined);
}
