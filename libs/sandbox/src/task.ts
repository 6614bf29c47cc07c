/** The messages between the sandbox and its processes. Values are passed as JSON text: no memory is shared. */

/** Makes a computation deterministic: its clock does not move, and its random numbers follow from a seed. */
export interface FixedClockAndSeed {
  /** Epoch ms: the time from the first to the last instruction. */
  readonly nowMs: number;
  readonly seed: string;
}

export interface ExpressionsTask extends FixedClockAndSeed {
  readonly kind: 'expressions';
  /** JSONata, evaluated one after the other. */
  readonly texts: readonly string[];
  /** JSON object: variables by name. */
  readonly variables: string;
  /** JSON value that the expressions start from (`$`); null: none. */
  readonly input: string | null;
  /** Texts of files that they may read, by their references. Default: none. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface CodeTask extends FixedClockAndSeed {
  readonly kind: 'code';
  /** The body of a JavaScript function with the parameter `input`. */
  readonly source: string;
  /** JSON value. */
  readonly input: string;
}

export interface ExtractionTask {
  readonly kind: 'extraction';
  readonly how: 'regex' | 'jsonpath' | 'css';
  readonly pattern: string;
  readonly source: string;
  /** Of a regex: number of the group to give; 0: the whole match. */
  readonly group: number;
  readonly all: boolean;
}

/** The operations of an OpenAPI document, or the tools of an MCP server; `openapiAnswer` reads the answer. */
export interface OpenapiTask {
  readonly kind: 'openapi';
  readonly document: Uint8Array;
  /** The address that it came from; null: none. */
  readonly from: string | null;
  /** JSON text of the `Overlay` that changes the document. */
  readonly overlay?: string;
  /** The document is `ListedTools`. */
  readonly isTools?: true;
}

export type SandboxTask = ExpressionsTask | CodeTask | ExtractionTask | OpenapiTask;

/**
 * A task whose texts are written when it starts, so that waiting tasks hold no more memory than what the texts are written from.
 * What `write` throws is the task's error.
 */
export interface LazyTask {
  readonly kind: 'expressions' | 'code';
  readonly write: () => SandboxTask | Promise<SandboxTask>;
}

/** What a process loads. The less it loads, the sooner it has started. */
export const PROGRAMS = ['expressions', 'code', 'documents', 'openapi'] as const;
export type Program = (typeof PROGRAMS)[number];

export function programOf(task: SandboxTask | LazyTask): Program {
  if (task.kind !== 'extraction') return task.kind;
  return task.how === 'regex' ? 'expressions' : 'documents';
}

/** What is sent to the process. */
export interface TaskRequest {
  readonly task: SandboxTask;
  /** For how long it may have a processor. */
  readonly timeoutMs: number;
  /** Limit of the answer's JSON text. */
  readonly maxChars: number;
}

/**
 * `failed`: the text or its data is wrong, or it reads `files` that the task does not have. `limit`: a limit was exceeded. `isLast`: the
 * process must not be used again.
 */
export type TaskAnswer = { readonly isLast: boolean } & (
  | { readonly ok: true; readonly json: string }
  | {
      readonly ok: false;
      readonly reason: 'failed' | 'limit';
      readonly message: string;
      readonly at?: TextPosition;
      readonly files?: readonly string[];
    }
);

/** Index of one of several texts, and of a character in it. */
export interface TextPosition {
  readonly text: number;
  readonly position: number;
}

/** The first message of a process. */
export const READY = 'ready';
