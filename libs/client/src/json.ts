/**
 * JSON with integers beyond ±(2^53 − 1), which a `number` rounds: as a `bigint` they keep every digit. To write them it needs
 * `JSON.rawJSON`: Node 22, Chrome 114, Firefox 135, Safari 18.4.
 */

/** The types do not have them yet. Undefined in older browsers. */
const { rawJSON } = JSON as unknown as { readonly rawJSON?: (text: string) => unknown };

/** A whole number that may not be safe, or the same within a text. */
const LONG = /(?<![\w.+-])-?[1-9]\d{15,}(?![\d.eE])/g;
/** Of more digits the server, too, makes a text. */
const MOST_DIGITS = 1_000;

/**
 * `JSON.parse`, whose integers beyond ±(2^53 − 1) are a `bigint`.
 *
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  const integers = text.search(LONG) === -1 ? [] : unsafeIntegers(text);
  if (integers.length === 0) return JSON.parse(text);
  // a reviver, which sees the source of each number, would take seconds for some megabytes: instead such an integer is parsed as a
  // list of one text that begins with a mark which nobody could foresee
  const mark = String(crypto.getRandomValues(new BigUint64Array(1))[0]);
  let marked = '';
  let from = 0;
  for (const { index, 0: digits } of integers) {
    marked += `${text.slice(from, index)}["${mark}${digits}"]`;
    from = index + digits.length;
  }
  try {
    return withIntegers(JSON.parse(marked + text.slice(from)), mark);
  } catch {
    return JSON.parse(text); // whose error shows the text as it is
  }
}

function unsafeIntegers(text: string): RegExpExecArray[] {
  const found: RegExpExecArray[] = [];
  let isInText = false;
  let quote = text.indexOf('"');
  for (const match of text.matchAll(LONG)) {
    for (; quote !== -1 && quote < match.index; quote = text.indexOf('"', quote + 1)) {
      if (!isInText || !isEscaped(text, quote)) isInText = !isInText;
    }
    if (!isInText && !Number.isSafeInteger(Number(match[0]))) found.push(match);
  }
  return found;
}

function isEscaped(text: string, place: number): boolean {
  let from = place;
  while (text[from - 1] === '\\') from -= 1;
  return (place - from) % 2 === 1;
}

/** Changes the value in place. */
function withIntegers(value: unknown, mark: string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const [only] = value as readonly unknown[];
    if (value.length === 1 && typeof only === 'string' && only.startsWith(mark))
      return integer(only.slice(mark.length));
    for (let i = 0; i < value.length; i += 1) value[i] = withIntegers(value[i], mark);
    return value;
  }
  const fields = value as Record<string, unknown>;
  for (const name of Object.keys(fields)) fields[name] = withIntegers(fields[name], mark);
  return fields;
}

function integer(digits: string): unknown {
  return digits.length > MOST_DIGITS ? digits : BigInt(digits);
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
