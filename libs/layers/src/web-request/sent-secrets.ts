/** Headers that carry credentials, whoever set them. */
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'proxy-authorization', 'cookie', 'x-api-key']);
/** Shorter values are weak secrets, and occur in many texts by chance. */
const LEAST_LENGTH = 8;

/** The credentials among the headers of a request, without their surroundings: a scheme, the names of cookies. */
export function sentSecrets(headers: Readonly<Record<string, string | number | boolean | null>>): string[] {
  const secrets = Object.entries(headers).flatMap(([name, value]) => {
    const header = name.toLowerCase();
    if (!CREDENTIALS.has(header) || value === null) return [];
    if (header === 'cookie') return cookieValues(String(value));
    return header === 'x-api-key' ? [String(value)] : ofAuthorization(String(value));
  });
  return secrets.filter((secret) => secret.length >= LEAST_LENGTH);
}

/** All values, also those of a repeated name or of a pair without a name: a parser of cookies would drop them. */
function cookieValues(header: string): string[] {
  return header.split(';').map((pair) => pair.slice(pair.indexOf('=') + 1).trim());
}

function ofAuthorization(header: string): string[] {
  const [, scheme = '', credentials = ''] = /^(?:([\w-]+) +)?(.*)$/s.exec(header.trim()) ?? [];
  if (scheme.toLowerCase() !== 'basic') return [credentials];
  const pair = Buffer.from(credentials, 'base64').toString();
  return [credentials, pair, pair.slice(pair.indexOf(':') + 1)];
}
