/** What a header can carry of a key. A browser's session has none. */
const TOKEN = /^[\x21-\x7e]+$/;

/** @throws TypeError that does not show the token */
export function readToken(token: string): string {
  if (typeof token === 'string' && TOKEN.test(token)) return token;
  throw new TypeError(
    'The token has characters that no key of Weft has: a space, a line end, or part of a file around it?',
  );
}

/** @throws TypeError that does not show the values: there may be keys of proxies in them */
export function readHeaders(headers: Readonly<Record<string, string>> = {}): Record<string, string> {
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers([[name, value]]);
    } catch {
      throw new TypeError(`The header ${JSON.stringify(name)} or its value cannot be sent.`);
    }
  }
  return { ...headers };
}

/** @throws TypeError that does not show the address: there may be a password in it */
export function readBase(url: string | undefined): string {
  const given = url ?? (globalThis as { location?: { origin: string } }).location?.origin;
  if (given === undefined) throw new TypeError('Give the address of Weft as `url`.');
  const { protocol, username, password, search, hash } = URL.parse(given) ?? {};
  if (!/^https?:$/.test(protocol ?? '') || username || password || search || hash)
    throw new TypeError('The address of Weft is http:// or https://, a host and a port, without a user and a query.');
  return given.replace(/\/+$/, '');
}
