/** What Weft keeps of a document, or of the list of tools of an MCP server. All of it is JSON. */
import type { JsonObject } from '../json.js';

export const STYLES = ['matrix', 'label', 'simple', 'form', 'spaceDelimited', 'pipeDelimited', 'deepObject'] as const;
export type Style = (typeof STYLES)[number];

export const PLACES = ['path', 'query', 'header', 'cookie'] as const;
export type Place = (typeof PLACES)[number];

/** How a value is written into text (OpenAPI 3.1, section 4.8.12, RFC 6570). */
export interface Writing {
  readonly style: Style;
  readonly explode: boolean;
  /** Reserved characters of RFC 3986 are written as they are. */
  readonly allowReserved?: true;
  /** The value is written as text of this media type first. */
  readonly content?: string;
}

export interface Parameter extends Writing {
  readonly name: string;
  readonly in: Place;
}

/** `json`, `form`, `multipart`, `text` and `binary` are those of the module web-request. */
export type BodyForm = 'json' | 'form' | 'multipart' | 'text' | 'binary';

export interface BodyType {
  /** The media type, in lower case, as the document has it; may be a range like `image/*`. */
  readonly type: string;
  readonly form: BodyForm;
  /** Of `form` and `multipart`: fields that are written otherwise than usual. */
  readonly encoding?: Readonly<Record<string, Partial<Writing>>>;
  /** Of `multipart`: fields that are files, or lists of files. */
  readonly files?: readonly string[];
}

export interface Server {
  /** With `{variable}` in it. Relative where neither the document nor the address that it came from says more. */
  readonly url: string;
  readonly description?: string;
  readonly variables?: Readonly<Record<string, { readonly default: string; readonly enum?: readonly string[] }>>;
}

export interface SchemeUse {
  readonly scheme: string;
  readonly scopes: readonly string[];
}

/** What an operation's answers say of its pages: the option `paginate` of the module web-request, as a proposal. */
export type Paging =
  | { readonly link: true }
  | { readonly next: string }
  | {
      readonly cursor: { readonly from: string; readonly param: string };
      readonly until?: string;
      /** The proposal holds for pages of this size alone: what the query says of it. */
      readonly size?: { readonly param: string; readonly value: number };
    };

export interface OperationPlan {
  readonly method: string;
  /** With `{name}` for each parameter in it; begins with a slash. */
  readonly path: string;
  readonly servers: readonly Server[];
  readonly params: readonly Parameter[];
  /** The first type is the one that is sent where the input names none. Null: there is no body. */
  readonly body: { readonly types: readonly BodyType[] } | null;
  /** Statuses of success, as the document has them: `200`, `2XX`, `default`. */
  readonly ok: readonly string[];
  /** Media types of successful answers. */
  readonly accept: readonly string[];
  /** Schemas of refused answers by status; their references are into `$defs` of `outSchema`. */
  readonly errors: Readonly<Record<string, JsonObject>>;
  /** One of these is needed, and of that all. Empty: none. */
  readonly security: readonly (readonly SchemeUse[])[];
  readonly paging?: Paging;
  /** The operation is a tool of an MCP server: it is called by its name, and the rest of the plan is empty. */
  readonly tool?: ToolPlan;
}

export interface ToolPlan {
  /** As its server has it. */
  readonly name: string;
  /** A schema of the arguments that are sent as headers, too, each with its `x-mcp-header`. */
  readonly headers?: JsonObject;
}

export interface Operation {
  /** Unique in its document: `[A-Za-z0-9][A-Za-z0-9_.-]{0,127}`. */
  readonly name: string;
  /** Of what the operation does, without its texts for people. */
  readonly digest: string;
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly deprecated: boolean;
  readonly plan: OperationPlan;
  /** Of `{ path, query, headers, cookies, body, contentType }`, as JSON Schema 2020-12 with its own `$defs`. */
  readonly argsSchema: JsonObject;
  /** Of `{ statusCode, headers, body, durationMs }`, likewise. */
  readonly outSchema: JsonObject;
}

/** `path` is a pointer into the document. */
export interface Finding {
  readonly path: string;
  readonly reason: string;
}

/** The first 200 of each list, of warnings the first 20 with the same reason; and how many there are. */
export interface ImportReport {
  readonly operations: number;
  readonly skipped: readonly Finding[];
  readonly skippedCount: number;
  readonly warnings: readonly Finding[];
  readonly warningsCount: number;
}

/** Credentials of one choice, all of which are shown together. */
export interface SecurityChoice {
  /** Names of security schemes. */
  readonly schemes: readonly string[];
  /** That its operations ask for, the first 100. */
  readonly scopes: readonly string[];
  /** How many operations may be called with it. */
  readonly operations: number;
}

/** What the document says of itself and of its credentials. */
export interface ApiFacts {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly servers: readonly Server[];
  /** Security schemes by name, as OpenAPI 3.1 describes them. */
  readonly schemes: Readonly<Record<string, JsonObject>>;
  /** The choices of its operations, the commonest first; the first 20. Absent in what 1.0 has imported. */
  readonly security?: readonly SecurityChoice[];
  /** With how many operations each has, the commonest first; the first 200. Likewise. */
  readonly tags?: readonly { readonly name: string; readonly operations: number }[];
  /** Of an MCP server: the revision of the protocol that it was spoken with. */
  readonly protocol?: string;
}
