import type { components } from '../api-types.js';

export type Problem = components['schemas']['Problem'];

/** The codes of problems (docs/http-api.md §1.7), and what only a client can know. */
export type ErrorCode =
  | Problem['code']
  /** No answer came. */
  | 'unreachable'
  /** The time of the call is over. */
  | 'timeout'
  /** The answer is not one of Weft's; a proxy may have sent it. */
  | 'unreadable';

/** A call that did not give what was asked for. Decide by `code`; `message` is for people. */
export class WeftError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name: string = 'WeftError';

  constructor(
    readonly code: Code,
    message: string,
    /** Of the answer; null where none came. */
    readonly status: number | null = null,
    /** All that Weft said; null where the answer is not one of Weft's. */
    readonly problem: Problem | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** For the operators of the installation: their logs have it. */
  get requestId(): string | null {
    return this.problem?.requestId ?? null;
  }

  /** What is wrong with which field. */
  get faults(): Problem['errors'] {
    return this.problem?.errors ?? [];
  }

  /** Whether the same call may succeed later. */
  get isRetryable(): boolean {
    if (this.problem) return this.problem.retryable;
    return this.code === 'unreachable' || this.code === 'timeout' || (this.status ?? 0) >= 500;
  }
}

/** `if (isWeftError(error, 'version_conflict', 'not_found'))`: of one of these codes; without codes: of any. */
export function isWeftError<Code extends ErrorCode = ErrorCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is WeftError<Code> {
  return error instanceof WeftError && (codes.length === 0 || (codes as readonly unknown[]).includes(error.code));
}

export function refusalOf(response: Response, body: unknown): WeftError {
  if (isProblem(body)) return new WeftError(body.code, body.detail || body.title, response.status, body);
  return new WeftError('unreadable', `The server answered ${response.status}, and not as Weft does.`, response.status);
}

function isProblem(body: unknown): body is Problem {
  return typeof body === 'object' && body !== null && 'code' in body && 'detail' in body;
}

/** An error that `fetch` threw, or reading what it gave. That of the caller's own signal stays what it is. */
export function toWeftError(error: unknown, signal?: AbortSignal | null): unknown {
  if (isWeftError(error) || signal?.aborted) return error;
  if (error instanceof SyntaxError)
    return new WeftError('unreadable', 'The answer is not JSON.', null, null, { cause: error });
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return new WeftError('timeout', 'The time of the call is over.', null, null, { cause: error });
  return new WeftError('unreachable', `Weft could not be reached: ${reasonOf(error)}.`, null, null, { cause: error });
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string };
  return cause?.code ?? cause?.message ?? message ?? 'no answer';
}
