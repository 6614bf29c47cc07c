import { parseStoredJson } from '@weft/kernel';
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What clients read of a schema before they use it has the right types: one wrong schema must not cost them all tools. */
function withoutFaults(schema: Readonly<Fields>): Fields {
  const { properties, required, $schema: _dialect, ...rest } = withoutHeaders(schema);
  const fits = isObject(properties) && Object.values(properties).every(isObject);
  const names = Array.isArray(required) && required.every((name) => typeof name === 'string');
  return { ...rest, type: 'object', ...(fits && { properties }), ...(names && { required }) };
}

/** Tools of flows take no arguments from headers. */
function withoutHeaders(schema: Readonly<Fields>): Fields {
  const json = JSON.stringify(schema, (name, value: unknown) => (name === 'x-mcp-header' ? undefined : value));
  return parseStoredJson(json) as Fields;
}

/**
 * A schema that a user wrote: clients see it, and it is not executed, because a pattern in it could hold up the process. The
 * flow itself decides what it accepts.
 */
export function shownSchema(schema: Readonly<Fields>): StandardSchemaWithJSON<Fields> {
  const json = () => withoutFaults(schema);
  return {
    '~standard': {
      version: 1,
      vendor: 'weft',
      validate: (value) => (isObject(value) ? { value } : { issues: [{ message: 'must be an object' }] }),
      jsonSchema: { input: json, output: json },
    },
  };
}
