/** The scope names of docs/http-api.md §1.9. `read` is another spelling of `api:read`. */
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

/** The scopes that a scope includes besides itself: a key with it may make keys with those. */
const INCLUDED: Readonly<Partial<Record<Scope, readonly Scope[]>>> = {
  api: ['api:read', 'read', 'api:flows', 'api:plays', 'flow:execute', 'webhooks'],
  'api:read': ['read'],
  read: ['api:read'],
  'api:plays': ['flow:execute'],
};

const KNOWN: ReadonlySet<string> = new Set(SCOPES);

export function isScope(text: string): text is Scope {
  return KNOWN.has(text);
}

/** Splits `"api:read, flow:execute"`. Names that are not scopes are returned in `unknown`; repeated names count once. */
export function parseScopes(text: string): { readonly scopes: readonly Scope[]; readonly unknown: readonly string[] } {
  const names = [...new Set(text.split(',').map((name) => name.trim()))].filter((name) => name !== '');
  return { scopes: names.filter(isScope), unknown: names.filter((name) => !isScope(name)) };
}

/** The scopes among `wanted` that a key with the `held` scopes cannot pass on. */
export function scopesNotCovered(held: readonly Scope[], wanted: readonly Scope[]): readonly Scope[] {
  const covered = new Set(held.flatMap((scope) => [scope, ...(INCLUDED[scope] ?? [])]));
  return wanted.filter((scope) => !covered.has(scope));
}
