import { DocumentFault, Unusable } from '../document/document-fault.js';
import { References } from '../document/references.js';
import { entriesOf, isObject, own, textOf, type JsonObject } from '../json.js';
import { BUNDLE_CHARS, MAX_IMPORT_CHARS, MAX_TOOL_SCHEMA_CHARS, MAX_TOOLS } from '../limits.js';
import { FILE_SCHEMA } from '../operations/answers.js';
import { Findings } from '../operations/findings.js';
import { nameOfId, uniqueNames } from '../operations/operation-name.js';
import type { Operation, OperationPlan } from '../operations/plan.js';
import type { ReadApi } from '../operations/read-api.js';
import { bundle } from '../schema/bundle.js';
import { SchemaLibrary, type Direction, type Warn } from '../schema/schema-library.js';
import { toolDigest } from './tool-digest.js';

/** What the client of an MCP server has found, as JSON. */
export interface ListedTools {
  readonly protocol: string;
  readonly server: unknown;
  readonly instructions: unknown;
  /** As the server lists them. */
  readonly tools: readonly unknown[];
}

/** The plan of what is not called by a web request of its own. */
export const NO_REQUEST = {
  ...{ method: '', path: '', servers: [], params: [], body: null },
  ...{ ok: [], accept: [], errors: {}, security: [] },
} satisfies OperationPlan;

/** The server says them of its tools: they are shown, and nothing depends on them. */
const HINTS = [
  ['readOnlyHint', 'read-only'],
  ['destructiveHint', 'destructive'],
  ['idempotentHint', 'idempotent'],
  ['openWorldHint', 'open-world'],
] as const;

/** How deep arguments are that are sent as headers, too. */
const MAX_HEADER_DEPTH = 8;

/**
 * The tools of an MCP server as operations, each taken or skipped with its reason.
 *
 * @param bytes JSON of `ListedTools`
 * @throws DocumentFault when nothing can be taken
 */
export function readTools(bytes: Uint8Array): ReadApi {
  const { protocol, server, instructions, tools } = JSON.parse(Buffer.from(bytes).toString()) as ListedTools;
  if (tools.length > MAX_TOOLS) {
    throw new DocumentFault(`The server has more than ${MAX_TOOLS} tools; ${MAX_TOOLS} are allowed.`);
  }
  const findings = new Findings();
  const seen = new Set<string>();
  const named = tools.flatMap((tool, i) => {
    const name = textOf(tool, 'name');
    const id = nameOfId(name);
    if (name === undefined || id === null || !isObject(tool)) {
      findings.skip(`tools/${i}`, 'has no name that layers could name it by');
      return [];
    }
    if (seen.has(name)) {
      findings.skip(placeOf(name), 'has the name of another tool of the server');
      return [];
    }
    seen.add(name);
    return [{ id, place: id, tool }];
  });
  const names = uniqueNames(named);
  let chars = 0;
  const operations = named.flatMap(({ id, tool }, i) => {
    try {
      const operation = readTool(names[i] ?? id, tool, findings);
      chars += JSON.stringify(operation).length;
      return [operation];
    } catch (error) {
      if (error instanceof RangeError) findings.skip(placeOf(id), 'has a schema that is nested too deeply');
      else if (error instanceof Unusable) findings.skip(placeOf(id), error.message);
      else throw error;
      return [];
    }
  });
  if (chars > MAX_IMPORT_CHARS) {
    throw new DocumentFault(`The tools have more than ${MAX_IMPORT_CHARS} characters altogether.`);
  }
  if (tools.length === 0) findings.warn('tools', 'is empty: the server offers no tool');
  return { facts: factsOf(protocol, server, instructions), operations, report: findings.report(operations.length) };
}

function placeOf(name: string): string {
  return `tools/${name}`;
}

/** @throws Unusable, RangeError */
function readTool(name: string, tool: JsonObject, findings: Findings): Operation {
  const at = placeOf(name);
  const [input, output] = [own(tool, 'inputSchema'), own(tool, 'outputSchema')];
  const takes = schemaIn(input, 'args', `${at}/inputSchema`, findings.warn);
  const gives =
    output === undefined ? { schema: {}, defs: {} } : schemaIn(output, 'out', `${at}/outputSchema`, findings.warn);
  const headers = headerSchema(input, MAX_HEADER_DEPTH);
  const annotations = own(tool, 'annotations');
  const title = textOf(tool, 'title') ?? textOf(annotations, 'title') ?? '';
  return {
    name,
    digest: toolDigest(tool),
    title: title.slice(0, 200).toWellFormed(),
    description: (textOf(tool, 'description') ?? '').slice(0, 2_000).toWellFormed(),
    tags: HINTS.filter(([hint]) => own(annotations, hint) === true).map(([, tag]) => tag),
    deprecated: false,
    plan: { ...NO_REQUEST, tool: { name: textOf(tool, 'name') ?? name, ...(headers && { headers }) } },
    argsSchema: withDefs(closed(takes.schema), takes.defs),
    outSchema: withDefs(outSchemaOf(gives.schema, output !== undefined), gives.defs),
  };
}

interface Kept {
  readonly schema: JsonObject;
  readonly defs: JsonObject;
}

/** References are within the schema itself. @throws Unusable */
function schemaIn(written: unknown, direction: Direction, at: string, warn: Warn): Kept {
  if (!isObject(written)) throw new Unusable(`has no ${at.split('/').at(-1)} that is an object`);
  const { length } = JSON.stringify(written);
  if (length > MAX_TOOL_SCHEMA_CHARS) {
    throw new Unusable(`has a schema of ${length} characters; ${MAX_TOOL_SCHEMA_CHARS} are allowed`);
  }
  const inTool: Warn = (path, message) => warn(path.startsWith('#') ? `${at}${path.slice(1)}` : path, message);
  const library = new SchemaLibrary(new References(written), direction, inTool);
  const kept = library.convert(written, at);
  return { schema: kept.schema, defs: bundle([kept], library, BUNDLE_CHARS[0]).defs };
}

/** A tool that lists its arguments takes no others, unless it says so: many servers refuse a call with one that they do not know. */
function closed(schema: JsonObject): JsonObject {
  const isWhole = ['$ref', 'allOf', 'anyOf', 'oneOf', 'additionalProperties'].every(
    (name) => schema[name] === undefined,
  );
  const listed = Object.keys(schema.properties ?? {}).length > 0;
  return { ...schema, type: 'object', ...(isWhole && listed && { additionalProperties: false }) };
}

function outSchemaOf(structured: JsonObject, isTyped: boolean): JsonObject {
  return {
    type: 'object',
    properties: {
      content: {
        type: 'array',
        items: {
          type: 'object',
          properties: { type: { type: 'string' }, text: { type: 'string' }, file: FILE_SCHEMA },
          required: ['type'],
        },
      },
      structured,
      isError: { type: 'boolean' },
    },
    required: ['content', ...(isTyped ? ['structured'] : []), 'isError'],
  };
}

function withDefs(schema: JsonObject, defs: JsonObject): JsonObject {
  return Object.keys(defs).length > 0 ? { ...schema, $defs: defs } : schema;
}

/** Arguments that the 2026 revision sends as headers, too (`x-mcp-header`), and nothing else of the schema. */
function headerSchema(schema: unknown, depth: number): JsonObject | undefined {
  const found = entriesOf(own(schema, 'properties')).flatMap(([name, property]) => {
    const header = own(property, 'x-mcp-header');
    const type = own(property, 'type');
    if (typeof header === 'string' && typeof type === 'string')
      return [[name, { type, 'x-mcp-header': header }] as const];
    const inner = depth > 0 ? headerSchema(property, depth - 1) : undefined;
    return inner ? [[name, inner] as const] : [];
  });
  return found.length > 0 ? { type: 'object', properties: Object.fromEntries(found) } : undefined;
}

function factsOf(protocol: string, server: unknown, instructions: unknown): ReadApi['facts'] {
  const text = (value: unknown, most: number): string =>
    typeof value === 'string' ? value.slice(0, most).toWellFormed() : '';
  return {
    title: text(own(server, 'title') ?? own(server, 'name'), 200),
    version: text(own(server, 'version'), 100),
    description: text(instructions, 4_000),
    ...{ servers: [], schemes: {} },
    protocol: text(protocol, 50),
  };
}
