import { ERRORS, type WeftError } from '@weft/kernel';
import type { Problem } from './views.js';

/**
 * An error as a client sees it: the members of docs/http-api.md §1.7, and those that the error adds (`state` of an illegal move).
 *
 * @param instance path of the request, without its query
 */
export function problemOf(error: WeftError, instance: string, requestId: string): Problem {
  const entry: { readonly title: string; readonly reason?: string; readonly retryable?: boolean } = ERRORS[error.code];
  return {
    type: `urn:weft:problem:${error.code}`,
    title: entry.title,
    status: error.status,
    detail: error.message,
    instance,
    code: error.code,
    reason: entry.reason ?? null,
    retryable: entry.retryable ?? false,
    requestId,
    errors: error.errors,
    ...error.extra,
  };
}
