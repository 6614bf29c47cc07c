import type { components } from '../api-types.js';
import { UnwritableValue } from './to-body.js';

export type Problem = components['schemas']['Problem'];

const MOST_ADDRESS = 200;

/** The codes of problems (docs/http-api.md §1.7), and what only a client can know. */
export type ErrorCode =
  | Problem['code']
  /** No answer came. */
  | 'unreachable'
  /** The time of the call is over. */
  | 'timeout'
  /** The answer is not one of Weft's; a proxy may have sent it. */
  | 'unreadable'
  /** The answer names another address. The client never follows it: the key is meant for the address that it was given. */
  | 'redirected';

/** A call that did not give what was asked for. Decide by `code`; `message` is for people. */
export class WeftError<Code extends ErrorCode = ErrorCode> extends Error {
  override readonly name: string = 'WeftError';
  /** Of the runs that the call may have started although it failed: with the same keys it is repeated without running anything twice. */
  idempotencyKeys: readonly string[] = [];

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
    const id: unknown = this.problem?.requestId;
    return typeof id === 'string' ? id : null;
  }

  /** What is wrong with which field. */
  get faults(): Problem['errors'] {
    return this.problem?.errors ?? [];
  }

  /** Whether the same call may succeed later. */
  get isRetryable(): boolean {
    if (this.problem) return this.problem.retryable === true;
    const status = this.status ?? 0;
    return this.code === 'unreachable' || this.code === 'timeout' || status === 429 || status >= 500;
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
  if (isProblem(body)) return new WeftError(body.code, body.detail || body.title || body.code, response.status, body);
  return new WeftError('unreadable', `The server answered ${response.status}, and not as Weft does.`, response.status);
}

/** Whoever has sent it: what the members of `WeftError` read has its type. */
function isProblem(body: unknown): body is Problem {
  if (typeof body !== 'object' || body === null) return false;
  const { code, detail, errors } = body as Partial<Record<keyof Problem, unknown>>;
  return typeof code === 'string' && typeof detail === 'string' && Array.isArray(errors ?? []);
}

/** @param what is wrong with the answer */
export function unreadable(what: string, status: number | null = null, options?: ErrorOptions): WeftError {
  return new WeftError('unreadable', what, status, null, options);
}

/** An answer that sends the client elsewhere. A browser does not say where. */
export function redirectOf({ status, headers }: Response, asked: string): WeftError {
  const target = URL.parse(headers.get('location') ?? '', asked);
  const place = target === null ? 'another address' : `${target.origin}${target.pathname}`.slice(0, MOST_ADDRESS);
  const text = `${new URL(asked).origin} sends the request on to ${place}. It is not sent there, and neither is the key.`;
  return new WeftError('redirected', text, status || null);
}

/** An error that `fetch` threw, or reading what it gave. That of the caller's own signal or value stays what it is. */
export function toWeftError(error: unknown, signal?: AbortSignal | null): unknown {
  if (isWeftError(error) || error instanceof UnwritableValue || signal?.aborted) return error;
  if (error instanceof SyntaxError) return unreadable('The answer is not JSON.', null, { cause: error });
  if (error instanceof DOMException && error.name === 'TimeoutError')
    return new WeftError('timeout', 'The time of the call is over.', null, null, { cause: error });
  return new WeftError('unreachable', `Weft could not be reached: ${reasonOf(error)}.`, null, null, { cause: error });
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string };
  return cause?.code ?? cause?.message ?? message ?? 'no answer';
}
