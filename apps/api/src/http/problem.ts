import { HttpException } from '@nestjs/common';
import { WeftError } from '@weft/kernel';
import { isStoreUnavailable } from '@weft/store';
import type { IncomingMessage } from 'node:http';

export const PROBLEM_TYPE = 'application/problem+json';

/** `Retry-After` in seconds while the database is unreachable. */
const STORE_RETRY_SECONDS = 2;

/** What the framework below us says, in the product's words. */
const FASTIFY_CODES: Readonly<Record<string, WeftError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: new WeftError('body_too_large', 'The body is larger than 1 MB.'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: new WeftError(
    'unsupported_media_type',
    'The body must be sent with Content-Type: application/json.',
  ),
  FST_ERR_CTP_EMPTY_JSON_BODY: new WeftError('malformed_json', 'The body is empty.'),
  FST_ERR_CTP_INVALID_JSON_BODY: new WeftError('malformed_json', 'The body is not valid JSON.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: new WeftError(
    'malformed_json',
    'The body is not as long as Content-Length says.',
  ),
};

/** What was thrown because the client went away while it sent its body: nobody reads the answer, and nothing failed here. */
const HUNG_UP = new WeftError('malformed_request', 'The connection ended before the whole body had arrived.');

/** @param raw the request, which knows how reading it ended */
export function errorOf(thrown: unknown, { raw }: { readonly raw: Pick<IncomingMessage, 'errored'> }): WeftError {
  const error = toWeftError(thrown);
  return error.code === 'internal' && raw.errored ? HUNG_UP : error;
}

/**
 * Converts anything that was thrown to an error that a client may see. An unexpected one becomes `internal`, without a word of
 * the cause: that goes to the log.
 */
export function toWeftError(error: unknown): WeftError {
  if (error instanceof WeftError) return error;
  if (isStoreUnavailable(error)) {
    return new WeftError('store_unavailable', 'The database cannot be reached just now; try again in a moment.', {
      retryAfterSeconds: STORE_RETRY_SECONDS,
      cause: error,
    });
  }
  const known = frameworkCodesOf(error)
    .map((code) => FASTIFY_CODES[code])
    .find((found) => found !== undefined);
  if (known) return known;
  if (error instanceof HttpException) return fromHttpException(error);
  return new WeftError('internal', 'Something went wrong on our side. The request id finds it in the log.', {
    cause: error,
  });
}

/** Fastify's codes: Nest wraps some of its errors. */
export function frameworkCodesOf(error: unknown): readonly string[] {
  return [codeOf(error), codeOf(causeOf(error))];
}

function fromHttpException(error: HttpException): WeftError {
  const status = error.getStatus();
  if (status === 404) return new WeftError('not_found', 'Nothing answers at this path.');
  if (status === 405) return new WeftError('method_not_allowed', 'This path does not take that method.');
  if (status === 413) return new WeftError('body_too_large', 'The body is larger than 1 MB.');
  if (status === 415) return new WeftError('unsupported_media_type', 'Send application/json.');
  if (status === 401) return new WeftError('unauthenticated', 'Sign in first.');
  if (status === 403) return new WeftError('denied', 'You may not do this.');
  if (status >= 400 && status < 500) return new WeftError('invalid_body', 'The request could not be read.');
  return new WeftError('internal', 'Something went wrong on our side.', { cause: error });
}

function codeOf(error: unknown): string {
  return error !== null && typeof error === 'object' && 'code' in error ? String(error.code) : '';
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}
