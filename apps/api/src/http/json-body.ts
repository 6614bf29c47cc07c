import { isForbiddenKey, MAX_JSON_NESTING, parseJson, WeftError } from '@weft/kernel';

/** The values of these fields are users' data: they are stored unchanged and never used as a filter, so their keys may contain `$`. */
const FREE_VALUES: ReadonlySet<string> = new Set([
  ...['args', 'payload', 'value', 'fixtures', 'expected', 'body', 'out', 'outs'],
  ...['argsSchema', 'outSchema', 'overlay'],
]);

/** Of a message to `/mcp`: of a tool that is a flow they are the args of a run. For other tools: `assertNames`. */
const TOOL_ARGUMENTS = 'params.arguments';

/** The keys that `isForbiddenKey` lets pass, as the description shows them. */
export const FREE_KEY = '^(?!(__proto__|_bsontype)$)[^\\u0000]*$';

/** Values that are not users' data have far fewer fields; checking each field takes time. */
const MAX_NAMES = 1_000;

/**
 * Reads a JSON body; an empty one is `{}`. Before anything else reads the body, it refuses keys that poison objects or
 * smuggle in filters, and more fields than any operation takes.
 *
 * @throws WeftError `malformed_json`, `invalid_body`
 */
export function parseJsonBody(body: Uint8Array): unknown {
  if (body.length === 0) return {};
  const value = parsed(body, MAX_JSON_NESTING, 'The body');
  inspect(value, false, '');
  return value;
}

/**
 * The same for a value that a caller has uploaded, whose keys are its own.
 *
 * @param path where the caller refers to it
 * @throws WeftError `malformed_json`, `invalid_body`
 */
export function parseFreeJson(body: Uint8Array, path: string): unknown {
  // it is one level deeper where it is used
  const value = parsed(body, MAX_JSON_NESTING - 1, `What "${path}" refers to`);
  inspect(value, true, path);
  return value;
}

/**
 * Refuses in the arguments of a tool what `parseJsonBody` refuses in a body.
 *
 * @throws WeftError `invalid_body`
 */
export function assertNames(toolArguments: unknown): void {
  inspect(toolArguments, false, TOOL_ARGUMENTS);
}

function parsed(body: Uint8Array, maxDepth: number, what: string): unknown {
  try {
    return parseJson(body, { maxDepth });
  } catch (cause) {
    throw new WeftError('malformed_json', `${what} is not valid JSON: ${(cause as Error).message}`, { cause });
  }
}

function inspect(value: unknown, free: boolean, path: string): void {
  if (value === null || typeof value !== 'object') return;
  if (Array.isArray(value)) {
    for (const item of value) inspect(item, free, path);
    return;
  }
  const keys = Object.keys(value);
  if (!free && keys.length > MAX_NAMES) {
    throw refusal(path, 'too_many_fields', `has ${keys.length} fields, and no operation takes more than ${MAX_NAMES}`);
  }
  for (const key of keys) {
    const inner = (value as Record<string, unknown>)[key];
    if (isForbiddenKey(key, inner)) throw refusal(join(path, key), 'forbidden_key', 'is a key that no body may have');
    if (!free && key.charCodeAt(0) === 36) {
      throw refusal(join(path, key), 'forbidden_key', 'starts with "$", which only values of your own may');
    }
    if (inner !== null && typeof inner === 'object') {
      const at = join(path, key);
      inspect(inner, free || FREE_VALUES.has(key) || at === TOOL_ARGUMENTS, at);
    }
  }
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function refusal(path: string, code: string, message: string): WeftError {
  return new WeftError('invalid_body', `${path === '' ? 'The body' : `"${path}"`} ${message}.`, {
    errors: [{ path, code, message }],
  });
}
