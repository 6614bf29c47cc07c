import { Unusable } from '../document/document-fault.js';
import type { References } from '../document/references.js';
import { canonicalJson, entriesOf, isObject, own, type JsonObject } from '../json.js';
import type { KeptSchema, SchemaLibrary, Warn } from '../schema/schema-library.js';
import { formOf, MEDIA_TYPE } from './bodies.js';

const STATUS = /^([1-5][0-9]{2}|[1-5]XX|default)$/;

const NOTHING = simple({ type: 'null' });
const TEXT = simple({ type: 'string' });
/** A stored file, as modules give it. */
export const FILE_SCHEMA = {
  type: 'object',
  format: 'binary',
  properties: {
    $ref: { type: 'string' },
    bytes: { type: 'integer' },
    contentType: { type: 'string' },
    filename: { type: ['string', 'null'] },
    sha256: { type: 'string' },
  },
  required: ['$ref', 'bytes', 'contentType', 'filename', 'sha256'],
} satisfies JsonObject;
const FILE = simple(FILE_SCHEMA);

export interface ReadAnswers {
  readonly ok: readonly string[];
  readonly accept: readonly string[];
  /** The different bodies of successful answers. */
  readonly bodies: readonly KeptSchema[];
  readonly errors: readonly (readonly [status: string, schema: KeptSchema])[];
  readonly hasLink: boolean;
}

/** The answers that a document lists for an operation: successful ones, and what others look like. */
export function readAnswers(
  written: unknown,
  path: string,
  {
    references,
    library,
    warn,
  }: { readonly references: References; readonly library: SchemaLibrary; readonly warn: Warn },
): ReadAnswers {
  const answers = entriesOf(written).flatMap(([name, node]) => {
    const status = name.toLowerCase() === 'default' ? 'default' : name.toUpperCase();
    if (!STATUS.test(status)) return [];
    try {
      return [{ status, node: references.follow(node).value, path: `${path}/${name}` }];
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      warn(`${path}/${name}`, `${error.message}; the answer may be anything`);
      return [];
    }
  });
  const hasSuccess = answers.some(({ status }) => /^[23]/.test(status));
  const isOk = (status: string): boolean => /^[23]/.test(status) || (status === 'default' && !hasSuccess);
  const successes = answers.filter(({ status }) => isOk(status));
  const bodies = successes
    // an answer that redirects is followed: its own body is not the output
    .filter(({ status }) => !status.startsWith('3'))
    .flatMap(({ node, path: at }) => bodiesOf(node, at, library));
  const types = successes.flatMap(({ node }) => entriesOf(own(node, 'content')).map(([type]) => type.toLowerCase()));
  return {
    ok: successes.map(({ status }) => status),
    accept: [...new Set(types)].filter((type) => MEDIA_TYPE.test(type)),
    bodies: [...new Map(bodies.map((each) => [canonicalJson(each.schema), each])).values()],
    errors: answers
      .filter(({ status }) => !isOk(status))
      .flatMap(({ status, node, path: at }) => {
        const json = bodiesOf(node, at, library).find((each) => each !== NOTHING && each !== FILE && each !== TEXT);
        return json ? [[status, json] as const] : [];
      }),
    hasLink: successes.some(({ node }) =>
      entriesOf(own(node, 'headers')).some(([name]) => name.toLowerCase() === 'link'),
    ),
  };
}

function bodiesOf(node: JsonObject, path: string, library: SchemaLibrary): readonly KeptSchema[] {
  const contents = entriesOf(own(node, 'content'));
  if (contents.length === 0) return [NOTHING];
  return contents.map(([type, content]) => {
    const form = formOf(type.toLowerCase());
    if (form !== 'json') return form === 'text' || form === 'form' ? TEXT : FILE;
    const at = `${path}/content/${type}/schema`;
    return library.convert(own(content, 'schema') ?? true, at);
  });
}

function simple(schema: JsonObject): KeptSchema {
  return { schema, refs: new Set(), chars: JSON.stringify(schema).length };
}

/** One schema for several. */
export function oneOfThem(schemas: readonly KeptSchema[]): KeptSchema {
  const [first] = schemas;
  if (schemas.length <= 1 || first === undefined) return first ?? simple({});
  const parts = schemas.map(({ schema }) => schema);
  if (parts.some((each) => isObject(each) && Object.keys(each).length === 0)) return simple({});
  return {
    schema: { anyOf: parts },
    refs: new Set(schemas.flatMap(({ refs }) => [...refs])),
    chars: schemas.reduce((sum, { chars }) => sum + chars + 1, 12),
  };
}
