/** What a sandbox process is asked to do, and what it answers. Values cross as JSON text: nothing is shared. */

/** What makes a computation the same each time: its clock stands still, its chance follows from a seed. */
export interface Fixed {
  /** Epoch ms: what the time is, from the first to the last instruction. */
  readonly nowMs: number;
  readonly seed: string;
}

export interface ExpressionsTask extends Fixed {
  readonly kind: 'expressions';
  /** JSONata, to be evaluated one after the other. */
  readonly texts: readonly string[];
  /** JSON object: variables by name. */
  readonly variables: string;
  /** JSON value that the expressions start from (`$`); null = there is none. */
  readonly input: string | null;
}

export interface CodeTask extends Fixed {
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
  /** Of a regex: which of its groups; 0 = all of the match. */
  readonly group: number;
  readonly all: boolean;
}

export type SandboxTask = ExpressionsTask | CodeTask | ExtractionTask;

/**
 * One whose texts are written when its turn has come: however many wait, they hold no more than what they are made of.
 * What `write` throws is the task's end.
 */
export interface UnwrittenTask {
  readonly kind: 'expressions' | 'code';
  readonly write: () => SandboxTask;
}

/** What a process is loaded with. The less it is, the sooner the process has started. */
export const PROGRAMS = ['expressions', 'code', 'documents'] as const;
export type Program = (typeof PROGRAMS)[number];

export function programOf(task: SandboxTask | UnwrittenTask): Program {
  if (task.kind !== 'extraction') return task.kind;
  return task.how === 'regex' ? 'expressions' : 'documents';
}

/** What crosses to the process with a task. */
export interface Order {
  readonly task: SandboxTask;
  readonly timeoutMs: number;
  /** Characters of the answer. */
  readonly maxChars: number;
}

/** `failed`: the text or its data is wrong. `limit`: a bound was reached. `isLast`: the process is not to be used again. */
export type Answer = { readonly isLast: boolean } & (
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly why: 'failed' | 'limit'; readonly message: string; readonly at?: Place }
);

/** Which of several texts, and the character in it, from 0. */
export interface Place {
  readonly text: number;
  readonly position: number;
}

/** The first thing a process says. */
export const READY = 'ready';
