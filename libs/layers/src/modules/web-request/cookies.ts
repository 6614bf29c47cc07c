/** One `Set-Cookie` of an answer (RFC 6265 §5.2). */
export interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly domain?: string;
  readonly path?: string;
  /** As the server wrote it. */
  readonly expires?: string;
  /** Seconds. */
  readonly maxAge?: number;
  readonly secure?: true;
  readonly httpOnly?: true;
  readonly sameSite?: string;
}

const ATTRIBUTES: Readonly<Record<string, (value: string) => Partial<Cookie>>> = {
  domain: (domain) => ({ domain }),
  path: (path) => ({ path }),
  expires: (expires) => ({ expires }),
  'max-age': (value) => (/^-?\d{1,15}$/.test(value) ? { maxAge: Number(value) } : {}),
  secure: () => ({ secure: true }),
  httponly: () => ({ httpOnly: true }),
  samesite: (sameSite) => ({ sameSite }),
};

export function cookieIn(header: string): Cookie {
  const [pair = '', ...attributes] = header.split(';');
  const [name, value] = halves(pair);
  const read = attributes.map((attribute) => {
    const [key, of] = halves(attribute);
    const known = key.toLowerCase();
    return Object.hasOwn(ATTRIBUTES, known) ? ATTRIBUTES[known]?.(of) : {};
  });
  return Object.assign({ name, value }, ...read) as Cookie;
}

function halves(pair: string): readonly [string, string] {
  const at = pair.indexOf('=');
  return at === -1 ? [pair.trim(), ''] : [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
}
