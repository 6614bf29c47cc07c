/** Requests generated from the OpenAPI document, so that a new operation is tested automatically. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly maxItems?: number;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly pattern?: string;
  readonly example?: unknown;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
  readonly responses: Readonly<Record<string, unknown>>;
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

export interface DescribedOperation {
  readonly method: string;
  /** With `{name}` where an id stands. */
  readonly path: string;
  readonly parameters: readonly string[];
  /** Names of its query parameters. */
  readonly query: readonly string[];
  /** Of the body; undefined where none is taken. */
  readonly schema: Schema | undefined;
  /** A body that has the shape; undefined where none is taken. */
  readonly body: unknown;
  readonly creates: boolean;
}

const METHODS = ['get', 'put', 'post', 'patch', 'delete'];

/** @param known values of fields by name, where an arbitrary text would be invalid */
export function describedOperations(document: OpenApi, known: Readonly<Record<string, unknown>>): DescribedOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) => {
      const operation = item[method] as Operation;
      const schema = operation.requestBody?.content['application/json']?.schema;
      return {
        method: method.toUpperCase(),
        path,
        parameters: [...path.matchAll(/\{([^}]+)\}/g)].map((match) => String(match[1])),
        query: (operation.parameters ?? []).filter((each) => each.in === 'query').map(({ name }) => name),
        schema,
        body: schema && valueOf(schema, document, known, ''),
        creates: '201' in operation.responses,
      };
    }),
  );
}

/** What a schema that only refers to another one says. */
export function schemaOf(schema: Schema, document: OpenApi): Schema {
  const inner =
    schema.$ref === undefined ? schema.allOf?.[0] : document.components.schemas[schema.$ref.split('/').at(-1) ?? ''];
  return inner ? schemaOf(inner, document) : schema;
}

/** Texts that patterns of the API take, tried in turn. */
const TEXTS = [
  'a',
  'abcdefghijkl',
  '2030-01-01T00:00:00Z',
  '0 3 * * *',
  'someone@weft.test',
  'https://weft.test/',
  '30d',
  '1',
];

/** The smallest value that fits: required fields, and others whose value is known. */
function valueOf(schema: Schema, document: OpenApi, known: Readonly<Record<string, unknown>>, name: string): unknown {
  // a list and a text may have one name in two bodies
  if (name in known && [schema.type].flat().includes('array') === Array.isArray(known[name])) return known[name];
  if (schema.example !== undefined) return schema.example;
  const inner = schemaOf(schema, document);
  if (inner !== schema) return valueOf(inner, document, known, name);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const [first] = schema.anyOf ?? [];
  if (first) return valueOf(first, document, known, name);
  switch ([schema.type].flat()[0]) {
    case 'object': {
      const fields = Object.entries(schema.properties ?? {});
      const needed = fields.filter(([field]) => schema.required?.includes(field) === true || field in known);
      return Object.fromEntries(needed.map(([field, shape]) => [field, valueOf(shape, document, known, field)]));
    }
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => valueOf(schema.items ?? {}, document, known, ''));
    case 'integer':
    case 'number':
      return schema.minimum ?? 0;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return TEXTS.find((text) => fits(text, schema)) ?? 'a';
  }
}

function fits(text: string, { minLength = 0, pattern = '' }: Schema): boolean {
  return text.length >= minLength && new RegExp(pattern).test(text);
}
