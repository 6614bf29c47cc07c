import { backoffMs, LONGEST_MS, pause } from './pause.js';
import { readWhole } from './read-whole.js';
import { isWeftError, redirectOf, toWeftError } from './weft-error.js';

export type Fetch = (request: Request) => Promise<Response>;

export interface SendPolicy {
  readonly fetch: Fetch;
  /** Attempts after the first one. */
  readonly retries: number;
  /** For all attempts and pauses together, and for reading the answer. */
  readonly timeoutMs: number;
  /** Whether the request may be sent twice although its method does not say so. */
  readonly isRepeatable?: boolean;
  /** Reads the answer as part of the attempt, at most this many bytes; left out: the caller reads it. */
  readonly mostBytes?: number;
}

const SAFE = ['GET', 'HEAD', 'OPTIONS'];
/** A second one finds what the first one has made. */
const SAME_AGAIN = ['PUT', 'DELETE'];
/** Nothing, or nobody knows what, has happened. */
const PASSING = [502, 503, 504];

/**
 * Sends a request, and sends it again after 429, and where it may be repeated also after 502, 503, 504 and a broken connection.
 *
 * @throws WeftError `unreachable`, `timeout`, `redirected`, `unreadable`; what the request's own signal was aborted with
 */
export async function send(request: Request, policy: SendPolicy): Promise<Response> {
  const endsAt = performance.now() + policy.timeoutMs;
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(Math.min(policy.timeoutMs, LONGEST_MS))]);
  let isUnsure = false;
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await attemptOf(request, signal, policy);
    const isLast = attempt >= policy.retries || signal.aborted;
    if (outcome instanceof Response && isUnsure && isGone(request, outcome)) return new Response(null, { status: 204 });
    const waitMs = isLast ? null : pauseAfter(outcome, request, policy, attempt);
    if (waitMs === null || performance.now() + waitMs >= endsAt) {
      if (outcome instanceof Response) return outcome;
      throw toWeftError(outcome.error, request.signal);
    }
    isUnsure ||= !(outcome instanceof Response) || PASSING.includes(outcome.status);
    if (outcome instanceof Response) outcome.body?.cancel().catch(() => undefined);
    await pause(waitMs, signal).catch((error: unknown) => {
      throw toWeftError(error, request.signal);
    });
  }
}

interface Failure {
  readonly error: unknown;
}

async function attemptOf(
  request: Request,
  signal: AbortSignal,
  { fetch, mostBytes }: SendPolicy,
): Promise<Response | Failure> {
  try {
    const response = await fetch(new Request(request.clone(), { signal, redirect: 'manual' }));
    if (isRedirect(response)) return { error: redirectOf(response, request.url) };
    return mostBytes === undefined ? response : await readWhole(response, mostBytes);
  } catch (error) {
    return { error };
  }
}

function isRedirect({ type, status, headers }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400 && headers.has('location'));
}

/** An earlier attempt has deleted it, although its answer was lost. */
function isGone({ method }: Request, { status }: Response): boolean {
  return method === 'DELETE' && status === 404;
}

function pauseAfter(outcome: Response | Failure, request: Request, policy: SendPolicy, attempt: number): number | null {
  if (!(outcome instanceof Response))
    return isRepeatable(request, policy) && !isWeftError(outcome.error) ? backoffMs(attempt) : null;
  const { status, headers } = outcome;
  if (status !== 429 && !(PASSING.includes(status) && isRepeatable(request, policy))) return null;
  const afterMs = retryAfterMs(headers.get('retry-after'), Date.parse(headers.get('date') ?? ''));
  return afterMs === null ? backoffMs(attempt) : afterMs + backoffMs(0);
}

function isRepeatable({ method, headers }: Request, policy: SendPolicy): boolean {
  if (policy.isRepeatable || SAFE.includes(method) || headers.has('idempotency-key')) return true;
  return SAME_AGAIN.includes(method) && !headers.has('if-match');
}

/**
 * `Retry-After` in milliseconds from now: seconds, or a date.
 *
 * @param nowMs by the clock of the server, where it says it
 */
export function retryAfterMs(header: string | null, nowMs = NaN): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = Number(header);
  const now = Number.isNaN(nowMs) ? Date.now() : nowMs;
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
