import { createHash } from 'node:crypto';

/** The arguments of one call that a layer would make, or what one of its steps asks. */
export interface LoggedCall {
  /** Of the arguments as JSON: equal digests, equal calls. */
  readonly digest: string;
  /** Undefined when the log was full. */
  readonly args: unknown;
}

/** Bytes of JSON of which the values themselves are kept. */
const KEPT_CHARS = 4 * 1024 * 1024;

/** The calls that the layers of a rehearsed play would make: by ref, in a loop by index. */
export class CallLog {
  readonly calls = new Map<string, LoggedCall[]>();
  /** Refs of layers whose calls are steps, each of which follows from those before. */
  readonly inSteps = new Set<string>();
  /** Those of them that do not ask any more what their play had asked. */
  readonly unknown = new Set<string>();
  private leftChars = KEPT_CHARS;

  add(ref: string, index: number, args: unknown): void {
    const json = JSON.stringify(args) ?? 'null';
    this.leftChars -= json.length;
    const digest = createHash('sha256').update(json).digest('base64');
    const calls = this.calls.get(ref) ?? [];
    calls[index] = { digest, args: this.leftChars >= 0 ? args : undefined };
    this.calls.set(ref, calls);
  }
}
