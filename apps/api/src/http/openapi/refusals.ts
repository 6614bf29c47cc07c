import { ERRORS, type ErrorCode } from '@weft/kernel';
import { problem } from '../schema.js';
import { headers, type HeaderName } from './headers.js';
import type { Operation } from './operations.js';

/** Headers of refusals besides the request's id. */
const HEADERS: Readonly<Record<number, HeaderName>> = {
  401: 'WWW-Authenticate',
  429: 'Retry-After',
  503: 'Retry-After',
};

export const DEFAULT_REFUSAL = {
  description: 'Another refusal: of a proxy on the way, or of a later version.',
  content: { 'application/problem+json': { schema: problem } },
};

/**
 * Adds an answer for each status with the codes that it may have. Operations that refuse alike share one.
 *
 * @param shared the document's own responses, by name
 */
export function describeRefusals(
  operation: Operation,
  codes: readonly ErrorCode[],
  shared: Record<string, object>,
): void {
  const byStatus = Map.groupBy(codes.toSorted(), (code) => ERRORS[code].status);
  for (const [status, same] of [...byStatus].sort(([a], [b]) => a - b)) {
    const name = `Refusal_${status}_${same.join('_or_')}`;
    shared[name] ??= refusal(status, same);
    operation.responses = { ...operation.responses, [status]: { $ref: `#/components/responses/${name}` } };
  }
  operation.responses = { ...operation.responses, default: DEFAULT_REFUSAL };
}

function refusal(status: number, codes: readonly ErrorCode[]): object {
  const more = HEADERS[status];
  return {
    description: codes.map((code) => `\`${code}\`: ${ERRORS[code].title}.`).join('\n\n'),
    headers: headers('X-Request-Id', ...(more ? [more] : [])),
    content: { 'application/problem+json': { schema: problem } },
    // not in the schema: generators of clients would make a type of each combination, and none of them a Problem
    'x-problem-codes': codes,
  };
}
