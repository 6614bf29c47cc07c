/**
 * JSON with integers beyond ±(2^53 − 1), which a `number` rounds: as a `bigint` they keep every digit. It needs `JSON.rawJSON` and
 * the source text in `JSON.parse`: Node 22, Chrome 114, Firefox 135, Safari 18.4.
 */

/** The types do not have them yet. Undefined in older browsers. */
const { rawJSON } = JSON as unknown as { readonly rawJSON?: (text: string) => unknown };

/** An integer of fewer digits is safe. */
const LONG = /\d{16}/;
const INTEGER = /^-?\d+$/;
/** Of more digits the server, too, makes a text. */
const MOST_DIGITS = 1_000;

/**
 * `JSON.parse`, whose integers beyond ±(2^53 − 1) are a `bigint`.
 *
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  return LONG.test(text) ? JSON.parse(text, withDigits as never) : JSON.parse(text);
}

/**
 * `JSON.stringify`, which writes each `bigint` with its digits.
 *
 * @returns undefined where there is no JSON of the value, such as a function
 * @throws TypeError when there is a circle in it, or a `bigint` in an older browser
 */
export function writeJson(value: unknown, indent?: number): string | undefined {
  try {
    return JSON.stringify(value, null, indent);
  } catch (error) {
    if (!rawJSON) throw error;
    return JSON.stringify(value, asDigits, indent);
  }
}

function withDigits(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source;
  if (typeof value !== 'number' || source === undefined || Number.isSafeInteger(value)) return value;
  if (!INTEGER.test(source)) return value;
  return source.length > MOST_DIGITS ? source : BigInt(source);
}

function asDigits(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? rawJSON?.(String(value)) : value;
}

/**
 * The answer, whose `json()` reads it by `parseJson`; for requests that are made without this client. openapi-fetch asks that of an
 * answer of known length.
 */
export function withExactJson(response: Response): Response {
  const headers = new Headers(response.headers);
  if (!headers.has('content-length')) headers.set('content-length', 'unknown');
  return Object.defineProperties(response, {
    headers: { value: headers },
    json: { value: async () => readText(await response.text()) },
  });
}

function readText(text: string): unknown {
  return text === '' ? undefined : parseJson(text);
}
