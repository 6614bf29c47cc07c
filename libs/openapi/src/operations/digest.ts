import { createHash } from 'node:crypto';
import { canonicalJson, entriesOf, isObject, type JsonObject } from '../json.js';
import type { Operation } from './plan.js';

/** What is only for people: another text is not another operation. */
const PROSE = ['title', 'description', 'examples', 'deprecated'];
/** Keywords whose value is not a schema, a list of schemas, or schemas by name. */
const DATA = ['enum', 'const', 'default', 'required', 'type'];
const BY_NAME = ['properties', '$defs'];

export function digestOf({
  plan,
  argsSchema,
  outSchema,
}: Pick<Operation, 'plan' | 'argsSchema' | 'outSchema'>): string {
  const { paging: _, errors, servers, ...sent } = plan;
  const json = canonicalJson({
    ...sent,
    servers: servers.map(({ description: __, ...server }) => server),
    errors: Object.fromEntries(entriesOf(errors).map(([status, schema]) => [status, withoutProse(schema)])),
    argsSchema: withoutProse(argsSchema),
    outSchema: withoutProse(outSchema),
  });
  return createHash('sha256').update(json).digest('base64url').slice(0, 22);
}

/** A schema without its texts. */
export function withoutProse(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutProse);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => !PROSE.includes(name))
      .map(([name, value]) => {
        if (DATA.includes(name)) return [name, value];
        return [name, BY_NAME.includes(name) ? mapped(value as JsonObject) : withoutProse(value)];
      }),
  );
}

function mapped(schemas: JsonObject): JsonObject {
  return Object.fromEntries(entriesOf(schemas).map(([name, schema]) => [name, withoutProse(schema)]));
}
