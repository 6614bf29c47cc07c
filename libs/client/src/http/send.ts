import { backoffMs, pause } from './pause.js';
import { toWeftError } from './weft-error.js';

export type Fetch = (request: Request) => Promise<Response>;

export interface SendPolicy {
  readonly fetch: Fetch;
  /** Attempts after the first one. */
  readonly retries: number;
  /** For all attempts and pauses together, and for reading the answer. */
  readonly timeoutMs: number;
  /** Whether the request may be sent twice although its method does not say so. */
  readonly isRepeatable?: boolean;
}

const SAFE = ['GET', 'HEAD', 'OPTIONS'];
/** A second one finds what the first one has made. */
const SAME_AGAIN = ['PUT', 'DELETE'];
/** Nothing, or nobody knows what, has happened. */
const PASSING = [502, 503, 504];

/**
 * Sends a request, and sends it again after 429, and where it may be repeated also after 502, 503, 504 and a broken connection.
 *
 * @throws WeftError `unreachable`, `timeout`; what the request's own signal was aborted with
 */
export async function send(request: Request, policy: SendPolicy): Promise<Response> {
  const endsAt = performance.now() + policy.timeoutMs;
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(policy.timeoutMs)]);
  let isUnsure = false;
  for (let attempt = 0; ; attempt += 1) {
    const outcome = await attemptOf(request, signal, policy.fetch);
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

async function attemptOf(request: Request, signal: AbortSignal, fetch: Fetch): Promise<Response | Failure> {
  try {
    return await fetch(new Request(request.clone(), { signal }));
  } catch (error) {
    return { error };
  }
}

/** An earlier attempt has deleted it, although its answer was lost. */
function isGone({ method }: Request, { status }: Response): boolean {
  return method === 'DELETE' && status === 404;
}

function pauseAfter(outcome: Response | Failure, request: Request, policy: SendPolicy, attempt: number): number | null {
  if (!(outcome instanceof Response)) return isRepeatable(request, policy) ? backoffMs(attempt) : null;
  const { status } = outcome;
  if (status !== 429 && !(PASSING.includes(status) && isRepeatable(request, policy))) return null;
  const afterMs = retryAfterMs(outcome.headers.get('retry-after'));
  return afterMs === null ? backoffMs(attempt) : afterMs + backoffMs(0);
}

function isRepeatable({ method, headers }: Request, policy: SendPolicy): boolean {
  if (policy.isRepeatable || SAFE.includes(method) || headers.has('idempotency-key')) return true;
  return SAME_AGAIN.includes(method) && !headers.has('if-match');
}

/** `Retry-After` in milliseconds from now: seconds, or a date. */
export function retryAfterMs(header: string | null): number | null {
  if (header === null || header.trim() === '') return null;
  const seconds = Number(header);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}
