import { EgressError, type EgressClient } from '@weft/egress';
import { assertJsonDepth } from '@weft/kernel';
import type { CustomFetch } from 'openid-client';

/** For one call to a provider; a sign-in makes several. */
const TIMEOUT_MS = 8_000;
/** Metadata, keys and tokens are a few KB. */
const MAX_RESPONSE_BYTES = 262_144;
/** They are flat. The library reads them with a parser that takes seconds for millions of levels. */
const MAX_DEPTH = 32;
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
    assertFlat(response.body);
    const content = NO_BODY.has(response.statusCode) ? null : new Uint8Array(response.body);
    return new Response(content, { status: response.statusCode, headers: response.headers });
  };
}

function assertFlat(body: Buffer): void {
  try {
    assertJsonDepth(body, MAX_DEPTH);
  } catch (cause) {
    throw new EgressError('output_too_large', 'the provider answered JSON that is nested too deep', { cause });
  }
}

function asText(body: unknown): string {
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new EgressError('invalid_args', 'a provider is sent forms and texts only');
}
