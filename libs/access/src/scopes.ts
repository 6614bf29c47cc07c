/** The scope names of specification §5.2. `read` is another spelling of `api:read`. */
export const SCOPES = [
  'api',
  'api:read',
  'read',
  'api:flows',
  'api:plays',
  'mcp',
  'flow:execute',
  'webhooks',
  'admin',
] as const;
export type Scope = (typeof SCOPES)[number];

/** The letters of contract §1 that stand for scopes. The other two (`C` cookie only, `–` no credential) open nothing to a token. */
const SCOPES_OF_LETTER: Readonly<Record<string, readonly Scope[]>> = {
  A: ['api'],
  R: ['api:read', 'read'],
  F: ['api:flows'],
  P: ['api:plays'],
  X: ['flow:execute'],
  W: ['webhooks'],
  S: ['admin'],
  C: [],
};

/** What a scope stands for besides itself: a key with the first may make keys with the others. */
const COVERS: Readonly<Partial<Record<Scope, readonly Scope[]>>> = {
  api: ['api:read', 'read', 'api:flows', 'api:plays', 'flow:execute'],
  'api:read': ['read'],
  read: ['api:read'],
  'api:plays': ['flow:execute'],
};

const KNOWN: ReadonlySet<string> = new Set(SCOPES);

export function isScope(text: string): text is Scope {
  return KNOWN.has(text);
}

/** Splits `"api:read, flow:execute"`; what is no scope comes back in `unknown`, repeated names once. */
export function parseScopes(text: string): { readonly scopes: readonly Scope[]; readonly unknown: readonly string[] } {
  const names = [...new Set(text.split(',').map((name) => name.trim()))].filter((name) => name !== '');
  return { scopes: names.filter(isScope), unknown: names.filter((name) => !isScope(name)) };
}

/** The letters of a route, checked: `"A R F"` → `["A", "R", "F"]`. Throws on a letter that the contract does not know. */
export function parseLetters(letters: string): readonly string[] {
  const parsed = letters.split(' ').filter((letter) => letter !== '');
  const wrong = parsed.find((letter) => !Object.hasOwn(SCOPES_OF_LETTER, letter));
  if (wrong !== undefined || parsed.length === 0) throw new TypeError(`no such scope letters: "${letters}"`);
  return parsed;
}

/**
 * Whether a token with these scopes may call a route with these letters. The read scopes open GET and HEAD only, whatever
 * the letters say. Sessions are not asked: they have all (contract §1).
 */
export function scopeAllows(scopes: readonly Scope[], letters: string, method: string): boolean {
  const opening = openingScopes(letters, method);
  return scopes.some((scope) => opening.has(scope));
}

const OPENING = new Map<string, ReadonlySet<Scope>>();

/**
 * The scopes that open a route with these letters, each of which is enough. Worked out once for each combination of letters:
 * routes have a dozen of them.
 *
 * @param method in capitals
 */
export function openingScopes(letters: string, method: string): ReadonlySet<Scope> {
  const reading = method === 'GET' || method === 'HEAD';
  const key = reading ? `read ${letters}` : letters;
  let opening = OPENING.get(key);
  if (!opening) {
    const counting = parseLetters(letters).filter((letter) => letter !== 'R' || reading);
    opening = new Set(counting.flatMap((letter) => SCOPES_OF_LETTER[letter] ?? []));
    OPENING.set(key, opening);
  }
  return opening;
}

/** True when the letters leave the route to browser sessions alone. */
export function isSessionOnly(letters: string): boolean {
  return parseLetters(letters).every((letter) => letter === 'C');
}

/** The scopes among `wanted` that a token with `held` cannot pass on. */
export function scopesNotCovered(held: readonly Scope[], wanted: readonly Scope[]): readonly Scope[] {
  const reach = new Set(held.flatMap((scope) => [scope, ...(COVERS[scope] ?? [])]));
  return wanted.filter((scope) => !reach.has(scope));
}

/** True when nothing but `flow:execute` opens plays to this token: it then sees and touches only the plays that it started. */
export function seesOwnPlaysOnly(scopes: readonly Scope[], method: string): boolean {
  return !scopeAllows(scopes, 'A R P', method) && scopes.includes('flow:execute');
}
