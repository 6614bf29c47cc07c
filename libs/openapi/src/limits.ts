/** Bounds of an import. What exceeds one is refused or left out, and the report names its place. */

export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
/** Values in a document, each alias of YAML counted as often as it is used. */
export const MAX_VALUES = 4_000_000;
export const MAX_NESTING = 200;
/** Copies that aliases of YAML may make of one value. */
export const MAX_ALIASES = 100;
export const MAX_OPERATIONS = 5_000;
/** Of an MCP server. */
export const MAX_TOOLS = 1_000;
/** JSON of one schema of a tool as its server has it, in characters. */
export const MAX_TOOL_SCHEMA_CHARS = 64 * 1024;
/** Different schemas that are referred to. */
export const MAX_SCHEMAS = 20_000;
/** References, each to the next one. */
export const MAX_CHAIN = 32;
/**
 * JSON of the args of one operation, and of its answers, in characters. Where all operations together would have more than an import
 * may, the next limit holds for each: in some documents every schema leads to almost all others.
 */
export const BUNDLE_CHARS = [256 * 1024, 64 * 1024, 16 * 1024, 2 * 1024] as const;
/** JSON of all operations together, in characters. */
export const MAX_IMPORT_CHARS = 32 * 1024 * 1024;
/** JSON of how one operation is sent, in characters, without its schemas. */
export const MAX_PLAN_CHARS = 64 * 1024;
/** JSON of the servers of a document, and of its security schemes, in characters. */
export const MAX_FACTS_CHARS = 64 * 1024;
/** What a report lists of each kind; its counts are of all. */
export const MAX_REPORTED = 200;
/** Of an overlay. */
export const MAX_OVERLAY_ACTIONS = 100;
/** JSON of an overlay, in characters. */
export const MAX_OVERLAY_CHARS = 128 * 1024;
export const MAX_TARGET_CHARS = 1_000;
/** What one action of an overlay changes. */
export const MAX_OVERLAY_NODES = 10_000;
