import { DocumentFault, Unusable } from '../document/document-fault.js';
import { unescaped, type References } from '../document/references.js';
import { entriesOf, isObject, listOf, own, textOf, type JsonObject } from '../json.js';
import { BUNDLE_CHARS, MAX_CHAIN, MAX_SCHEMAS } from '../limits.js';
import { withDiscriminator } from './discriminator.js';
import { keptKeyword } from './keywords.js';
import { namesLeftOut } from './names-left-out.js';

/** Whether a schema describes what Weft sends, or what it is answered. */
export type Direction = 'args' | 'out';

export type Warn = (path: string, message: string) => void;

/** A schema as it is kept: JSON Schema 2020-12, whose references are `#/$defs/<name>`. */
export interface KeptSchema {
  readonly schema: JsonObject;
  /** Of the definitions that it refers to. */
  readonly refs: ReadonlySet<string>;
  readonly chars: number;
}

export interface Definition extends KeptSchema {
  readonly name: string;
}

/** Definitions whose values are the same as that of the schema itself: circles of those would judge one value without end. */
interface Made {
  readonly refs: Set<string>;
  readonly sameValue: Set<string>;
}

const FILE_TYPES = ['object', 'string'];

/**
 * The schemas of a document, each converted once for each direction. Args have no `readOnly` fields, answers have no `writeOnly`
 * ones; references stay references, so that types may be recursive.
 */
export class SchemaLibrary {
  private readonly references: References;
  private readonly direction: Direction;
  private readonly warn: Warn;
  private readonly definitions = new Map<string, Definition & { readonly sameValue: ReadonlySet<string> }>();
  private readonly names = new Map<string, string>();
  private readonly taken = new Set<string>();
  private readonly cut = new Set<string>();

  constructor(references: References, direction: Direction, warn: Warn) {
    this.references = references;
    this.direction = direction;
    this.warn = warn;
  }

  /** A schema that is written in an operation. One that alone is too large takes any value. */
  convert(schema: unknown, path: string): KeptSchema {
    const made: Made = { refs: new Set(), sameValue: new Set() };
    const converted = this.converted(schema, path, made, true);
    const { length: chars } = JSON.stringify(converted);
    if (chars <= BUNDLE_CHARS[0]) return { schema: converted, refs: made.refs, chars };
    this.warn(path, `is a schema of more than ${BUNDLE_CHARS[0]} characters; any value is taken there`);
    return { schema: {}, refs: new Set(), chars: 2 };
  }

  /** @param ref one of `refs` of a schema that this library converted */
  definition(ref: string): Definition {
    const known = this.definitions.get(ref) ?? this.define(ref);
    this.cutCircles(ref);
    return this.definitions.get(ref) ?? known;
  }

  private define(ref: string): Definition & { readonly sameValue: ReadonlySet<string> } {
    if (this.definitions.size >= MAX_SCHEMAS) {
      throw new DocumentFault(`The document refers to more than ${MAX_SCHEMAS} schemas.`);
    }
    const made: Made = { refs: new Set(), sameValue: new Set() };
    const schema = this.converted(this.references.target(ref), ref, made, true);
    const definition = { name: this.nameOf(ref), schema, chars: JSON.stringify(schema).length, ...made };
    this.definitions.set(ref, definition);
    return definition;
  }

  private converted(
    node: unknown,
    path: string,
    made: Made,
    isSameValue: boolean,
    more?: ReadonlySet<string>,
  ): JsonObject {
    if (node === true) return {};
    if (!isObject(node)) {
      this.warn(path, 'is not a schema; any value is taken there');
      return {};
    }
    const leftOut = new Set([...(more ?? []), ...namesLeftOut(node, this.direction, this.references)]);
    const fields: [string, unknown][] = [];
    const ref = textOf(node, '$ref');
    if (ref !== undefined) fields.push(...this.reference(ref, path, made, isSameValue));
    for (const [name, value] of Object.entries(node)) {
      const kept = this.keyword(name, value, `${path}/${name}`, made, isSameValue, leftOut);
      if (kept !== undefined) fields.push([name, kept]);
    }
    const schema = Object.fromEntries(fields) as Record<string, unknown>;
    return this.tidied(
      withDiscriminator(schema, node, (each) => this.references.target(each)),
      node,
    );
  }

  private reference(ref: string, path: string, made: Made, isSameValue: boolean): [string, unknown][] {
    try {
      const { ref: last } = this.references.follow({ $ref: ref });
      const target = last ?? ref;
      made.refs.add(target);
      if (isSameValue) made.sameValue.add(target);
      return [['$ref', `#/$defs/${pointerStep(this.nameOf(target))}`]];
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      this.warn(path, `${error.message}; any value is taken there`);
      return [];
    }
  }

  private keyword(
    name: string,
    value: unknown,
    path: string,
    made: Made,
    isSameValue: boolean,
    leftOut: ReadonlySet<string>,
  ): unknown {
    switch (name) {
      case 'properties': {
        const kept = entriesOf(value).filter(([property, schema]) => schema !== false && !leftOut.has(property));
        return Object.fromEntries(
          kept.map(([property, schema]) => [property, this.converted(schema, `${path}/${property}`, made, false)]),
        );
      }
      case 'additionalProperties':
        return typeof value === 'boolean' ? value : this.converted(value, path, made, false);
      case 'items':
        return value === false ? undefined : this.converted(value, path, made, false);
      case 'anyOf':
      case 'oneOf':
      case 'allOf': {
        const schemas = listOf(value);
        if (schemas.length === 0) return undefined;
        return schemas.map((each, i) => this.converted(each, `${path}/${i}`, made, isSameValue, leftOut));
      }
      case 'required':
        return Array.isArray(value)
          ? keptKeyword(
              name,
              value.filter((each) => !leftOut.has(each as string)),
              () => this.misshapen(path),
            )
          : this.misshapen(path);
      default:
        return keptKeyword(name, value, () => this.misshapen(path));
    }
  }

  private misshapen(path: string): undefined {
    this.warn(path, 'does not have the shape that JSON Schema gives it; it is left out');
    return undefined;
  }

  /** What a keyword that is left out would have allowed, the others must not forbid. */
  private tidied(schema: Record<string, unknown>, node: JsonObject): JsonObject {
    if (own(node, 'patternProperties') !== undefined) delete schema.additionalProperties;
    if (own(node, 'prefixItems') !== undefined) delete schema.items;
    if (own(node, 'nullable') === true && schema.type !== undefined && ![schema.type].flat().includes('null')) {
      schema.type = [schema.type, 'null'].flat();
    }
    if (Array.isArray(schema.enum) && [schema.type].flat().includes('null') && !schema.enum.includes(null)) {
      // the rule of OpenAPI 3.0 for `nullable` next to `enum`, which documents seldom obey
      schema.enum = [...(schema.enum as readonly unknown[]), null];
    }
    if (this.direction === 'args' && isFileSchema(schema)) return { ...schema, type: FILE_TYPES, format: 'binary' };
    return schema;
  }

  /** Names of definitions are those of the components; two of the same name have numbers. */
  private nameOf(ref: string): string {
    const known = this.names.get(ref);
    if (known !== undefined) return known;
    const last = ref.split('/').at(-1) ?? '';
    const name =
      unescaped(last)
        .replace(/[^A-Za-z0-9_.-]+/g, '_')
        .replace(/^_+/, '')
        .slice(0, 100) || 'Schema';
    let free = name;
    for (let i = 2; this.taken.has(free); i += 1) free = `${name}_${i}`;
    this.taken.add(free);
    this.names.set(ref, free);
    return free;
  }

  /** A schema that is judged by itself for the same value, or by a long chain of others, takes any value. */
  private cutCircles(start: string): void {
    if (this.cut.has(start)) return;
    const path: { readonly ref: string; readonly left: string[] }[] = [];
    const open = new Set<string>();
    const enter = (ref: string): void => {
      open.add(ref);
      const { sameValue } = this.definitions.get(ref) ?? this.define(ref);
      path.push({ ref, left: [...sameValue] });
    };
    enter(start);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = top.left.pop();
      if (next === undefined) {
        path.pop();
        open.delete(top.ref);
        this.cut.add(top.ref);
      } else if (open.has(next) || (path.length >= MAX_CHAIN && !this.cut.has(next))) {
        const { ref } = top;
        const why = open.has(next)
          ? 'is a schema of itself, without a field between'
          : `is the end of a chain of ${MAX_CHAIN} schemas`;
        this.warn(ref, `${why}; any value is taken there`);
        const name = this.nameOf(ref);
        this.definitions.set(ref, { name, schema: {}, refs: new Set(), sameValue: new Set(), chars: 2 });
        top.left.length = 0;
      } else if (!this.cut.has(next)) enter(next);
    }
  }
}

function isFileSchema(schema: JsonObject): boolean {
  if (schema.format === 'binary') return true;
  const { type, contentMediaType, contentEncoding } = schema;
  if (contentMediaType === undefined || contentEncoding !== undefined) return false;
  return type === undefined || [type].flat().includes('string');
}

function pointerStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
