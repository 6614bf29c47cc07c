import { EgressError, type EgressClient } from '@weft/egress';
import type { CustomFetch } from 'openid-client';

/** For one call to a provider; a sign-in makes several. */
const TIMEOUT_MS = 8_000;
/** Metadata, keys and tokens are a few KB. */
const MAX_RESPONSE_BYTES = 1_048_576;
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** The fetch of openid-client, on top of the guarded egress client. It follows no redirects. */
export function guardedFetch(http: EgressClient): CustomFetch {
  return async (url, { method, headers, body, signal }) => {
    const response = await http.request({
      method,
      url,
      headers,
      ...(body !== null && body !== undefined && { body: asText(body) }),
      timeoutMs: TIMEOUT_MS,
      maxRedirects: 0,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      ...(signal && { signal }),
    });
    const content = NO_BODY.has(response.statusCode) ? null : new Uint8Array(response.body);
    return new Response(content, { status: response.statusCode, headers: response.headers });
  };
}

function asText(body: unknown): string {
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new EgressError('invalid_args', 'a provider is sent forms and texts only');
}
