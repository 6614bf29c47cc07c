/** Headers that carry credentials, whoever set them. */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie', 'x-api-key']);
/** Names of cookies that sign in whoever sends them. */
const SIGNS_IN = /sess|sid(?![a-z])|auth|token|jwt|[cx]srf|secret|passw|login|remember|ticket|cred|key/i;
/** A text that nobody chose changes this often from letters to digits and back; a time in ISO 8601 does so three times. */
const RANDOM_LENGTH = 16;
const RANDOM_CHANGES = 4;

/** The credentials among the headers of a request, without their surroundings: a scheme, the names of cookies. */
export function sentSecrets(headers: Readonly<Record<string, string | number | boolean | null>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const header = name.toLowerCase();
    if (!CREDENTIALS.has(header) || value === null) return [];
    if (header === 'cookie') return cookieValues(String(value));
    return header === 'x-api-key' ? [String(value)] : ofAuthorization(String(value));
  });
}

/** Also of a repeated name or of a pair without a name: a parser of cookies would drop them. Other cookies hold choices and data. */
function cookieValues(header: string): string[] {
  return header.split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    const value = pair.slice(at + 1).trim();
    return SIGNS_IN.test(pair.slice(0, Math.max(0, at))) || isRandom(value) ? [value] : [];
  });
}

function isRandom(value: string): boolean {
  const plain = value.replaceAll(/%[\dA-Fa-f]{2}|[^A-Za-z\d]/g, '');
  const changes = plain.match(/[A-Za-z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0;
  return value.length >= RANDOM_LENGTH && changes >= RANDOM_CHANGES;
}

function ofAuthorization(header: string): string[] {
  const [, scheme = '', credentials = ''] = /^(?:([\w-]+) +)?(.*)$/s.exec(header.trim()) ?? [];
  if (scheme.toLowerCase() !== 'basic') return [credentials];
  const pair = Buffer.from(credentials, 'base64').toString();
  return [credentials, pair, pair.slice(pair.indexOf(':') + 1)];
}
