import { createRequire } from 'node:module';

/** What an Ajv says about a value; `errors` of the last call. */
export interface Validate {
  (value: unknown): boolean;
  readonly errors?: readonly { readonly instancePath: string; readonly message?: string }[] | null;
}

interface Ajv {
  compile(schema: object): Validate;
  addSchema(schema: object): void;
  addVocabulary(keywords: readonly string[]): void;
  addFormat(name: string, format: RegExp | true): void;
}

/** Fastify's own Ajv: the product validates with class-validator, and needs none of its own for the sake of specs. */
const { Ajv2020 } = createRequire(createRequire(import.meta.url).resolve('fastify'))('ajv/dist/2020.js') as {
  Ajv2020: new (options: object) => Ajv;
};

/** What schemas of an OpenAPI 3.1 document may say besides JSON Schema 2020-12. */
const OPENAPI_WORDS = ['example', 'discriminator', 'xml', 'externalDocs', 'x-extensible-enum'];

/** A validator that refuses schemas with words or types that JSON Schema 2020-12 does not know. */
export function createAjv(): Ajv {
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: false,
    strictRequired: false,
    allowMatchingProperties: true,
    allErrors: true,
  });
  ajv.addVocabulary(OPENAPI_WORDS);
  // binary: of OpenAPI's registry of formats
  for (const format of ['uri', 'uri-reference', 'media-range', 'regex', 'email', 'binary']) ajv.addFormat(format, true);
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
  return ajv;
}

/** What is wrong, one line each; empty when nothing is. */
export function faultsOf(validate: Validate, value: unknown): string[] {
  return validate(value) ? [] : (validate.errors ?? []).map((each) => `${each.instancePath}: ${each.message}`);
}

/** Compiles schemas that refer to those of a document. */
export function schemaCompiler(schemas: Readonly<Record<string, object>>): (schema: object) => Validate {
  const ajv = createAjv();
  for (const [name, schema] of Object.entries(schemas)) ajv.addSchema({ $id: `weft:${name}`, ...located(schema) });
  return (schema) => ajv.compile(located(schema));
}

function located(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', '"weft:')) as object;
}
