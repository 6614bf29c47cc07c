import { parseJson } from '@weft/client';

/**
 * The answer, whose integers beyond ±(2^53 − 1) are read as a `bigint`, with every digit; `JSON.stringify` writes them so again.
 * openapi-fetch reads an answer of a length that is said by its `json()`, and others by `JSON.parse`. Older browsers round them.
 */
export function withExactJson(response: Response): Response {
  const headers = new Headers(response.headers);
  headers.set('content-length', 'unknown');
  return Object.defineProperties(response, {
    headers: { value: headers },
    json: { value: async () => readText(await response.text()) },
  });
}

function readText(text: string): unknown {
  return text === '' ? undefined : parseJson(text);
}
