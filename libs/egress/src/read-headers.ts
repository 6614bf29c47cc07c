/** What repeats of it mean is one value: several that are equal are said once. */
const SINGLE: ReadonlySet<string> = new Set([
  ...['content-type', 'content-disposition', 'location', 'content-location', 'retry-after', 'etag', 'last-modified'],
  ...['date', 'expires', 'age'],
]);
/** They name files and addresses: servers write them in UTF-8, and browsers read them so. */
const IN_UTF8 = ['content-disposition', 'location', 'content-location', 'link'];
const NOT_ASCII = /[\x80-\xff]/;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Changes undici's object in place: repeated names are rare, and nobody else uses the object. */
export function readHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  // a server may send a header of this name; later code should not have to consider it
  if (Object.hasOwn(headers, '__proto__')) delete headers.__proto__;
  for (const name in headers) {
    const value = headers[name];
    if (typeof value !== 'string') headers[name] = joined(name, value ?? []);
  }
  const read = headers as Record<string, string>;
  for (const name of IN_UTF8) {
    const value = read[name];
    if (value !== undefined && NOT_ASCII.test(value)) read[name] = inUtf8(value);
  }
  return read;
}

/** The values of `Set-Cookie`, which cannot be taken apart once they are joined (RFC 9110 §5.3). */
export function cookiesIn({ 'set-cookie': value }: Record<string, string | string[] | undefined>): readonly string[] {
  return value === undefined ? [] : [value].flat();
}

function joined(name: string, values: readonly string[]): string {
  return (SINGLE.has(name) ? [...new Set(values)] : values).join(', ');
}

/** undici reads each byte as a character; bytes that are not UTF-8 stay so. */
function inUtf8(value: string): string {
  try {
    return UTF8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}
